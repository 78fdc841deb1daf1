import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { oneOfEach } from '../contracts/test-acts.js'
import type { Act } from './acts.js'
import { Ledger } from './ledger.js'
import type { Token } from './market.js'
import { Universe } from './universe.js'
import type { Wallet } from './wallet.js'

const START_MS = Date.UTC(2026, 10, 12, 6)
const universe = new Universe({ seed: 11, startMs: START_MS, intensity: 8 })
universe.advance(START_MS + 2 * 3_600_000)

const { chain, wallets } = universe
const lived: Act[] = []
for (let number = chain.firstNumber; number <= chain.head.number; number++) {
  for (const { act } of chain.block(number)?.transactions ?? []) lived.push(act)
}
const tokens = new Set(universe.settledActs.matches.flatMap(({ tx }) => [...tx.act.of.tokens] as Token[]))

/** Everything that a ledger says of the given wallets. */
const show = (ledger: Ledger, of: Iterable<Wallet>) =>
  [...of].map((wallet) => ({
    cash: ledger.cash(wallet),
    holdings: [...ledger.holdings(wallet)].map(([token, amount]) => `${token.decimal} ${amount}`).sort(),
  }))

describe('taking an act back', () => {
  const acts = oneOfEach().map(({ act }) => act)

  test('leaves nothing of any act, in any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(acts), fc.shuffledSubarray(acts), (done, undone) => {
        const ledger = new Ledger()
        for (const act of done) ledger.apply(act, 1)
        const people = peopleIn([...done, ...undone])
        const before = show(ledger, people)
        for (const act of undone) ledger.apply(act, 1)
        for (const act of undone) ledger.apply(act, -1)
        expect(show(ledger, people)).toEqual(before)
      }),
      { numRuns: 30 },
    )
  })

  function peopleIn(some: readonly Act[]): Set<Wallet> {
    return new Set(
      some.flatMap((act) => {
        if (act.kind === 'match') return [act.taker, ...act.makers].map(({ order }) => order.wallet)
        if (act.kind === 'transfer') return [act.from, act.to]
        return 'wallet' in act ? [act.wallet] : []
      }),
    )
  }
})

describe('a history', () => {
  const ledger = new Ledger()
  for (const act of lived) ledger.apply(act, 1)

  test('has every kind of act', () => {
    const kinds = new Set(lived.map(({ kind }) => kind))
    for (const kind of ['match', 'split', 'merge', 'redeem', 'convert', 'deposit', 'transfer']) {
      expect(kinds).toContain(kind)
    }
  })

  test('adds up to what the settled acts say', () => {
    for (const wallet of wallets) expect(ledger.cash(wallet)).toBe(universe.settledActs.cash(wallet))
    for (const token of tokens) {
      expect([...ledger.holders(token)]).toEqual(
        expect.arrayContaining([...universe.settledActs.holders(token)]),
      )
    }
  })

  test('leaves no wallet with less than nothing', () => {
    const amounts = [...wallets].flatMap((wallet) => [...ledger.holdings(wallet).values()])
    expect(amounts.length).toBeGreaterThan(1_000)
    expect(Math.min(...amounts)).toBeGreaterThan(0)
    expect(Math.min(...wallets.map((wallet) => ledger.cash(wallet)))).toBeGreaterThanOrEqual(0)
  })

  test('has as many shares of one outcome as of the other until the result', () => {
    for (const token of tokens) {
      const { of } = token
      if (token.outcome === 1 || of.kind === 'combo' || of.event.negRisk !== undefined) continue
      if (of.resolvesMs <= universe.nowMs || of.createdMs < START_MS) continue
      const sum = (outcome: 0 | 1) =>
        [...ledger.holders(of.tokens[outcome]).values()].reduce(
          (total, held) => total + held,
          ledger.parked(of)[outcome],
        )
      expect(sum(0)).toBe(sum(1))
    }
  })

  test('undone as a whole leaves an empty ledger', () => {
    for (const act of lived.toReversed()) ledger.apply(act, -1)
    for (const wallet of wallets) {
      expect([ledger.cash(wallet), ledger.holdings(wallet).size]).toEqual([0, 0])
    }
  })
})
