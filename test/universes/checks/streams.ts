import { type CanonicalFill, readCanonicalFills } from '../../streams/canonical-fills.js'
import { applyReorgs, type Received } from '../../streams/received.js'
import type { StreamClient } from '../clients/stream-client.js'

type Truth = {
  nodeUrl: string
  headBlock: number
  /** A process was in the future: numbers that it gave to clients are unknown to others, which say so with a gap. */
  hadFutureNumbers: boolean
}

const FIELDS = ['maker', 'taker', 'token_id', 'side', 'maker_amount', 'taker_amount', 'order_hash'] as const

/** What is wrong with the messages of a client, once it has the last block: held against the chain that stands. */
export async function checkStream(client: StreamClient, truth: Truth): Promise<string[]> {
  const { nodeUrl, headBlock, hadFutureNumbers } = truth
  const { messages, notices, resumptions } = client
  const found = [...notices]
  // A number that is an hour old can always be gone on from.
  if (resumptions.includes('gap') && !hadFutureNumbers)
    found.push(`a gap at a resume: ${resumptions.join(', ')}`)
  const first = messages.find(({ type }) => type === 'block')?.data.block_number
  if (first === undefined) return [...found, 'no block came']
  const fromBlock = Number(first) + 1
  if (fromBlock > headBlock) return found
  const standing = applyReorgs(messages).filter(({ data }) => Number(data.block_number) >= fromBlock)
  found.push(...compareBlocks(standing, fromBlock, headBlock))
  const trades = standing.filter(({ type }) => type === 'trade')
  found.push(...compareTrades(trades, await readCanonicalFills(nodeUrl, { fromBlock, toBlock: headBlock })))
  return found.map((text) => `stream: ${text}`)
}

function compareBlocks(standing: readonly Received[], fromBlock: number, headBlock: number): string[] {
  const numbers = standing.filter(({ type }) => type === 'block').map(({ data }) => Number(data.block_number))
  const wrong = numbers.filter((number, index) => number !== fromBlock + index)
  if (wrong.length > 0) return [`block ${wrong[0]} does not follow the one before it`]
  const last = numbers.at(-1) ?? fromBlock - 1
  return last === headBlock ? [] : [`the last block is ${last} and not ${headBlock}`]
}

function compareTrades(trades: readonly Received[], fills: readonly CanonicalFill[]): string[] {
  const placeOf = (row: Readonly<Record<string, unknown>>) =>
    `${row.block_number} ${row.log_index} ${row.tx_hash}`
  const sent = new Map(trades.map(({ data }) => [placeOf(data), data]))
  const found: string[] = []
  if (sent.size !== trades.length) found.push(`${trades.length - sent.size} trades came twice`)
  for (const fill of fills) {
    const place = placeOf(fill)
    const trade = sent.get(place)
    sent.delete(place)
    if (trade === undefined) found.push(`the trade ${place} is missing`)
    else {
      const wrong = FIELDS.filter((field) => String(trade[field]) !== String(fill[field]))
      found.push(...wrong.map((field) => `${place}: ${field} is ${trade[field]} and not ${fill[field]}`))
    }
  }
  for (const place of sent.keys()) found.push(`the trade ${place} is not on the chain`)
  return found
}
