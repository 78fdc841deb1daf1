import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brokenJson } from '../../../test/mutate-json.js'
import { ParseError } from '../transport/parse-json.js'
import { parseRtdsFrame } from './rtds-parse.js'

const NOW_MS = 1_791_000_001_200
const FRAMES = JSON.parse(readFileSync(new URL('./fixtures/rtds.json', import.meta.url), 'utf8'))

const parse = (frame: unknown) => parseRtdsFrame(JSON.stringify(frame), NOW_MS)
const withPayload = (change: object) => ({
  ...FRAMES.chainlink,
  payload: { ...FRAMES.chainlink.payload, ...change },
})

const withoutField = (name: string) => ({
  ...FRAMES.twapSixty,
  payload: { ...FRAMES.twapSixty.payload, [name]: undefined },
})

describe('ticks', () => {
  test('an oracle price, exact', () => {
    expect(parse(FRAMES.chainlink)).toEqual({
      kind: 'ticks',
      ticks: [
        {
          coin: 'eth',
          kind: 'spot',
          source: 'rtds',
          provider: 'chainlink',
          timestampMs: 1_791_000_000_000,
          price: '3120.550000000000001234',
          priceE18: 3_120_550_000_000_000_001_234n,
          receivedMs: NOW_MS,
        },
      ],
    })
  })

  test('a mean, its time as text; an exchange price without the exact value', () => {
    expect(parse([FRAMES.twapSixty, FRAMES.binance])).toMatchObject({
      ticks: [
        { coin: 'eth', kind: 'twap60', timestampMs: 1_791_000_000_000, price: '3119.9' },
        { coin: 'btc', kind: 'binance', provider: 'binance', price: '65432.1' },
      ],
    })
  })

  test('a snapshot is the ticks in it', () => {
    expect(parse(FRAMES.snapshot)).toMatchObject({
      ticks: [
        { coin: 'btc', kind: 'spot', timestampMs: 1_790_999_999_000, price: '65430' },
        { coin: 'btc', kind: 'spot', timestampMs: 1_791_000_000_000, price: '65431.5' },
      ],
    })
  })
})

describe('frames', () => {
  test.each(['', ' \n', 'PONG'])('%j answers a ping', (text) => {
    expect(parseRtdsFrame(text, NOW_MS)).toBeUndefined()
  })

  test('other topics, and prices in other money, are passed over', () => {
    expect(parse(FRAMES.activity)).toBeUndefined()
    expect(parse(withPayload({ symbol: 'eth/eur' }))).toBeUndefined()
    expect(parse([withPayload({ symbol: 'ethbtc' }), FRAMES.binance])).toMatchObject({
      ticks: [{ coin: 'btc' }],
    })
  })

  test('a rejection is returned as one', () => {
    expect(parse(FRAMES.rejection)).toEqual({ kind: 'rejected', message: 'Invalid request body' })
  })

  test.each([
    ['half a frame', JSON.stringify(FRAMES.chainlink).slice(0, 90)],
    ['no price', JSON.stringify(withPayload({ value: undefined, full_accuracy_value: undefined }))],
    ['a price of zero', JSON.stringify(withPayload({ full_accuracy_value: '0' }))],
    ['a negative price', JSON.stringify(withPayload({ full_accuracy_value: '', value: -1 }))],
    ['a time far ahead', JSON.stringify(withPayload({ timestamp: NOW_MS + 10_001 }))],
    ['a time in seconds', JSON.stringify(withPayload({ timestamp: 1_791_000_000 }))],
    ['a symbol that is none', JSON.stringify(withPayload({ symbol: 7 }))],
    ['a mean of other seconds', JSON.stringify(withPayload({ window_s: 30 }))],
    ['a mean of unknown seconds', JSON.stringify(withoutField('window_s'))],
    ['a mean without its exact value', JSON.stringify(withoutField('full_accuracy_value'))],
    ['neither topic nor message', '{}'],
  ])('refused: %s', (_name, text) => {
    expect(() => parseRtdsFrame(text, NOW_MS)).toThrow(ParseError)
  })

  test('whatever comes, nothing but a ParseError is thrown', () => {
    fc.assert(
      fc.property(brokenJson(Object.values(FRAMES)), (text) => {
        try {
          parseRtdsFrame(text, NOW_MS)
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
