import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { encodeAct } from '../contracts/encode.js'
import { REORG_DEPTH_MAX, Universe, type UniverseOptions } from './universe.js'

const START_MS = Date.UTC(2026, 10, 12, 6)
const HOUR_MS = 3_600_000
const LOGS_HASHED = 100_000

/** Everything a node would say of the first logs: contents, indexes, hashes. */
function hashLogs(universe: Universe, count: number): string {
  const hash = createHash('sha256')
  let left = count
  for (let number = universe.chain.firstNumber; left > 0; number++) {
    const block = universe.chain.block(number)
    if (block === undefined) throw new RangeError('the history is too short')
    hash.update(universe.chain.hashOf(block))
    for (const tx of block.transactions) {
      const logs = encodeAct(tx.act)
      hash.update(`${tx.hash}${JSON.stringify(logs)}`)
      left -= logs.length
    }
  }
  return hash.digest('hex')
}

function liveFor(hours: number, options: Partial<UniverseOptions> = {}): Universe {
  const universe = new Universe({ seed: 5, startMs: START_MS, ...options })
  universe.advance(START_MS + hours * HOUR_MS)
  return universe
}

describe('one seed decides everything', () => {
  test('the first 100,000 logs are the same in two lives, and others with another seed', () => {
    const first = hashLogs(liveFor(2.5, { intensity: 5 }), LOGS_HASHED)
    expect(hashLogs(liveFor(2.5, { intensity: 5 }), LOGS_HASHED)).toBe(first)
    expect(hashLogs(liveFor(2.5, { intensity: 5, seed: 6 }), LOGS_HASHED)).not.toBe(first)
  })

  test('how time passes changes nothing', () => {
    const atOnce = liveFor(0.5)
    const stepwise = new Universe({ seed: 5, startMs: START_MS })
    stepwise.on('second', () => undefined)
    for (let ms = START_MS; ms < START_MS + HOUR_MS / 2; ms += 7_777) stepwise.advance(ms)
    stepwise.advance(START_MS + HOUR_MS / 2)
    expect(hashLogs(stepwise, 5_000)).toBe(hashLogs(atOnce, 5_000))
    expect(stepwise.chain.head).toEqual(atOnce.chain.head)
  })
})

test('history cannot reach back into the old era', () => {
  expect(() => new Universe({ seed: 5, startMs: Date.UTC(2026, 3, 20) })).toThrow(RangeError)
})

describe('a reorganisation', () => {
  const balancesOf = ({ wallets, settledActs }: Universe) =>
    wallets.map((wallet) => [settledActs.cash(wallet), settledActs.ofWallet(wallet).length])

  test('replaces the last blocks by others on the same parent', () => {
    const universe = liveFor(1)
    const before = universe.chain.head
    const old = Array.from({ length: 20 }, (_, back) => universe.chain.block(before.number - back))
    const fork = universe.chain.block(before.number - 20)
    const events: number[][] = []
    universe.on('reorg', (removed) => events.push(removed.map(({ number }) => number)))
    universe.on('block', ({ number }) => events.push([number]))
    universe.reorg(20)

    expect(universe.chain.head.number).toBe(before.number)
    for (const block of old) {
      const now = block && universe.chain.block(block.number)
      expect(now && universe.chain.hashOf(now)).not.toBe(block && universe.chain.hashOf(block))
      if (block) expect(universe.chain.blockByHash(universe.chain.hashOf(block))).toBeUndefined()
    }
    const first = universe.chain.block(before.number - 19)
    expect(first && universe.chain.parentHashOf(first)).toBe(fork && universe.chain.hashOf(fork))
    expect(old.map((block) => block?.transactions.length)).not.toEqual(
      old.map((block) => block && universe.chain.block(block.number)?.transactions.length),
    )
    expect(events[0]).toEqual(old.map((block) => block?.number))
    expect(events.slice(1).flat()).toEqual(events[0]?.toReversed())
  })

  test('a restart that is given the reorganisation makes the same blocks again', () => {
    const universe = liveFor(1)
    universe.reorg(7)
    universe.reorg(3)
    universe.advance(START_MS + 1.2 * HOUR_MS)
    universe.reorg(REORG_DEPTH_MAX)
    universe.advance(START_MS + 1.5 * HOUR_MS)
    const again = liveFor(1.5, { reorgs: universe.reorgs })
    expect(hashLogs(again, 10_000)).toBe(hashLogs(universe, 10_000))
    expect(again.chain.hashOf(again.chain.head)).toBe(universe.chain.hashOf(universe.chain.head))
    expect(balancesOf(again)).toEqual(balancesOf(universe))
  })

  test('no wallet ever has less than nothing', () => {
    const universe = liveFor(0.5, { intensity: 10 })
    for (let round = 1; round <= 12; round++) {
      universe.reorg(round * 5)
      universe.advance(START_MS + HOUR_MS / 2 + round * 60_000)
      const { settledActs, wallets } = universe
      const debtors = wallets.filter(
        (wallet) =>
          settledActs.cash(wallet) < 0 ||
          settledActs.ofWallet(wallet).some(({ tx }) => {
            const token = tx.act.kind === 'match' ? tx.act.taker.order.token : undefined
            return token !== undefined && settledActs.balance(wallet, token) < 0
          }),
      )
      expect(debtors).toEqual([])
    }
  })
})

describe('the present', () => {
  test('most matches are seen pending, one to three seconds before their block', () => {
    const universe = liveFor(1, { intensity: 20 })
    const seen = new Map<string, number>()
    let matches = 0
    let pending = 0
    universe.on('pending', (tx) => {
      expect(universe.chain.find(tx.hash)).toEqual({ tx, block: undefined, index: 0 })
      seen.set(tx.hash, universe.nowMs)
    })
    universe.on('block', ({ timestampSec, transactions }) => {
      for (const { hash, act } of transactions) {
        const leadMs = timestampSec * 1000 - (seen.get(hash) ?? Number.NaN)
        if (act.kind === 'match') matches++
        if (act.kind === 'match' && seen.has(hash)) pending++
        if (seen.has(hash)) expect(leadMs).toBeGreaterThanOrEqual(1_000)
        if (seen.has(hash)) expect(leadMs).toBeLessThanOrEqual(3_000)
      }
    })
    universe.advance(START_MS + 1.2 * HOUR_MS)
    expect(matches).toBeGreaterThan(500)
    expect(pending / matches).toBeGreaterThan(0.88)
    expect(pending / matches).toBeLessThan(0.96)
  })

  test('balances are those of the visible blocks, not of the ones to come', () => {
    const universe = liveFor(1, { intensity: 20 })
    const headMatch = () =>
      universe.chain.head.transactions.map(({ act }) => act).find(({ kind }) => kind === 'match')
    while (headMatch() === undefined) universe.advance(universe.nowMs + 1_000)
    const { head } = universe.chain
    const match = headMatch()
    if (match?.kind !== 'match') throw new Error('the head has no match')
    const { wallet, token } = match.taker.order
    const held = universe.settledActs.balance(wallet, token)
    expect(universe.settledActs.holders(token).get(wallet) ?? 0).toBe(held)
    const before = liveFor(0, { intensity: 20 })
    before.advance(head.timestampSec * 1000 - 1)
    const change = head.transactions
      .flatMap(({ act }) => (act.kind === 'match' ? [act.taker, ...act.makers] : []))
      .filter(({ order }) => order.wallet.index === wallet.index && order.token.id === token.id)
      .reduce((sum, { order, shares }) => sum + (order.side === 'BUY' ? shares : -shares), 0)
    const twin = before.wallets[wallet.index]
    const twinToken = before.catalogue.token(token.decimal)
    if (twin === undefined || twinToken === undefined) throw new Error('the twin differs')
    expect(before.settledActs.balance(twin, twinToken) + change).toBe(held)
  })
})
