import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Universe } from '../../../sim/universe/universe.js'
import { attributeBatch } from '../attribute/attribute-batch.js'
import { simulatedLogs } from '../attribute/test-simulated-logs.js'
import { type BatchFacts, createBatchFacts } from '../facts/registry.js'
import { packFacts, unpackFacts } from './pack-facts.js'

const START_MS = Date.UTC(2026, 10, 3)

const roundTrip = (facts: BatchFacts) => unpackFacts(createBatchFacts(), packFacts(facts))

/** Facts with whatever fields, as a kind that does not exist yet may have. */
const asFacts = (transfers: readonly object[]) =>
  ({ ...createBatchFacts(), transfers }) as unknown as BatchFacts

test('facts of a simulated chain come back as they were, also in parts', () => {
  const universe = new Universe({ seed: 5, startMs: START_MS, intensity: 0.2 })
  universe.advance(START_MS + 40 * 60_000)
  const logs = simulatedLogs(universe)
  const facts = attributeBatch({ logs, blocks: [] })
  expect(Object.values(facts).filter((list) => list.length > 0).length).toBeGreaterThan(12)
  expect(roundTrip(facts)).toEqual(facts)
  const middle = logs[Math.floor(logs.length / 2)]?.at.blockNumber ?? 0
  const lower = attributeBatch({ logs: logs.filter(({ at }) => at.blockNumber < middle), blocks: [] })
  const upper = attributeBatch({ logs: logs.filter(({ at }) => at.blockNumber >= middle), blocks: [] })
  const joined = [lower, upper].map(packFacts).reduce(unpackFacts, createBatchFacts())
  expect(joined.fills).toEqual(facts.fills)
  expect(joined.transfers).toEqual(facts.transfers)
})

test('any values come back, and a fact may lack a field', () => {
  const value = fc.oneof(
    fc.constant(undefined),
    fc.boolean(),
    fc.double({ noNaN: true }),
    fc.bigInt({ min: -(2n ** 260n), max: 2n ** 260n }),
    fc.string({ unit: 'grapheme' }),
  )
  const fact = fc.record(
    { seq: fc.nat(), a: value, b: value, list: fc.array(fc.oneof(value, fc.array(value))) },
    { requiredKeys: ['seq'] },
  )
  fc.assert(
    fc.property(fc.array(fact), (facts) => {
      expect(roundTrip(asFacts(facts))).toEqual(asFacts(facts))
    }),
  )
})

test('more than the first buffer holds', () => {
  const facts = Array.from({ length: 50_000 }, (_, seq) => ({
    seq,
    text: `wallet ${seq % 7}`,
    n: BigInt(seq),
  }))
  expect(roundTrip(asFacts(facts))).toEqual(asFacts(facts))
})

test('a value of another type is an error, not a hole', () => {
  expect(() => packFacts(asFacts([{ seq: 1, date: new Date(0) }]))).toThrow('cannot be packed')
})
