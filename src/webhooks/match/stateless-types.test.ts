import { expect, test } from 'vitest'
import {
  ALICE,
  address,
  BOB,
  CONDITION,
  decimal,
  EXCHANGE,
  makeFill,
  NO,
  word,
  YES,
} from '../../events/test-facts.js'
import type { WebhookEventType } from '../event-types.js'
import type { WebhookFilters } from '../filters.js'
import { timeOfBlock } from './test-facts.js'
import { expectPublished, TestMatching } from './test-matching.js'

const CAROL = address('ca401')
const RECEIVER = address('fee')
const BUILDER = word('b11d')
const GROUP = word('6409')

const MARKET = {
  market: 'Will it rain?',
  slug: 'will-it-rain',
  event_slug: 'weather',
  condition_id: CONDITION,
}

/** One block with everything: Alice takes what Bob offers; Carol splits, merges, redeems and converts. */
async function openEverything() {
  const matching = await TestMatching.open()
  const { facts } = matching
  await matching.append((at) => ({ fills: [makeFill(1, at(1, 'a0'))] }))
  await matching.match()
  const happen = () =>
    matching.append((at) => ({
      fills: [
        makeFill(3, at(3, 'f1')),
        makeFill(4, {
          ...at(4, 'f1'),
          wallet: ALICE,
          taker: EXCHANGE,
          isTaker: true,
          side: 'BUY',
          fee: 500_000n,
          isFeeInShares: true,
          builder: BUILDER,
        }),
      ],
      fees: [
        { ...at(2, 'f1'), kind: 'charged', wallet: RECEIVER, token: YES, amount: 500_000n },
        { ...at(5, 'f1'), kind: 'charged', wallet: RECEIVER, token: undefined, amount: 70_000n },
        { ...at(6, 'f1'), kind: 'refunded', wallet: BOB, token: undefined, amount: 10_000n },
        { ...at(7, 'f1'), kind: 'charged', wallet: RECEIVER, token: NO, amount: 10_000n },
      ],
      splits: [
        { ...at(8, 'c1'), ...SET, isMerge: false, amount: 9_000_000n },
        { ...at(9, 'c1'), ...SET, isMerge: true, amount: 2_500_000n },
        { ...at(10, 'c1'), ...SET, isMerge: true, amount: 1n, isUser: false },
      ],
      outcomes: [{ ...at(8, 'c1'), condition: CONDITION, tokens: [YES, NO] }],
      resolutions: [{ ...at(11, 'c2'), condition: CONDITION, payouts: [0n, 1n] }],
      redemptions: [
        {
          ...at(12, 'c3'),
          wallet: CAROL,
          condition: CONDITION,
          payout: 6_500_000n,
          tokens: [YES, NO],
          amounts: [6_500_000n, 6_500_000n],
          outcomes: 3,
          isCore: true,
          isUser: true,
          source: 'direct' as const,
        },
      ],
      conversions: [
        {
          ...at(13, 'c4'),
          wallet: CAROL,
          market: GROUP,
          indexSet: word('3'),
          amount: 4_000_000n,
          given: [NO],
          taken: [],
          received: 4_000_000n,
          cash: 0n,
        },
      ],
    }))
  return { matching, facts, happen }
}

const SET = { wallet: CAROL, condition: CONDITION, tokens: [YES, NO], isCore: true, isUser: true }

type Case = [
  type: WebhookEventType,
  matching: WebhookFilters,
  other: WebhookFilters,
  data: (timestamp: string) => Record<string, unknown>[],
]

const BOBS = (timestamp: string) => ({
  id: `${word('f1')}_3`,
  maker: BOB,
  taker: ALICE,
  amount_usd: 16,
  price: 0.64,
  fee_usd: 0,
  direction: 'SELL',
  token_id: decimal(YES),
  outcome: 'Yes',
  ...MARKET,
  timestamp,
  transaction_hash: word('f1'),
  order_hash: word('0d3'),
  builder: word('0'),
  is_taker_order: false,
})
const ALICES = (timestamp: string) => ({
  ...BOBS(timestamp),
  id: `${word('f1')}_4`,
  maker: ALICE,
  taker: EXCHANGE,
  direction: 'BUY',
  fee_usd: 0.32,
  order_hash: word('0d4'),
  builder: BUILDER,
  is_taker_order: true,
})
const ofCarol = (tx: string, log: number, timestamp: string) => ({
  id: `${word(tx)}_${log}`,
  wallet: CAROL,
  transaction_hash: word(tx),
  timestamp,
})
const SPLIT = (timestamp: string) => ({ ...ofCarol('c1', 8, timestamp), ...MARKET, amount: 9 })
const MERGE = (timestamp: string) => ({ ...ofCarol('c1', 9, timestamp), ...MARKET, amount: 2.5 })
const REDEMPTION = (timestamp: string) => ({
  ...ofCarol('c3', 12, timestamp),
  ...MARKET,
  payout_usd: 6.5,
  outcome: 'No',
})
const CONVERSION = (timestamp: string) => ({
  ...ofCarol('c4', 13, timestamp),
  market_id: GROUP,
  amount: 4,
  index_set: word('3'),
  event_title: 'Weather',
  ...MARKET,
})
const FEE = (fee_usd: number, timestamp: string) => ({
  receiver: RECEIVER,
  fee_usd,
  transaction_hash: word('f1'),
  timestamp,
})

const CASES: Case[] = [
  ['trade', {}, { side: 'BUY', token_ids: [decimal(NO)] }, (at) => [BOBS(at), ALICES(at)]],
  [
    'trade',
    { wallet_addresses: [BOB], tags: ['WORLD'], event_slugs: ['weather'], side: 'SELL' },
    { wallet_addresses: [BOB], tags: ['sports'] },
    (at) => [BOBS(at)],
  ],
  [
    'large_trade',
    { min_amount_usd: 16, condition_ids: [CONDITION] },
    { min_amount_usd: 16.000001 },
    (at) => [BOBS(at), ALICES(at)],
  ],
  ['builder_trade', { builder_codes: [BUILDER] }, { builder_codes: [GROUP] }, (at) => [ALICES(at)]],
  ['first_trade', { min_amount_usd: 16 }, { min_amount_usd: 17 }, (at) => [{ ...ALICES(at), wallet: ALICE }]],
  [
    'redemption',
    { wallet_addresses: [CAROL], min_amount_usd: 1e6 },
    { condition_ids: [GROUP] },
    (at) => [REDEMPTION(at)],
  ],
  ['split', { condition_ids: [CONDITION] }, { wallet_addresses: [BOB] }, (at) => [SPLIT(at)]],
  ['merge', { wallet_addresses: [CAROL] }, { condition_ids: [GROUP] }, (at) => [MERGE(at)]],
  ['neg_risk_conversion', {}, { wallet_addresses: [BOB] }, (at) => [CONVERSION(at)]],
  [
    'fee_earned',
    { receiver_addresses: [RECEIVER], min_fee_usd: 0.07 },
    { min_fee_usd: 1 },
    (at) => [FEE(0.07, at), FEE(0.32, at)],
  ],
  [
    'wallet_activity',
    { wallet_addresses: [ALICE, BOB, CAROL] },
    { wallet_addresses: [RECEIVER] },
    (at) => [
      { activity_type: 'split', ...SPLIT(at) },
      { activity_type: 'merge', ...MERGE(at) },
      { activity_type: 'redemption', ...REDEMPTION(at) },
      { activity_type: 'neg_risk_conversion', ...CONVERSION(at) },
      { activity_type: 'trade', ...BOBS(at) },
      { activity_type: 'trade', ...ALICES(at) },
    ],
  ],
]

test('every type has the payload of the reference, and comes only where its filters match', async () => {
  const { matching, happen } = await openEverything()
  const wanting = await Promise.all(CASES.map(([type, filters]) => matching.watch([type], filters)))
  const others = await Promise.all(CASES.map(([type, , other]) => matching.watch([type], other)))
  const at = String(timeOfBlock(await happen()))
  await matching.match()
  for (const [index, [type, , , data]] of CASES.entries()) {
    const [webhook, other] = [wanting[index], others[index]]
    if (webhook === undefined || other === undefined) throw new Error('each case has its webhooks')
    const events = await matching.eventsOf(webhook)
    for (const event of events) expectPublished(event)
    const byId = (a: Record<string, unknown>, b: Record<string, unknown>) =>
      String(a.id ?? a.fee_usd).localeCompare(String(b.id ?? b.fee_usd), 'en', { numeric: true })
    expect([type, events.map((event) => event.data).sort(byId)]).toEqual([type, data(at).sort(byId)])
    expect([type, await matching.eventsOf(other)]).toEqual([type, []])
  }
})

test('what the catalogue does not know is null', async () => {
  const { matching, facts, happen } = await openEverything()
  await facts.sql`delete from market_tokens`
  await facts.sql`delete from markets`
  const types: WebhookEventType[] = ['trade', 'split', 'merge', 'redemption', 'neg_risk_conversion']
  const webhook = await matching.watch(types)
  await happen()
  await matching.match()
  const events = await matching.eventsOf(webhook)
  for (const event of events) expectPublished(event)
  expect(events).toHaveLength(6)
  const unknown = { market: null, slug: null, event_slug: null }
  for (const { type, data } of events) {
    expect(data).toMatchObject(type === 'neg_risk_conversion' ? { event_title: null } : unknown)
  }
})
