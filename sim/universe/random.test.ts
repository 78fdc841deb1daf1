import { describe, expect, test } from 'vitest'
import { bell, hash32, Lottery, Rng, unit } from './random.js'

const COUNT = 20_000
const draws = <T>(draw: (index: number) => T): T[] => Array.from({ length: COUNT }, (_, i) => draw(i))

function moments(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return { mean, deviation: Math.sqrt(square) }
}

describe('chance by index', () => {
  test('is the same for the same arguments, and every one of them counts', () => {
    expect(hash32(1, 2, 3, 4)).toBe(hash32(1, 2, 3, 4))
    const others = [hash32(2, 2, 3, 4), hash32(1, 3, 3, 4), hash32(1, 2, 4, 4), hash32(1, 2, 3, 5)]
    expect(new Set([...others, hash32(1, 2, 3, 4)]).size).toBe(5)
    expect(hash32(1, 5)).not.toBe(hash32(1, 5 + 2 ** 32))
  })

  test('is even, and not alike for neighbours', () => {
    const values = draws((index) => unit(7, index))
    const { mean, deviation } = moments(values)
    expect(mean).toBeCloseTo(0.5, 1)
    expect(deviation).toBeCloseTo(Math.sqrt(1 / 12), 2)
    const products = values.slice(1).map((value, i) => (value - 0.5) * ((values[i] ?? 0) - 0.5))
    expect(Math.abs(moments(products).mean)).toBeLessThan(0.003)
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...values)).toBeLessThan(1)
  })

  test('has the shape of a bell', () => {
    const { mean, deviation } = moments(draws((index) => bell(7, index, 3)))
    expect(Math.abs(mean)).toBeLessThan(0.03)
    expect(deviation).toBeCloseTo(1, 1)
  })
})

describe('a stream of chance', () => {
  test('is the same again, and another for another purpose', () => {
    const take = (rng: Rng) => Array.from({ length: 5 }, () => rng.next())
    expect(take(new Rng(1, 2, 3))).toEqual(take(new Rng(1, 2, 3)))
    expect(take(new Rng(1, 2, 3))).not.toEqual(take(new Rng(1, 2, 4)))
  })

  test('draws whole numbers and truths as often as it should', () => {
    const rng = new Rng(4, 4)
    const counts = [0, 0, 0]
    for (const value of draws(() => rng.below(3))) counts[value] = (counts[value] ?? 0) + 1
    for (const count of counts) expect(count / COUNT).toBeCloseTo(1 / 3, 1)
    expect(draws(() => rng.chance(0.2)).filter(Boolean).length / COUNT).toBeCloseTo(0.2, 1)
    expect(() => rng.pick([])).toThrow(RangeError)
  })

  test.each([0.05, 2, 29, 31, 400])('counts %d events on average', (expected) => {
    const rng = new Rng(4, 5)
    const { mean, deviation } = moments(draws(() => rng.poisson(expected)))
    expect(mean / expected).toBeGreaterThan(0.93)
    expect(mean / expected).toBeLessThan(1.07)
    expect(deviation / Math.sqrt(expected)).toBeGreaterThan(0.93)
    expect(deviation / Math.sqrt(expected)).toBeLessThan(1.07)
  })

  test('is normal where that is asked for', () => {
    const rng = new Rng(4, 6)
    const { mean, deviation } = moments(draws(() => rng.normal()))
    expect(Math.abs(mean)).toBeLessThan(0.03)
    expect(deviation).toBeCloseTo(1, 1)
  })
})

describe('a lottery', () => {
  test('draws by weight, and never what weighs nothing', () => {
    const weights = { a: 1, b: 0, c: 3, d: 6 }
    const names = Object.keys(weights) as (keyof typeof weights)[]
    const lottery = new Lottery(names, (name) => weights[name])
    const rng = new Rng(9, 9)
    const drawn = draws(() => lottery.draw(rng))
    const share = (name: string) => drawn.filter((each) => each === name).length / COUNT
    for (const name of names) expect(share(name)).toBeCloseTo(weights[name] / 10, 1)
    expect(share('b')).toBe(0)
  })

  test('without tickets has no winner', () => {
    expect(() => new Lottery([], () => 1).draw(new Rng(1, 1))).toThrow(RangeError)
  })
})
