import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Act } from '../sim/universe/acts.js'
import { type ApiWorld, openApiWorld } from './api-world.js'
import { counts } from './counts.js'

const WALLETS_PER_BATCH = 100
/** The universe begins with a few blocks of an older era, which no window reaches. */
const FROM_SEC = 1_793_000_000

let world: ApiWorld
beforeAll(async () => {
  world = await openApiWorld(
    counts({
      // The world of other files.
      short: { historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true },
      long: { historyMs: 30 * 60_000, intensity: 2, comboShare: 0.1 },
    }),
  )
}, 180_000)
afterAll(() => world.close())

/** What an act beside trading brings its wallet, in millionths; `undefined`: it is none that counts. */
function settlementOf(act: Act): number | undefined {
  switch (act.kind) {
    case 'split':
      return -act.amount
    case 'merge':
      return act.amount
    case 'redeem': {
      const whole = act.payouts[0] + act.payouts[1]
      const worth = (outcome: 0 | 1) => Math.floor((act.amounts[outcome] * act.payouts[outcome]) / whole)
      return worth(0) + worth(1)
    }
    case 'convert': {
      const given = act.event.markets.filter((_, index) => act.indexSet & (1 << index)).length
      const fee = Math.floor((act.amount * (act.event.negRisk?.feeBips ?? 0)) / 10_000)
      return (act.amount - fee) * (given - 1)
    }
    default:
      return undefined
  }
}

type Expected = { cash: number; trades: number; activity: number }

/** By wallet, from the logs of the fills and from what the universe says was done. */
function expectAll(): Map<string, Expected> {
  const all = new Map<string, Expected>()
  const open = (wallet: string) => {
    const known = all.get(wallet) ?? { cash: 0, trades: 0, activity: 0 }
    all.set(wallet, known)
    return known
  }
  for (const { maker, isSell, usd, isCombo, timeSec } of world.fills) {
    if (isCombo || timeSec < FROM_SEC) continue
    const expected = open(maker)
    expected.trades++
    expected.cash += isSell ? Number(usd) : -Number(usd)
  }
  const { chain } = world.universe
  for (let block = chain.firstNumber; chain.block(block) !== undefined; block++) {
    const { transactions = [], timestampSec = 0 } = chain.block(block) ?? {}
    if (timestampSec < FROM_SEC) continue
    for (const { act } of transactions) {
      const cash = settlementOf(act)
      if (cash === undefined || !('wallet' in act)) continue
      const expected = open(act.wallet.address)
      expected.activity++
      expected.cash += cash
    }
  }
  return all
}

test('scores of wallets of the simulated universe are the cash flows of the chain', async () => {
  const expected = [...expectAll()].sort(([, a], [, b]) => b.activity - a.activity)
  const batches = counts({ short: 4, long: 50 })
  const chosen = expected.slice(0, batches * WALLETS_PER_BATCH)
  expect(chosen.some(([, { activity }]) => activity > 1)).toBe(true)
  for (let from = 0; from < chosen.length; from += WALLETS_PER_BATCH) {
    const batch = chosen.slice(from, from + WALLETS_PER_BATCH)
    const reply = await world.app.inject({
      method: 'POST',
      url: '/v2/copy-pnl/batch',
      headers: { 'x-api-key': world.key },
      payload: { addresses: batch.map(([wallet]) => wallet), from: FROM_SEC },
    })
    expect(reply.statusCode, reply.body).toBe(200)
    for (const [index, [wallet, { cash, trades, activity }]] of batch.entries()) {
      const result = reply.json().results[index]
      expect(result).toMatchObject({
        wallet,
        trade_count: trades,
        partial: false,
        sources: { window_trades: trades, window_activity: activity },
      })
      expect(result.actual_pnl_usdc).toBeCloseTo(cash / 1e6, 1)
      expect(Math.abs(result.actual_pnl_usdc * 100 - cash / 1e4)).toBeLessThanOrEqual(0.5001)
    }
  }
})
