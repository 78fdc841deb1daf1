import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMatch } from '../contracts/test-acts.js'
import { createWallet, onlyMarket } from '../contracts/test-world.js'
import type { Side } from './acts.js'
import type { Fair } from './fair.js'
import type { Outcome } from './market.js'
import { Quotes } from './quotes.js'

const market = onlyMarket()
const [A, B] = [createWallet(1), createWallet(2)]

const quotesAround = (fair: number) => new Quotes({ at: () => fair } as unknown as Fair)

function trade(side: Side, outcome: Outcome, shares: number) {
  const resting = { wallet: B, trades: true, shares, usd: shares / 2, fee: 0 }
  const plan = { exchange: 'v2' as const, of: market, outcome, side, taker: A, fee: 0 }
  return createMatch({ ...plan, makers: [resting] })
}

const fair = fc.double({ min: 0.004, max: 0.996, noNaN: true })
const outcome = fc.constantFrom<Outcome>(0, 1)

describe('the best prices', () => {
  test('lie on the grid, within the range, around what the outcome is worth', () => {
    fc.assert(
      fc.property(fair, (worth) => {
        const { bidE4, askE4, tickE4 } = quotesAround(worth).at(market, 0, 0)
        expect([bidE4 % tickE4, askE4 % tickE4]).toEqual([0, 0])
        expect(bidE4).toBeGreaterThanOrEqual(tickE4)
        expect(askE4).toBeLessThanOrEqual(10_000 - tickE4)
        expect(bidE4).toBeLessThan(askE4)
        expect(bidE4).toBeLessThan(worth * 10_000 + tickE4)
        expect(askE4).toBeGreaterThan(worth * 10_000 - tickE4)
        expect(tickE4).toBe(worth < 0.04 || worth > 0.96 ? 10 : 100)
      }),
    )
  })

  test('of one outcome mirror those of the other', () => {
    fc.assert(
      fc.property(fair, (worth) => {
        const [first, second] = ([0, 1] as const).map((o) => quotesAround(worth).at(market, o, 0))
        expect(second).toEqual({
          bidE4: 10_000 - (first?.askE4 ?? 0),
          askE4: 10_000 - (first?.bidE4 ?? 0),
          tickE4: first?.tickE4,
        })
      }),
    )
  })
})

describe('who takes', () => {
  const middle = (quotes: Quotes, atMs: number) => {
    const { bidE4, askE4 } = quotes.at(market, 0, atMs)
    return (bidE4 + askE4) / 2
  }

  test('pushes the price, a buyer of one outcome like a seller of the other', () => {
    fc.assert(
      fc.property(outcome, fc.constantFrom<Side>('BUY', 'SELL'), (of, side) => {
        const quotes = quotesAround(0.5)
        const match = trade(side, of, 3_000_000_000)
        quotes.push(match)
        const change = middle(quotes, match.matchedMs) - 5_000
        expect(Math.sign(change)).toBe((of === 0) === (side === 'BUY') ? 1 : -1)
      }),
    )
  })

  test('pushes it no further than a limit, and for a while only', () => {
    const quotes = quotesAround(0.5)
    const match = trade('BUY', 0, 1_000_000_000_000)
    for (let times = 0; times < 5; times++) quotes.push(match)
    expect(middle(quotes, match.matchedMs)).toBeLessThanOrEqual(5_300)
    expect(middle(quotes, match.matchedMs)).toBeGreaterThan(5_100)
    expect(middle(quotes, match.matchedMs + 10 * 60_000)).toBe(5_000)
    quotes.forget(market)
    expect(middle(quotes, match.matchedMs)).toBe(5_000)
  })

  test('never makes the bid reach the ask, whatever the outcome is worth', () => {
    fc.assert(
      fc.property(fair, fc.constantFrom<Side>('BUY', 'SELL'), outcome, (worth, side, of) => {
        const quotes = quotesAround(worth)
        const match = trade(side, 0, 1_000_000_000_000)
        quotes.push(match)
        const { bidE4, askE4, tickE4 } = quotes.at(market, of, match.matchedMs)
        expect([bidE4 % tickE4, askE4 % tickE4]).toEqual([0, 0])
        expect(bidE4).toBeGreaterThanOrEqual(tickE4)
        expect(askE4).toBeLessThanOrEqual(10_000 - tickE4)
        expect(bidE4).toBeLessThan(askE4)
      }),
      {
        examples: [
          [0.996, 'BUY', 0],
          [0.996, 'BUY', 1],
        ],
      },
    )
  })
})
