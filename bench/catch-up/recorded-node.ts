import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { quantity } from '../../sim/polygon/hex.js'
import { CHAIN_ID } from '../../src/core/blocks.js'
import { eachUniverseBlock } from '../lib/universe-blocks.js'

// A node that renders its answers before the first request, so that the bench measures the client and not
// the node. It records as many logs of a simulated world as its first argument says, sends the bench its port and its
// blocks, and answers.

const LOGS = Number(process.argv[2])
const INTENSITY = Number(process.argv[3])
// Months ago: what is older than a day is booked, and not sent to clients.
const START_MS = Date.UTC(2026, 5, 14, 12)

/** `logs`: the watched ones, as the items of a JSON array. */
type RecordedBlock = { hash: string; header: string; logs: Buffer }

const COMMA = Buffer.from(',')

const { first, blocks, logs } = record()
const byHash = new Map(blocks.map((block, index) => [block.hash, first + index]))
const last = first + blocks.length - 1

const server = createServer(async (request, response) => {
  const asked = JSON.parse(await text(request)) as Asked | Asked[]
  response.setHeader('content-type', 'application/json')
  response.end(Buffer.concat(Array.isArray(asked) ? answerAll(asked) : answer(asked)))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port, first, last, logs })
})
process.on('disconnect', () => process.exit())

type Asked = { id: number; method: string; params: [LogFilter | string, unknown?] }
type LogFilter = { fromBlock: string; toBlock: string } | { blockHash: string }

const answerAll = (asked: readonly Asked[]): Buffer[] => toList(asked.map(answer))

/** A JSON array of items, each in some parts. */
const toList = (items: readonly Buffer[][]): Buffer[] => [
  Buffer.from('['),
  ...items.flatMap((parts, index) => (index === 0 ? parts : [COMMA, ...parts])),
  Buffer.from(']'),
]

function answer({ id, method, params }: Asked): Buffer[] {
  const result = resultOf(method, params[0])
  return [Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), ...result, Buffer.from('}')]
}

function resultOf(method: string, asked: LogFilter | string): Buffer[] {
  if (method === 'eth_chainId') return [Buffer.from(`"${quantity(CHAIN_ID)}"`)]
  if (method === 'eth_blockNumber') return [Buffer.from(`"${quantity(last)}"`)]
  if (method === 'eth_getBlockByNumber') {
    const number = asked === 'latest' ? last : Number(asked)
    return [Buffer.from(blocks[number - first]?.header ?? 'null')]
  }
  if (method !== 'eth_getLogs' || typeof asked === 'string')
    throw new Error(`this node does not serve ${method}`)
  return listLogs(asked)
}

function listLogs(filter: LogFilter): Buffer[] {
  const isHash = 'blockHash' in filter
  const from = isHash ? (byHash.get(filter.blockHash) ?? 0) : Number(filter.fromBlock)
  const to = isHash ? from : Number(filter.toBlock)
  const withLogs = blocks.slice(from - first, to - first + 1).filter((block) => block.logs.length > 0)
  return toList(withLogs.map((block) => [block.logs]))
}

function record() {
  const blocks: RecordedBlock[] = []
  let logs = 0
  let first = 0
  const options = { seed: 1, startMs: START_MS, intensity: INTENSITY }
  for (const { chain, block, hash, logs: shown } of eachUniverseBlock(options, Number.POSITIVE_INFINITY)) {
    if (blocks.length === 0) first = block.number
    const header = JSON.stringify({
      number: quantity(block.number),
      hash,
      parentHash: chain.parentHashOf(block),
      timestamp: quantity(block.timestampSec),
      transactions: [],
    })
    blocks.push({ hash, header, logs: Buffer.from(shown.join()) })
    logs += shown.length
    if (logs >= LOGS) break
  }
  return { first, blocks, logs }
}
