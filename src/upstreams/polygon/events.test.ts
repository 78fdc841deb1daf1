import fc from 'fast-check'
import { decodeEventLog, type Hex, toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { CONTRACTS, EXCHANGES } from './contracts.js'
import { LogDecoder } from './decode.js'
import { ROLE_EVENTS } from './events.js'
import { KNOWN_TOPICS, WATCHED } from './filter.js'
import { type Arguments, argumentsOf, EVENTS, encode, expectedEvent, parse } from './test-events.js'

const decoder = new LogDecoder()

describe('the tables', () => {
  test.each(EVENTS)('$role $kind has the hash of its signature', ({ topic0, signature }) => {
    expect(toEventSelector(parse(signature))).toBe(topic0)
  })

  test('no role has an event twice', () => {
    for (const decoders of Object.values(ROLE_EVENTS)) {
      expect(new Set(decoders.map(({ topic0 }) => topic0)).size).toBe(decoders.length)
    }
  })

  test('every contract is there once, in lower case', () => {
    const addresses = CONTRACTS.map(({ address }) => address)
    expect(new Set(addresses).size).toBe(addresses.length)
    for (const address of addresses) expect(address).toMatch(/^0x[0-9a-f]{40}$/)
    expect(EXCHANGES.size).toBe(6)
  })

  test('what is watched is ours, and leaves out the tokens of the whole chain', () => {
    expect(WATCHED.address).toContain('0xe111180000d2663c0091e4f400237545b87b996b')
    expect(WATCHED.address).not.toContain('0x2791bca1f2de4661ed88a30c99a7a9449aa84174')
    expect(new Set(KNOWN_TOPICS).size).toBe(KNOWN_TOPICS.length)
  })
})

describe('every event, with random contents, decodes as viem decodes it', () => {
  test.each(EVENTS)('$role $kind', ({ role, kind, signature }) => {
    const item = parse(signature)
    fc.assert(
      fc.property(argumentsOf(item), (args) => {
        const log = encode(role, item, args)
        const event = decoder.decode(log)
        const { args: decoded } = decodeEventLog({
          abi: [item],
          topics: log.topics as [Hex],
          data: log.data as Hex,
        })
        expect(event?.kind).toBe(kind)
        expect(event).toMatchObject(expectedEvent(item, decoded as unknown as Arguments))
      }),
      { numRuns: 20 },
    )
  })
})
