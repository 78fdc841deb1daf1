import { expect, test } from 'vitest'
import vectors from '../contracts/fixtures/chain-vectors.json' with { type: 'json' }
import { v1Fee } from './orders.js'
import { Universe } from './universe.js'

test.each(vectors.fees.v1_formula)('V1 fee of a $side of $outcome_tokens shares', (known) => {
  const order = { side: known.side as 'BUY' | 'SELL', feeRateBps: Number(known.fee_rate_bps) }
  const buys = order.side === 'BUY'
  const usd = Number(buys ? known.making : known.taking)
  expect(v1Fee(order, Number(known.outcome_tokens), usd)).toBe(Number(known.fee))
})

const START_MS = Date.UTC(2026, 10, 12, 6)
/** Half of the time is present, where orders are filled more often. */
const presentMs = START_MS + 1_800_000
const universe = new Universe({ seed: 3, startMs: START_MS, presentMs, intensity: 5 })
universe.advance(START_MS + 3_600_000)
const matches = universe.settledActs.matches.map(({ tx }) => tx.act)

test('no wallet owns two orders of a match', () => {
  expect(matches.length).toBeGreaterThan(1_000)
  for (const { taker, makers } of matches) {
    const wallets = [taker, ...makers].map(({ order }) => order.wallet)
    expect(new Set(wallets).size).toBe(wallets.length)
  }
})

test('no order is filled beyond what it offers, nor at a worse price', () => {
  const filled = new Map<object, { usd: number; shares: number }>()
  for (const { taker, makers } of matches) {
    for (const { order, usd, shares } of [taker, ...makers]) {
      const before = filled.get(order) ?? { usd: 0, shares: 0 }
      filled.set(order, { usd: before.usd + usd, shares: before.shares + shares })
      const [given, taken] = order.side === 'BUY' ? [usd, shares] : [shares, usd]
      expect(taken * order.makerAmount).toBeGreaterThanOrEqual(given * order.takerAmount)
      const sum = filled.get(order)
      expect(order.side === 'BUY' ? sum?.usd : sum?.shares).toBeLessThanOrEqual(order.makerAmount)
    }
  }
})
