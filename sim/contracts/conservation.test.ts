import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Fill, isV1, type Match } from '../universe/acts.js'
import { payoutOfBoth } from '../universe/outcomes.js'
import type { Wallet } from '../universe/wallet.js'
import { ADDRESS, WORD } from './addresses.js'
import { encodeAct } from './encode.js'
import type { LogBody } from './log.js'
import { createMatch, oneOfEach, type Resting } from './test-acts.js'
import { Ledger, RESERVES } from './test-ledger.js'
import { createCombo, createEvent, createWallet, first, onlyMarket } from './test-world.js'
import { TOPIC } from './topics.js'

const RUNS = { seed: 137, numRuns: 100 }
const wallets = Array.from({ length: 6 }, (_, index) => createWallet(index))
const alone = onlyMarket()
const event = createEvent(5, 37)
const grouped = first(event.markets)
const combo = createCombo(event)

const wallet = fc.constantFrom(...wallets)
const amount = fc.integer({ min: 2, max: 10 ** 12 })

const resting: fc.Arbitrary<Resting> = fc
  .record({
    wallet,
    trades: fc.boolean(),
    shares: amount,
    price: part(),
    feePart: part(),
    refund: fc.nat(10 ** 9),
  })
  .map(({ price, feePart, ...rest }) => {
    const usd = Math.max(1, Math.floor(rest.shares * price))
    return { ...rest, usd, fee: Math.floor(Math.min(usd, rest.shares) * feePart * 0.1) }
  })

const match: fc.Arbitrary<Match> = fc
  .record({
    venue: fc.constantFrom(
      { exchange: 'v1' as const, of: alone },
      { exchange: 'v1NegRisk' as const, of: grouped },
      { exchange: 'v2' as const, of: alone },
      { exchange: 'v2NegRisk' as const, of: grouped },
      { exchange: 'v3' as const, of: combo },
    ),
    outcome: fc.constantFrom(0 as const, 1 as const),
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    taker: wallet,
    fee: fc.integer({ min: 0, max: 10_000 }),
    refund: fc.integer({ min: 0, max: 10_000 }),
    makers: fc.array(resting, { minLength: 1, maxLength: 4 }),
  })
  .map(({ venue, ...plan }) => createMatch({ ...venue, ...plan }))

describe('a match', () => {
  test('gives and takes exactly what the fills say', () => {
    fc.assert(
      fc.property(match, (act) => {
        const ledger = new Ledger().fold(encodeAct(act))
        const expected = dueOf(act)
        for (const each of wallets) {
          expect(ledger.holdings(each.word)).toEqual(expected.get(each) ?? {})
        }
      }),
      RUNS,
    )
  })

  test('leaves nothing in the hands of a middleman', () => {
    fc.assert(
      fc.property(match, (act) => {
        expectEmptyHands(encodeAct(act))
      }),
      RUNS,
    )
  })
})

test.each(oneOfEach())('no middleman keeps anything of: $name', ({ act }) => {
  expectEmptyHands(encodeAct(act))
})

describe('redemption', () => {
  const redeem = fc.record({
    kind: fc.constant('redeem' as const),
    route: fc.constantFrom('direct' as const, 'adapter' as const, 'auto' as const),
    wallet,
    market: fc.constantFrom(alone, grouped),
    amounts: fc.tuple(fc.nat(10 ** 9), fc.nat(10 ** 9)),
    payouts: fc.constantFrom([1, 0] as const, [0, 1] as const, [1, 1] as const),
  })

  test('burns what is given and pays what it is worth', () => {
    fc.assert(
      fc.property(redeem, (act) => {
        const ledger = new Ledger().fold(encodeAct(act))
        const money = act.route === 'direct' ? ADDRESS.usdce : ADDRESS.pusd
        const payout = payoutOfBoth(act.amounts, act.payouts)
        const expected: Record<string, number> = {}
        add(expected, money, payout)
        for (const token of act.market.tokens) {
          add(expected, token.word, -act.amounts[token.outcome])
          expect(ledger.supply(token.word)).toBe(expected[token.word] ?? 0)
        }
        expect(ledger.holdings(act.wallet.word)).toEqual(expected)
        expectEmptyHands(encodeAct(act))
      }),
      RUNS,
    )
  })

  test('an odd draw loses a unit on each side', () => {
    expect(payoutOfBoth([3, 5], [1, 1])).toBe(3)
  })
})

describe('the conditional tokens', () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('split' as const),
      era: fc.constantFrom('v1' as const, 'v2' as const),
      wallet,
      market: fc.constantFrom(...event.markets),
      amount,
    }),
    fc.record({
      kind: fc.constant('merge' as const),
      era: fc.constantFrom('v1' as const, 'v2' as const),
      wallet,
      market: fc.constantFrom(...event.markets),
      amount,
    }),
    fc.record({
      kind: fc.constant('convert' as const),
      route: fc.constantFrom('direct' as const, 'adapter' as const),
      wallet,
      event: fc.constant(event),
      indexSet: fc.integer({ min: 1, max: 31 }),
      amount,
    }),
  )

  test('hold for each condition what its shares can claim, conversions or not', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (acts) => {
        const logs = acts.flatMap((act) => encodeAct(act))
        const ledger = new Ledger().fold(logs)
        let claims = 0
        for (const market of event.markets) {
          const [yes, no] = market.tokens
          const backing = backingOf(market.conditionId, logs)
          expect(ledger.supply(yes.word)).toBe(backing)
          expect(ledger.supply(no.word)).toBe(backing)
          claims += backing
        }
        expect(ledger.balance(WORD.ctf, ADDRESS.wcol)).toBe(claims)
        expect(ledger.supply(ADDRESS.wcol)).toBe(claims)
      }),
      RUNS,
    )
  })

  test('parked shares make up for the money that conversions borrow', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (acts) => {
        const ledger = new Ledger().fold(acts.flatMap((act) => encodeAct(act)))
        const borrowed = ledger.supply(ADDRESS.wcol) - ledger.balance(WORD.wcol, ADDRESS.usdce)
        // Whichever question comes true, all parked NO but its own would have paid.
        for (const winner of event.markets) {
          let unclaimed = 0
          for (const market of event.markets) {
            const parked = ledger.balance(WORD.negRiskBurn, market.tokens[1].word)
            if (market !== winner) unclaimed += parked
          }
          expect(unclaimed).toBe(borrowed)
        }
      }),
      RUNS,
    )
  })
})

/** What each wallet should have more or less of, by asset. */
function dueOf(act: Match): Map<Wallet, Record<string, number>> {
  const due = new Map<Wallet, Record<string, number>>()
  const money = isV1(act.exchange) ? ADDRESS.usdce : ADDRESS.pusd
  const book = ({ order, shares, usd, ...fill }: Fill) => {
    const fee = fill.fee - fill.refund
    const held = due.get(order.wallet) ?? {}
    due.set(order.wallet, held)
    const feeInShares = isV1(act.exchange) && order.side === 'BUY'
    const sign = order.side === 'BUY' ? 1 : -1
    add(held, order.token.word, sign * shares - (feeInShares ? fee : 0))
    add(held, money, -sign * usd - (feeInShares ? 0 : fee))
  }
  for (const fill of [act.taker, ...act.makers]) book(fill)
  return due
}

function add(held: Record<string, number>, asset: string, amount: number): void {
  const sum = (held[asset] ?? 0) + amount
  if (sum === 0) delete held[asset]
  else held[asset] = sum
}

function expectEmptyHands(logs: readonly LogBody[]): void {
  const ledger = new Ledger().fold(logs)
  for (const [name, address] of Object.entries(ADDRESS)) {
    if (RESERVES.includes(address)) continue
    expect(ledger.holdings(WORD[name as keyof typeof WORD]), name).toEqual({})
  }
}

/** Splits less merges of a condition, as the conditional tokens log them. */
function backingOf(conditionId: string, logs: readonly LogBody[]): number {
  let sum = 0
  for (const { topics, data } of logs) {
    if (topics[3] !== conditionId) continue
    const amount = Number(`0x${data.slice(2 + 2 * 64, 2 + 3 * 64)}`)
    if (topics[0] === TOPIC.positionSplit) sum += amount
    if (topics[0] === TOPIC.positionsMerge) sum -= amount
  }
  return sum
}

function part(): fc.Arbitrary<number> {
  return fc.double({ min: 0.01, max: 0.99, noNaN: true })
}
