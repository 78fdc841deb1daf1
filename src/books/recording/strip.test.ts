import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { counts } from '../../../test/counts.js'
import { canonicalDecimal } from '../pn1.js'
import { compressStrip, unwrapStrip, wrapStrip } from './compression.js'
import { toCanonical, toUnits } from './decimal-code.js'
import type { RecordedChange } from './recorded-change.js'
import { decodeStrip, encodeStrip } from './strip.js'

const RUNS = { numRuns: counts({ short: 200, long: 5_000 }) }
const START_MS = Date.UTC(2026, 10, 15, 12)

const decimal = (max: number, decimals: number) =>
  fc.integer({ min: 0, max: max * 10 ** decimals }).map((units) => toCanonical(units, decimals))
const price = fc.oneof(decimal(1, 2), decimal(1, 4), decimal(1, 12))
const size = fc.oneof(
  fc.constant('0'),
  decimal(1_000, 0),
  decimal(100_000, 2),
  decimal(100_000, 6),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
)
const side = fc.constantFrom('BUY' as const, 'SELL' as const)
const text = fc.option(fc.string(), { nil: undefined })
const timestampMs = fc.integer({ min: START_MS - 5_000, max: START_MS + 5_000 })
const level = fc.record({ price, size })
const details = {
  timestampMs: fc.oneof(timestampMs, fc.constant(0)),
  hash: text,
  tickSize: text,
  minOrderSize: text,
  negRisk: fc.option(fc.boolean(), { nil: undefined }),
  lastTradePrice: text,
  isAbsent: fc.boolean(),
}
const book = fc.record({
  ...details,
  bids: fc.array(level, { maxLength: 5 }),
  asks: fc.array(level, { maxLength: 5 }),
})
const body = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('level' as const),
      side,
      price,
      size,
      timestampMs,
      isContinued: fc.boolean(),
    }),
    weight: 6,
  },
  fc.record({
    kind: fc.constant('trade' as const),
    price: fc.oneof(price, fc.constant('0.50')),
    size: fc.option(size, { nil: undefined }),
    side: fc.option(side, { nil: undefined }),
    feeRateBps: fc.option(fc.oneof(fc.nat(), fc.constant(0.5)), { nil: undefined }),
    timestampMs,
  }),
  fc.record({ kind: fc.constant('snapshot' as const), isKeyframe: fc.boolean(), book }),
  fc.record({ kind: fc.constant('details' as const), details: fc.record(details) }),
  fc.record({
    kind: fc.constant('state' as const),
    state: fc.constantFrom('live' as const, 'stale' as const),
    reason: text,
  }),
)

/** Any run of changes that a recorder may keep: in order, and levels continue only levels. */
const strip = fc
  .array(fc.record({ body, passedMs: fc.oneof(fc.constant(0), fc.nat(500_000)), ordinals: fc.nat(9) }), {
    maxLength: 60,
  })
  .map((steps) => {
    const changes: RecordedChange[] = []
    let [atMs, ordinal] = [START_MS, 0]
    for (const { body, passedMs, ordinals } of steps) {
      atMs += passedMs
      ordinal = passedMs > 0 ? ordinals : ordinal + ordinals + 1
      const before = changes.at(-1)
      if (body.kind === 'level') {
        const isContinued = body.isContinued && before?.kind === 'level'
        const timestampMs = isContinued ? before.timestampMs : body.timestampMs
        changes.push({ ...body, atMs, ordinal, isContinued, timestampMs })
      } else changes.push({ ...body, atMs, ordinal })
    }
    return changes
  })

describe('a strip', () => {
  test('of any changes is read as it was written', () => {
    fc.assert(
      fc.property(strip, (changes) => {
        expect([...decodeStrip(encodeStrip(changes))]).toEqual(changes)
      }),
      RUNS,
    )
  })

  test('is the same compressed, and a method of a later release is refused by its number', async () => {
    const changes: RecordedChange[] = [
      {
        kind: 'level',
        atMs: START_MS,
        ordinal: 0,
        side: 'BUY',
        price: '0.5',
        size: '7',
        timestampMs: 1,
        isContinued: false,
      },
      { kind: 'state', atMs: START_MS, ordinal: 1, state: 'stale', reason: 'drop' },
    ]
    const encoded = encodeStrip(changes)
    for (const stored of [wrapStrip(encoded), await compressStrip(encoded)]) {
      expect([...decodeStrip(await unwrapStrip(stored))]).toEqual(changes)
    }
    await expect(unwrapStrip(Buffer.of(9, 1, 2))).rejects.toThrow('method 9')
    expect(() => [...decodeStrip(encoded.subarray(0, -1))]).toThrow('end too early')
    expect(() => [...decodeStrip(Buffer.of(7))]).toThrow('version 7')
  })
})

test('decimals and units are each other, exactly', () => {
  fc.assert(
    fc.property(fc.nat(10 ** 9), fc.integer({ min: 0, max: 4 }), (units, decimals) => {
      const text = toCanonical(units, decimals)
      expect(canonicalDecimal(text)).toBe(text)
      expect(toUnits(text, decimals)).toBe(units)
    }),
    RUNS,
  )
})
