import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventTypeRow, WEBHOOK_EVENT_TYPE_NAMES, type WebhookEventType } from '../event-types.js'
import type { FilterName, WebhookFilters } from '../filters.js'
import type { OccurrenceKeys } from './detector.js'
import { ceilMillionths } from './occurrence-filter.js'
import { type IndexedWebhook, WebhookIndex } from './webhook-index.js'

const makeWebhook = (
  id: number,
  eventTypes: readonly WebhookEventType[],
  filters: WebhookFilters = {},
): IndexedWebhook => ({
  id,
  publicId: `wh_${id}`,
  accountId: 1,
  eventTypes,
  filters,
  fromSeq: 0,
  activeSinceMs: 0,
})

const idsOf = (webhooks: readonly IndexedWebhook[]) => webhooks.map(({ id }) => id).sort((a, b) => a - b)

/** The rules of the reference, asked of every webhook. */
function scan(webhooks: readonly IndexedWebhook[], type: WebhookEventType, keys: OccurrenceKeys): number[] {
  const wanting = webhooks.filter(({ eventTypes, filters }) => {
    const given = <Name extends FilterName>(name: Name) =>
      eventTypeRow(type).filters.includes(name) ? filters[name] : undefined
    const isAmong = (wanted: readonly string[] | undefined, found: readonly string[]) =>
      wanted === undefined || wanted.length === 0 || wanted.some((key) => found.includes(key))
    const usd = Number(keys.usd ?? 0n) / 1e6
    return (
      eventTypes.includes(type) &&
      isAmong(given('wallet_addresses'), keys.wallets ?? []) &&
      isAmong(given('token_ids'), [keys.tokenId ?? 'none']) &&
      isAmong(given('condition_ids'), keys.conditionIds ?? []) &&
      isAmong(given('event_slugs'), [keys.eventSlug ?? 'none']) &&
      isAmong(
        given('tags')?.map((tag) => tag.toLowerCase()),
        keys.tags ?? [],
      ) &&
      isAmong(given('builder_codes'), [keys.builder ?? 'none']) &&
      isAmong(given('receiver_addresses'), [keys.receiver ?? 'none']) &&
      usd >= (given('min_amount_usd') ?? 0) &&
      usd >= (given('min_fee_usd') ?? 0) &&
      usd >= (given('min_total_usd') ?? 0) &&
      (given('side') ?? keys.side) === keys.side &&
      (given('status_from') ?? keys.statusFrom) === keys.statusFrom &&
      (given('status_to') ?? keys.statusTo) === keys.statusTo
    )
  })
  return idsOf(wanting)
}

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const of = (...keys: string[]) => fc.constantFrom(...keys)
const some = (...keys: string[]) => optional(fc.uniqueArray(of(...keys), { maxLength: 3 }))
const WORDS = ['a', 'b', 'c'].map((digit) => `0x${digit.repeat(64)}`)
const STATUSES = ['open', 'closed', 'redeemable', 'redeemed'] as const
const amount = fc.constantFrom(0, 0.5, 1, 2.000001, 3)

const filters: fc.Arbitrary<WebhookFilters> = fc
  .record({
    wallet_addresses: some('w1', 'w2', 'w3'),
    token_ids: some('1', '2', '3'),
    condition_ids: some(...WORDS),
    event_slugs: some('s1', 's2', 's3'),
    tags: some('T1', 't2', 'T3'),
    builder_codes: some(...WORDS),
    receiver_addresses: some('r1', 'r2'),
    min_amount_usd: optional(amount),
    min_fee_usd: optional(amount),
    min_total_usd: optional(amount),
    side: optional(fc.constantFrom('BUY' as const, 'SELL' as const)),
    status_from: optional(fc.constantFrom('none' as const, ...STATUSES)),
    status_to: optional(fc.constantFrom(...STATUSES)),
  })
  // What is stored has no undefined values.
  .map((given) => JSON.parse(JSON.stringify(given)) as WebhookFilters)

const keys: fc.Arbitrary<OccurrenceKeys> = fc.record({
  wallets: fc.uniqueArray(of('w1', 'w2', 'w3', 'w4'), { maxLength: 2 }),
  tokenId: optional(of('1', '2', '3')),
  conditionIds: fc.uniqueArray(of(...WORDS), { maxLength: 2 }),
  eventSlug: optional(of('s1', 's2')),
  tags: fc.uniqueArray(of('t1', 't2', 't3', 't4'), { maxLength: 3 }),
  builder: optional(of(...WORDS)),
  receiver: optional(of('r1', 'r2', 'r3')),
  usd: fc.constantFrom(0n, 499_999n, 500_000n, 1_000_000n, 2_000_000n, 2_000_001n, 5_000_000n),
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  statusFrom: fc.constantFrom('none' as const, ...STATUSES),
  statusTo: fc.constantFrom(...STATUSES),
})

const types = fc.subarray(WEBHOOK_EVENT_TYPE_NAMES, { minLength: 1 })
const change = fc.record({ id: fc.nat({ max: 7 }), types, filters, isDeleted: fc.boolean() })

test('the index finds exactly the webhooks that a scan over all of them finds', () => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 20 }),
      fc.array(fc.record({ type: fc.constantFrom(...WEBHOOK_EVENT_TYPE_NAMES), keys }), {
        maxLength: 20,
      }),
      (changes, occurrences) => {
        const index = new WebhookIndex()
        const webhooks = new Map<number, IndexedWebhook>()
        for (const { id, types, filters, isDeleted } of changes) {
          const webhook = makeWebhook(id, types, filters)
          if (isDeleted) webhooks.delete(id)
          else webhooks.set(id, webhook)
          if (isDeleted) index.delete(id)
          else index.set(webhook)
        }
        expect(index.size).toBe(webhooks.size)
        for (const { type, keys } of occurrences) {
          expect(idsOf(index.match({ type, keys }))).toEqual(scan([...webhooks.values()], type, keys))
        }
        for (const type of WEBHOOK_EVENT_TYPE_NAMES) {
          const asking = [...webhooks.values()].filter(({ eventTypes }) => eventTypes.includes(type))
          expect(index.asksFor(type)).toBe(asking.length > 0)
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('a wallet is watched by those who name it, and by those who name none', () => {
  const index = new WebhookIndex()
  index.set(makeWebhook(1, ['pnl_change'], { wallet_addresses: ['w1'] }))
  index.set(makeWebhook(2, ['trade', 'order_complete'], { wallet_addresses: ['w2'] }))
  expect(index.isWatched('pnl_change', 'w1')).toBe(true)
  expect(index.isWatched('pnl_change', 'w2')).toBe(false)
  expect(index.isWatched('order_complete', 'w1')).toBe(false)
  index.set(makeWebhook(3, ['order_complete'], { min_total_usd: 5 }))
  expect(index.isWatched('order_complete', 'w1')).toBe(true)
  index.delete(3)
  expect(index.isWatched('order_complete', 'w1')).toBe(false)
  index.delete(1)
  expect(index.isWatched('pnl_change', 'w1')).toBe(false)
})

test('a padded condition finds the 31 bytes that a webhook names', () => {
  const index = new WebhookIndex()
  const condition = `0x01${'2'.repeat(60)}`
  index.set(makeWebhook(1, ['split'], { condition_ids: [condition] }))
  expect(index.match({ type: 'split', keys: { conditionIds: [`${condition}00`] } })).toHaveLength(1)
})

test.each([
  [0, 0n],
  [250, 250_000_000n],
  [0.1, 100_000n],
  [19.99, 19_990_000n],
  [0.0000001, 1n],
  [1.0000001, 1_000_001n],
  [1e21, 10n ** 27n],
  [123456789.123456, 123_456_789_123_456n],
  [-1.5, -1_500_000n],
])('the threshold %d is %d millionths', (amount, millionths) => {
  expect(ceilMillionths(amount)).toBe(millionths)
})
