import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LogBody } from '../contracts/log.js'
import { matchesLog, readLogFilter } from './log-filter.js'

const hash = fc.integer({ min: 0, max: 3 }).map((n) => `0x${`${n}`.padStart(64, 'a')}`)
const address = fc.integer({ min: 0, max: 2 }).map((n) => `0x${`${n}`.padStart(40, 'b')}`)
const log = fc.record({
  address,
  topics: fc.array(hash, { maxLength: 4 }),
  data: fc.constant('0x'),
})
const orList = fc.oneof(fc.constant(null), hash, fc.array(hash, { maxLength: 3 }))
const filter = fc.record(
  {
    address: fc.oneof(address, fc.array(address, { maxLength: 3 })),
    topics: fc.array(orList, { maxLength: 4 }),
  },
  { requiredKeys: [] },
)

type Filter = { address?: string | string[]; topics?: (string | string[] | null)[] }

/** The rule as the protocol words it, without any preparation. */
function naive({ address: addresses = [], topics = [] }: Filter, { address, topics: has }: LogBody) {
  const any = (accepted: string | string[] | null, value: string | undefined) => {
    const list = [accepted ?? []].flat()
    return list.length === 0 || (value !== undefined && list.includes(value))
  }
  return (
    any(addresses, address) &&
    topics.length <= has.length &&
    topics.every((accepted, position) => any(accepted, has[position]))
  )
}

describe('log filters', () => {
  test('match exactly what the protocol says', () => {
    fc.assert(
      fc.property(filter, log, (json, body) => {
        expect(matchesLog(readLogFilter(json), body)).toBe(naive(json, body))
      }),
      { numRuns: 2_000 },
    )
  })

  test('upper-case letters match too', () => {
    const body = { address: `0x${'ab'.repeat(20)}`, topics: [], data: '0x' }
    expect(matchesLog(readLogFilter({ address: `0x${'AB'.repeat(20)}` }), body)).toBe(true)
  })

  test.each([
    [{ address: '0x12' }],
    [{ address: [7] }],
    [{ topics: 'x' }],
    [{ topics: [['0x12']] }],
    [{ topics: [null, null, null, null, null] }],
  ])('%o is refused', (json) => {
    expect(() => readLogFilter(json)).toThrow()
  })
})
