import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buy, give, type Holding, sell } from './position.js'

const flat = (): Holding => ({ held: 0n, cost: 0n, realized: 0n, bought: 0n, boughtCost: 0n })

const amounts = fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 2n ** 53n))

test('a sale takes its part of the cost along', () => {
  const holding = flat()
  buy(holding, 150n, 70n)
  expect(sell(holding, 60n, 50n)).toBe(50n - 28n)
  expect(holding).toEqual({ held: 90n, cost: 42n, realized: 22n, bought: 150n, boughtCost: 70n })
})

test('what a division leaves over stays with the shares that are held', () => {
  const holding = flat()
  buy(holding, 3n, 2n)
  expect(sell(holding, 1n, 5n)).toBe(5n)
  expect(holding.cost).toBe(2n)
})

test('a negative cost is divided toward zero as well', () => {
  const holding = flat()
  buy(holding, 3n, -2n)
  expect(give(holding, 1n)).toBe(0n)
  expect(give(holding, 1n)).toBe(-1n)
  expect(give(holding, 1n)).toBe(-1n)
  expect(holding.cost).toBe(0n)
})

test('a sale of more than is held counts what is held, with as much of the money', () => {
  const holding = flat()
  buy(holding, 10n, 4n)
  expect(sell(holding, 15n, 10n)).toBe(6n - 4n)
  expect(sell(holding, 15n, 10n)).toBe(0n)
  expect(holding).toEqual({ held: 0n, cost: 0n, realized: 2n, bought: 10n, boughtCost: 4n })
})

test('money for no shares is not booked', () => {
  const holding = flat()
  buy(holding, 0n, 5n)
  expect(holding).toEqual(flat())
})

test('a flat holding carries no cost, whatever was done before', () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom('buy', 'sell', 'give'), amounts, fc.bigInt(-(2n ** 53n), 2n ** 53n)),
  )
  fc.assert(
    fc.property(steps, (taken) => {
      const holding = flat()
      for (const [kind, shares, usd] of taken) {
        if (kind === 'buy') buy(holding, shares, usd)
        else if (kind === 'sell') sell(holding, shares, usd < 0n ? -usd : usd)
        else give(holding, shares)
        expect(holding.held).toBeGreaterThanOrEqual(0n)
        if (holding.held === 0n) expect(holding.cost).toBe(0n)
      }
      give(holding, holding.held)
      expect(holding.cost).toBe(0n)
    }),
  )
})
