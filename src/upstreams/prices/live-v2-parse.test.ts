import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brokenJson } from '../../../test/mutate-json.js'
import { ParseError } from '../transport/parse-json.js'
import { parseLiveV2Frame } from './live-v2-parse.js'

const NOW_MS = 1_791_000_000_600
const FRAMES = JSON.parse(readFileSync(new URL('./fixtures/live-v2.json', import.meta.url), 'utf8'))

const parse = (frame: unknown) => parseLiveV2Frame(JSON.stringify(frame), NOW_MS)

describe('data', () => {
  test('a spot price says whose it is', () => {
    expect(parse(FRAMES.spot)).toEqual({
      kind: 'data',
      channel: 'price.crypto',
      seq: 7,
      dropped: 0,
      ticks: [
        {
          coin: 'btc',
          kind: 'spot',
          source: 'live_v2',
          provider: 'pyth',
          timestampMs: 1_791_000_000_000,
          price: '65431.51234567',
          priceE18: 65_431_512_345_670_000_000_000n,
          receivedMs: NOW_MS,
        },
      ],
    })
  })

  test('a mean, with what the server left out before it', () => {
    expect(parse(FRAMES.twap)).toMatchObject({
      seq: 8,
      dropped: 3,
      ticks: [{ coin: 'hype', kind: 'twap60', provider: 'chainlink', price: '41.250000000000000001' }],
    })
  })

  test('a snapshot is the ticks in it, and may be empty', () => {
    expect(parse(FRAMES.snapshot)).toMatchObject({
      ticks: [
        { coin: 'btc', timestampMs: 1_790_999_999_000, price: '65430' },
        { coin: 'btc', timestampMs: 1_791_000_000_000, price: '65431.5' },
      ],
    })
    expect(parse(FRAMES.twapSnapshot)).toMatchObject({ ticks: [{ coin: 'hype', kind: 'twap60' }] })
    const payload = { ...FRAMES.snapshot.payload, data: [] }
    expect(parse({ ...FRAMES.snapshot, payload })).toMatchObject({ kind: 'data', ticks: [] })
  })
})

test('a price that is carried forward is none', () => {
  const carried = (is_carried_forward: unknown) =>
    parse({ ...FRAMES.spot, payload: { ...FRAMES.spot.payload, is_carried_forward } })
  expect(carried(true)).toMatchObject({ kind: 'data', seq: 7, ticks: [] })
  expect(carried(false)).toMatchObject({ ticks: [{ coin: 'btc' }] })
})

describe('answers', () => {
  test('are distinguished', () => {
    expect(parse(FRAMES.authed)).toEqual({ kind: 'authed' })
    expect(parse(FRAMES.refused)).toEqual({ kind: 'error', code: 'auth_invalid', rid: 'auth' })
    expect(parse(FRAMES.subscribed)).toEqual({
      kind: 'subscribed',
      channel: 'price.crypto',
      provider: 'pyth',
    })
    expect(parse(FRAMES.pong)).toBeUndefined()
    expect(parse({ ...FRAMES.spot, channel: 'price.equity' })).toBeUndefined()
  })

  test.each([
    ['half a frame', JSON.stringify(FRAMES.spot).slice(0, 60)],
    ['nothing', ''],
    ['no number', JSON.stringify({ ...FRAMES.spot, seq: undefined })],
    ['a mean of other seconds', JSON.stringify(FRAMES.twap).replace('s":60', 's":30')],
    ['a mean of unknown seconds', JSON.stringify(FRAMES.twap).replace('window_', '')],
    ['a snapshot of means of unknown seconds', JSON.stringify(FRAMES.twapSnapshot).replace('window_', '')],
    ['another version', JSON.stringify({ ...FRAMES.spot, v: 2 })],
    ['no exact price', JSON.stringify(FRAMES.spot).replace('full_accuracy_value', 'about')],
    ['a price of zero', JSON.stringify(FRAMES.spot).replace('"65431.51234567"', '"0.0"')],
  ])('refused: %s', (_name, text) => {
    expect(() => parseLiveV2Frame(text, NOW_MS)).toThrow(ParseError)
  })

  test('whatever comes, nothing but a ParseError is thrown', () => {
    fc.assert(
      fc.property(brokenJson(Object.values(FRAMES)), (text) => {
        try {
          parseLiveV2Frame(text, NOW_MS)
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
