import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyStep, NO_POSITION, type Position, type Step } from './positions.js'

type VectorStep =
  | { op: 'buy' | 'sell'; token: string; usd: string; shares: string }
  | { op: 'split' | 'merge'; tokens: string[]; amount: string }
  | { op: 'redeem'; tokens: string[]; numerators: string[] }
  | { op: 'convert'; no_tokens: string[]; yes_tokens: string[]; amount: string }

type Vector = {
  name: string
  steps: VectorStep[]
  expected: Record<string, Record<'amount' | 'avg_price' | 'realized_pnl' | 'total_bought', string>>
}

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('./fixtures/accounting.json', import.meta.url), 'utf8'),
)

function toStep(step: VectorStep): Step<string> {
  switch (step.op) {
    case 'buy':
    case 'sell':
      return { ...step, usd: BigInt(step.usd), shares: BigInt(step.shares) }
    case 'split':
    case 'merge':
      return { ...step, amount: BigInt(step.amount) }
    case 'redeem':
      return { ...step, numerators: step.numerators.map(BigInt) }
    case 'convert':
      return {
        op: 'convert',
        given: step.no_tokens,
        received: step.yes_tokens,
        amount: BigInt(step.amount),
      }
  }
}

function run(steps: Step<string>[]): Map<string, Position> {
  const book = new Map<string, Position>()
  for (const step of steps) {
    for (const [token, position] of applyStep((key) => book.get(key) ?? NO_POSITION, step)) {
      book.set(token, position)
    }
  }
  return book
}

describe('public vectors', () => {
  test.each(vectors)('$name', ({ steps, expected }) => {
    const shown = [...run(steps.map(toStep))].map(([token, position]) => [
      token,
      {
        amount: String(position.amount),
        avg_price: String(position.avgPrice),
        realized_pnl: String(position.realizedPnl),
        total_bought: String(position.totalBought),
      },
    ])
    expect(Object.fromEntries(shown)).toEqual(expected)
  })
})

test('a conversion of every question frees money and books nothing', () => {
  const book = run([
    { op: 'buy', token: 'NO0', usd: 6n, shares: 10n },
    { op: 'buy', token: 'NO1', usd: 6n, shares: 10n },
    { op: 'convert', given: ['NO0', 'NO1'], received: [], amount: 10n },
  ])
  for (const { amount, realizedPnl } of book.values()) {
    expect([amount, realizedPnl]).toEqual([0n, 0n])
  }
})

test('a fill without shares changes nothing', () => {
  expect(run([{ op: 'buy', token: 'YES', usd: 1n, shares: 0n }]).size).toBe(0)
})

const trade = fc.record({
  op: fc.constantFrom('buy' as const, 'sell' as const),
  token: fc.constant('YES'),
  shares: fc.bigInt(1n, 10n ** 12n),
  usd: fc.bigInt(0n, 10n ** 12n),
})

test('no wallet ever holds less than nothing, or more than it bought', () => {
  fc.assert(
    fc.property(fc.array(trade), (steps) => {
      const { amount, totalBought } = run(steps).get('YES') ?? NO_POSITION
      expect(amount).toBeGreaterThanOrEqual(0n)
      expect(amount).toBeLessThanOrEqual(totalBought)
    }),
  )
})

test('buying and selling at one price earns nothing', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 1_000_000n), fc.bigInt(1n, 10n ** 6n), (price, shares) => {
      const whole = shares * 1_000_000n
      const usd = price * shares
      const book = run([
        { op: 'buy', token: 'YES', usd, shares: whole },
        { op: 'sell', token: 'YES', usd, shares: whole },
      ])
      expect(book.get('YES')).toMatchObject({ amount: 0n, realizedPnl: 0n })
    }),
  )
})
