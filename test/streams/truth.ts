import { expect } from 'vitest'
import type { Json } from '../strict-client/shape.js'
import { type CanonicalFill, readCanonicalFills } from './canonical-fills.js'
import { applyReorgs, type Received } from './received.js'

const ofType = (messages: readonly Received[], type: string) =>
  messages.filter((message) => message.type === type)

/** Numbers of messages always grow, on whatever connection they came. */
export function expectGrowingSeqs(messages: readonly Received[]): void {
  const wrong = messages.filter(({ seq }, index) => seq <= (messages[index - 1]?.seq ?? 0))
  expect(wrong.map(({ seq, type }) => ({ seq, type }))).toEqual([])
}

/** Confirmed `trade` messages equal the fills of the chain in count, order and contents. */
function expectTrueTrades(
  messages: readonly Received[],
  fills: readonly CanonicalFill[],
  fromBlock: number,
): void {
  const trades = ofType(applyReorgs(messages), 'trade')
    .map(({ data }) => data)
    .filter((data) => Number(data.block_number) >= fromBlock)
  const places = (rows: readonly Json[]) =>
    rows.map((row) => `${row.block_number} ${row.log_index} ${row.tx_hash}`)
  expect(places(trades)).toEqual(places(fills))
  for (const [index, { price, ...fill }] of fills.entries()) {
    expect(trades[index]).toMatchObject({ ...fill, price: expect.closeTo(Number(price), 3) })
  }
}

/**
 * Every settlement whose transaction is on the chain has one standing status_update behind it, with
 * the fills of the chain; and there is none of anything else.
 */
function expectSettled(
  messages: readonly Received[],
  fills: readonly CanonicalFill[],
  { fromBlock, sinceMs }: { fromBlock: number; sinceMs: number },
): void {
  const settlements = new Map<string, number>()
  for (const { seq, data } of ofType(messages, 'settlement')) {
    const hash = String(data.tx_hash)
    if (!settlements.has(hash)) settlements.set(hash, seq)
  }
  const updates = ofType(applyReorgs(messages), 'status_update').filter(
    ({ data }) => Number(data.block_number) >= fromBlock,
  )
  const hashes = updates.map(({ data }) => data.tx_hash)
  expect(hashes).toEqual([...new Set(fills.map(({ tx_hash }) => tx_hash))])
  for (const { seq, data } of updates) {
    const hash = String(data.tx_hash)
    const isOlder = Number(data.pending_detected_at) < sinceMs
    const settledSeq = settlements.get(hash) ?? (isOlder ? 0 : Infinity)
    expect(settledSeq, `the settlement of ${hash}`).toBeLessThan(seq)
    const made = fills.filter(({ tx_hash }) => tx_hash === hash)
    expect(data.confirmed_fills).toMatchObject(
      made.map(({ order_hash, maker, taker, token_id, side, maker_amount, taker_amount, fee }) => ({
        order_hash,
        maker,
        taker,
        token_id,
        side,
        maker_amount,
        taker_amount,
        fee,
      })),
    )
  }
}

type Chain = {
  nodeUrl: string
  headBlock: number
  /** When the client subscribed: pending settlements from before it does not have. */
  sinceMs: number
}

/**
 * Holds the messages of a client against the chain, from the first block on whose messages it has
 * all of. Returns how many fills and reorganisations that took in.
 */
export async function expectTruth(messages: readonly Received[], chain: Chain) {
  const { nodeUrl, headBlock, sinceMs } = chain
  expectGrowingSeqs(messages)
  const firstBlock = ofType(messages, 'block')[0]?.data.block_number
  const fromBlock = Number(firstBlock ?? expect.fail('no block came')) + 1
  const fills = await readCanonicalFills(nodeUrl, { fromBlock, toBlock: headBlock })
  expectTrueTrades(messages, fills, fromBlock)
  expectSettled(messages, fills, { fromBlock, sinceMs })
  const pending = ofType(messages, 'settlement').filter(({ data }) => data.status === 'pending')
  return {
    fills: fills.length,
    reorgs: ofType(messages, 'reorg').length,
    pending: pending.length,
  }
}
