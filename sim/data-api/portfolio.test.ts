import { expect, test } from 'vitest'
import { createMatch } from '../contracts/test-acts.js'
import { createWallet, onlyMarket } from '../contracts/test-world.js'
import type { Act, Side } from '../universe/acts.js'
import type { Settled } from '../universe/settled-acts.js'
import { Universe } from '../universe/universe.js'
import { Portfolio, Portfolios } from './portfolio.js'
import { START_MS } from './test-world.js'

const market = onlyMarket()
const [first] = market.tokens
const [A, B] = [createWallet(1), createWallet(2)]

const settle = (act: Act, timestampSec = 100): Settled =>
  ({ tx: { act }, block: { timestampSec } }) as unknown as Settled

/** Ten shares at 40 cents, and a fee of 20,000 for each side. */
function trade(exchange: 'v1' | 'v2', side: Side) {
  const amounts = { shares: 10_000_000, usd: 4_000_000, fee: 20_000, refund: 20_000 }
  const plan = { exchange, of: market, outcome: 0 as const, side, taker: A, fee: 20_000 }
  return createMatch({ ...plan, makers: [{ wallet: B, trades: true, ...amounts }] })
}

function book(wallet: typeof A, ...acts: Act[]): Portfolio {
  const portfolio = new Portfolio(wallet)
  for (const [index, act] of acts.entries()) portfolio.book(settle(act, 100 + index))
  return portfolio
}

test.each([
  ['v2', 'BUY', 'taker', 20_000],
  ['v2', 'BUY', 'maker', 20_000],
  ['v1', 'BUY', 'taker', 8_000],
  ['v1', 'SELL', 'taker', 20_000],
  ['v1', 'BUY', 'maker', 0],
] as const)('the fee of a %s %s costs its %s %i', (exchange, side, role, micros) => {
  expect(book(role === 'taker' ? A : B, trade(exchange, side)).totals.fees).toBe(micros)
})

test('what is left is open, what is gone is closed and realized', () => {
  const buy = trade('v2', 'BUY')
  const bought = book(A, buy)
  expect([...bought.open.keys()]).toEqual([first])
  expect(bought.holdings.get(first)).toMatchObject({ closedSec: 0, lastSec: 100 })

  const redeem: Act = {
    kind: 'redeem',
    route: 'adapter',
    wallet: A,
    market,
    amounts: [10_000_000, 0],
    payouts: [1, 0],
  }
  const redeemed = book(A, buy, redeem)
  expect([...redeemed.open.keys()]).toEqual([])
  expect(redeemed.holdings.get(first)).toMatchObject({ closedSec: 101, lastSec: 101 })
  expect(redeemed.totals).toMatchObject({ realizedMarket: 6_000_000, realizedCombo: 0, trades: 1 })
})

test('what is booked of a wallet is what the chain says it holds', () => {
  const universe = new Universe({ seed: 21, startMs: START_MS, intensity: 4 })
  universe.advance(START_MS + 3 * 3_600_000)
  const portfolios = new Portfolios(universe)
  const differing = universe.wallets.flatMap((wallet) =>
    [...portfolios.of(wallet).holdings].filter(([token, { position }]) => {
      const { balance, held, cost } = position
      const isExact = balance === BigInt(universe.settledActs.balance(wallet, token))
      return !isExact || held < 0n || held > balance || (held === 0n && cost !== 0n)
    }),
  )
  expect(differing).toEqual([])
})
