import { expect, test } from 'vitest'
import type { TimedOrigin } from '../../chain/facts/fact-kind.js'
import type { FillFact } from '../../chain/facts/fill.js'
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
import { timeOfBlock } from './test-facts.js'
import { expectPublished, type TestEvent, TestMatching } from './test-matching.js'

const SHARES = 10_000_000n
const OUTCOMES = { condition: CONDITION, tokens: [YES, NO] }

/** Alice's order takes 10 shares at this many millionths of a dollar each. */
const take = (at: TimedOrigin, price: bigint, changes: Partial<FillFact> = {}): FillFact =>
  makeFill(0, {
    ...at,
    wallet: ALICE,
    taker: EXCHANGE,
    isTaker: true,
    side: 'BUY',
    orderHash: at.txHash,
    usd: (SHARES * price) / 1_000_000n,
    shares: SHARES,
    ...changes,
  })

/** Books a block in which Alice buys, or sells, YES at this price. */
const trade = (matching: TestMatching, price: bigint, side: 'BUY' | 'SELL' = 'BUY') =>
  matching.append((at) => ({ fills: [take(at(1), price, { side })] }))

/** A matcher on facts on which YES was traded once, at 50 cents. */
async function openTraded(): Promise<TestMatching> {
  const matching = await TestMatching.open()
  await matching.append((at) => ({
    fills: [take(at(1), 500_000n)],
    outcomes: [{ ...at(2), ...OUTCOMES }],
  }))
  await matching.match()
  return matching
}

const pick = (events: readonly TestEvent[], ...names: string[]) =>
  events.map(({ data }) => names.map((name) => data[name]).join(' '))

test('a price is measured against the last event, and the first price that a webhook sees is no event', async () => {
  const matching = await openTraded()
  const steep = await matching.watch(['price_change'], {
    token_ids: [decimal(YES)],
    min_delta_pct: 10,
  })
  const every = await matching.watch(['price_change'], { condition_ids: [CONDITION] })
  const other = await matching.watch(['price_change'], { token_ids: [decimal(word('123'))] })
  for (const price of [520_000n, 520_000n, 549_999n, 550_000n, 600_000n, 495_000n]) {
    await trade(matching, price)
    await matching.match()
  }
  const events = await matching.eventsOf(steep)
  expect(pick(events, 'previous_price', 'price', 'delta_pct')).toEqual(['0.5 0.55 10', '0.55 0.495 -10'])
  expect(events[0]?.data).toEqual({
    token_id: decimal(YES),
    price: 0.55,
    previous_price: 0.5,
    delta_pct: 10,
    updated_at: '2026-11-15 12:00:10.000000',
    market: 'Will it rain?',
    slug: 'will-it-rain',
    outcome: 'Yes',
    condition_id: CONDITION,
  })
  for (const event of events) expectPublished(event)
  const all = await matching.eventsOf(every)
  const ofToken = (token: string) =>
    pick(
      all.filter(({ data }) => data.token_id === decimal(token)),
      'previous_price',
      'price',
    )
  expect(ofToken(YES)).toEqual(['0.5 0.52', '0.52 0.549999', '0.549999 0.55', '0.55 0.6', '0.6 0.495'])
  expect(ofToken(NO)).toEqual(['0.5 0.48', '0.48 0.450001', '0.450001 0.45', '0.45 0.4', '0.4 0.505'])
  expect(await matching.eventsOf(other)).toEqual([])
})

test('a price that leaves and returns within a block is two events', async () => {
  const matching = await openTraded()
  const webhook = await matching.watch(['price_change'], { token_ids: [decimal(YES)], min_delta_pct: 20 })
  await matching.append((at) => ({ fills: [take(at(1), 700_000n), take(at(2), 500_000n)] }))
  await matching.match()
  const events = await matching.eventsOf(webhook)
  expect(pick(events, 'price').sort()).toEqual(['0.5', '0.7'])
})

test('held prices that are reverted leave no trace in the base of later ones', async () => {
  const matching = await openTraded()
  const filters = { token_ids: [decimal(YES)], min_delta_pct: 10, confirmations: 8 }
  const webhook = await matching.watch(['price_change'], filters)
  const fork = matching.facts.head
  for (const price of [600_000n, 700_000n, 600_000n, 800_000n]) await trade(matching, price)
  await matching.match()
  expect(pick(await matching.eventsOf(webhook), 'price')).toEqual(['0.6', '0.7', '0.6', '0.8'])
  await matching.facts.revertTo(fork)
  await matching.match()
  expect(await matching.eventsOf(webhook)).toEqual([])
  await trade(matching, 540_000n)
  await trade(matching, 560_000n)
  await matching.match()
  expect(pick(await matching.eventsOf(webhook), 'previous_price', 'price')).toEqual(['0.5 0.56'])
})

test('a profit is measured against the last event of the wallet and the token', async () => {
  const matching = await openTraded()
  const large = await matching.watch(['pnl_change'], { wallet_addresses: [ALICE], min_pnl_change_usd: 1.5 })
  const every = await matching.watch(['pnl_change'], { wallet_addresses: [ALICE, BOB] })
  const other = await matching.watch(['pnl_change'], { wallet_addresses: [BOB] })
  await trade(matching, 500_000n)
  const sell = (price: bigint) =>
    matching.append((at) => ({
      fills: [take(at(1), price, { side: 'SELL', shares: 5_000_000n, usd: 5n * price })],
    }))
  for (const price of [700_000n, 600_000n, 900_000n]) {
    await sell(price)
    await matching.match()
  }
  const events = await matching.eventsOf(large)
  expect(events.map(({ data }) => data)).toEqual([
    {
      wallet: ALICE,
      token_id: decimal(YES),
      timestamp: `${timeOfBlock(matching.facts.head - 1)}`,
      realized_pnl: 1.5,
      previous_realized_pnl: 0,
      change_usd: 1.5,
      market: 'Will it rain?',
      slug: 'will-it-rain',
      outcome: 'Yes',
      condition_id: CONDITION,
    },
    expect.objectContaining({ realized_pnl: 3.5, previous_realized_pnl: 1.5, change_usd: 2 }),
  ])
  for (const event of events) expectPublished(event)
  expect(pick(await matching.eventsOf(every), 'previous_realized_pnl', 'realized_pnl')).toEqual([
    '0 1',
    '1 1.5',
    '1.5 3.5',
  ])
  expect(await matching.eventsOf(other)).toEqual([])
})

const SET = { wallet: ALICE, ...OUTCOMES, isCore: true, isUser: true }

test('a position opens, closes, opens again, becomes redeemable and is redeemed', async () => {
  const matching = await TestMatching.open()
  await matching.append((at) => ({ outcomes: [{ ...at(1), ...OUTCOMES }] }))
  await matching.match()
  const watched = { wallet_addresses: [ALICE] }
  const webhook = await matching.watch(['position_status_change'], watched)
  const redeemable = await matching.watch(['position_status_change'], {
    ...watched,
    token_ids: [decimal(YES)],
    status_to: 'redeemable' as const,
  })
  const other = await matching.watch(['position_status_change'], { wallet_addresses: [BOB] })
  const first = await trade(matching, 500_000n)
  await matching.match()
  await trade(matching, 500_000n, 'SELL')
  // A set is made and its NO sold at once: only YES opens.
  await matching.append((at) => ({
    splits: [{ ...at(1, 'aa'), ...SET, isMerge: false, amount: SHARES }],
    fills: [take(at(2, 'aa'), 400_000n, { side: 'SELL', token: NO })],
  }))
  const late = await matching.watch(['position_status_change'], watched)
  await matching.append((at) => ({
    resolutions: [{ ...at(7, 'bb'), condition: CONDITION, payouts: [1n, 0n] }],
  }))
  await matching.append((at) => ({
    redemptions: [
      {
        ...at(3, 'cc'),
        wallet: ALICE,
        condition: CONDITION,
        payout: SHARES,
        tokens: [YES],
        amounts: [SHARES],
        outcomes: 3,
        isCore: true,
        isUser: true,
        source: 'direct' as const,
      },
    ],
  }))
  await matching.match()
  const events = await matching.eventsOf(webhook)
  const fields = ['from_status', 'to_status', 'previous_amount', 'new_amount', 'delta_amount']
  const causes = ['source', 'raw_event_type']
  expect(pick(events, 'token_id', ...fields, ...causes)).toEqual(
    [
      'none open 0 10 10 erc1155_transfer OrderFilled',
      'open closed 10 0 -10 erc1155_transfer OrderFilled',
      'closed open 0 10 10 split PositionSplit',
      'open redeemable 10 10 0 resolution ConditionResolution',
      'redeemable redeemed 10 0 -10 redemption PayoutRedemption',
    ].map((line) => `${decimal(YES)} ${line}`),
  )
  for (const event of events) expectPublished(event)
  expect(events[0]?.data).toEqual({
    wallet: ALICE,
    token_id: decimal(YES),
    condition_id: CONDITION,
    from_status: 'none',
    to_status: 'open',
    previous_amount: 0,
    new_amount: 10,
    delta_amount: 10,
    transfer_amount: 10,
    source: 'erc1155_transfer',
    raw_event_type: 'OrderFilled',
    source_event_id: `${word(`${first}1`)}_1`,
    transaction_hash: word(`${first}1`),
    block_number: first,
    timestamp: new Date(timeOfBlock(first) * 1000).toISOString(),
    market: 'Will it rain?',
    slug: 'will-it-rain',
    event_slug: 'weather',
    outcome: 'Yes',
    tags: '{weather,world}',
  })
  expect(pick(await matching.eventsOf(redeemable), 'source_event_id')).toEqual([`${word('bb')}_7`])
  expect(pick(await matching.eventsOf(late), 'to_status')).toEqual(['redeemable', 'redeemed'])
  expect(await matching.eventsOf(other)).toEqual([])
})

const ORDER = word('0d')
/** Bob's order is filled for one dollar more each time. */
const fillOrder = (matching: TestMatching, dollars: bigint) =>
  matching.append((at) => ({
    fills: [
      makeFill(1, { ...at(1), orderHash: ORDER, usd: dollars * 1_000_000n, shares: SHARES }),
      take(at(2), 300_000n),
    ],
  }))

test('an order of several fills is complete half a minute after the last one', async () => {
  const matching = await openTraded()
  const webhook = await matching.watch(['order_complete'], { wallet_addresses: [BOB] })
  const ofTaker = await matching.watch(['order_complete'], { wallet_addresses: [ALICE] })
  const large = await matching.watch(['order_complete'], { min_total_usd: 5.01 })
  const others = await matching.watch(['order_complete'], { wallet_addresses: [address('1')] })
  const first = await fillOrder(matching, 2n)
  await matching.match()
  const last = await fillOrder(matching, 3n)
  await matching.match()
  matching.clock.advance(29_999)
  await matching.match()
  expect(await matching.eventsOf(webhook)).toEqual([])
  const young = await matching.watch(['order_complete'])
  matching.clock.advance(1)
  await matching.match()
  const events = await matching.eventsOf(webhook)
  const named = { market: 'Will it rain?', outcome: 'Yes' }
  expect(events.map(({ data }) => data)).toEqual([
    {
      order_hash: ORDER,
      wallet: BOB,
      fill_count: 2,
      total_usd: 5,
      avg_price: 0.25,
      ...named,
      slug: 'will-it-rain',
      condition_id: CONDITION,
      event_slug: 'weather',
      fills: [
        { amount_usd: 2, price: 0.2, ...named, timestamp: String(timeOfBlock(first)) },
        { amount_usd: 3, price: 0.3, ...named, timestamp: String(timeOfBlock(last)) },
      ],
    },
  ])
  expect(events[0]?.block).toBe(last)
  for (const event of events) expectPublished(event)
  expect(await matching.eventsOf(ofTaker)).toHaveLength(1)
  expect(await matching.eventsOf(large)).toEqual([])
  expect(await matching.eventsOf(others)).toEqual([])
  expect(await matching.eventsOf(young)).toEqual([])

  // One more fill is a wait of its own, and too few for an event.
  await fillOrder(matching, 9n)
  await matching.match()
  matching.clock.advance(60_000)
  await matching.match()
  expect(await matching.eventsOf(webhook)).toHaveLength(1)
  expect(await matching.facts.sql`select from webhook_orders`).toEqual([])
})

test('an order does not wait for a clock that was ahead and is set right', async () => {
  const matching = await openTraded()
  const webhook = await matching.watch(['order_complete'], { wallet_addresses: [BOB] })
  await fillOrder(matching, 2n)
  await fillOrder(matching, 3n)
  const rightMs = matching.clock.now()
  matching.clock.advance(24 * 60 * 60_000)
  await matching.match()
  expect(await matching.eventsOf(webhook)).toEqual([])
  matching.clock.set(rightMs + 30_000)
  await matching.match()
  expect(await matching.eventsOf(webhook)).toHaveLength(1)
})

test('an order whose fills were reverted waits again', async () => {
  const matching = await openTraded()
  const webhook = await matching.watch(['order_complete'], { wallet_addresses: [BOB] })
  const fork = matching.facts.head
  await fillOrder(matching, 2n)
  await fillOrder(matching, 3n)
  await matching.match()
  await matching.facts.revertTo(fork)
  await matching.match()
  expect(await matching.facts.sql`select from webhook_orders`).toEqual([])
  await fillOrder(matching, 2n)
  await fillOrder(matching, 3n)
  await matching.match()
  matching.clock.advance(30_000)
  await matching.match()
  expect(await matching.eventsOf(webhook)).toHaveLength(1)
})

test('a market that the catalogue meets is announced once, to webhooks that were there', async () => {
  const matching = await TestMatching.open()
  const { sql } = matching.facts
  const webhook = await matching.watch(['market_created'], { tags: ['Weather'] })
  const slug = await matching.watch(['market_created'], { event_slugs: ['weather'] })
  const other = await matching.watch(['market_created'], { tags: ['sports'] })
  const meet = async () => {
    const firstSeen = new Date(matching.clock.now())
    await sql`update markets set first_seen = ${firstSeen}, created_at = '2026-11-15 11:59:30.5+00'`
    await sql`insert into new_markets select id from markets`
  }
  await meet()
  await matching.match()
  const events = await matching.eventsOf(webhook)
  expect(events.map(({ data }) => data)).toEqual([
    {
      condition_id: CONDITION,
      question: 'Will it rain?',
      slug: 'will-it-rain',
      event_slug: 'weather',
      tags: '{weather,world}',
      image_url: 'https://pictures.example/rain.png',
      created_at: '2026-11-15 11:59:30.500000',
    },
  ])
  for (const event of events) expectPublished(event)
  expect(await matching.eventsOf(slug)).toHaveLength(1)
  expect(await matching.eventsOf(other)).toEqual([])
  expect(await sql`select from new_markets`).toEqual([])

  matching.clock.advance(10 * 60_000)
  await sql`insert into new_markets select id from markets`
  const young = await matching.watch(['market_created'])
  await matching.match()
  expect(await matching.eventsOf(young)).toEqual([])
  expect(await matching.eventsOf(webhook)).toHaveLength(1)
})

test('a market is resolved, whether the catalogue has it or not', async () => {
  const matching = await TestMatching.open()
  const webhook = await matching.watch(['market_resolved'], { condition_ids: [CONDITION] })
  const every = await matching.watch(['market_resolved'])
  const other = await matching.watch(['market_resolved'], { event_slugs: ['sports'] })
  const block = await matching.append((at) => ({
    resolutions: [
      { ...at(1), condition: CONDITION, payouts: [1n, 0n] },
      { ...at(2), condition: word('dead'), payouts: [1n, 2n] },
    ],
  }))
  await matching.match()
  const resolved_at = String(timeOfBlock(block) * 1000)
  const events = await matching.eventsOf(webhook)
  expect(events.map(({ data }) => data)).toEqual([
    {
      condition_id: CONDITION,
      question: 'Will it rain?',
      slug: 'will-it-rain',
      resolved_at,
      payout_numerators: '{1,0}',
      payout_denominator: '1',
      event_slug: 'weather',
      tags: '{weather,world}',
      winning_outcome: 'Yes',
      winning_token_id: decimal(YES),
    },
  ])
  const all = await matching.eventsOf(every)
  expect(all.map(({ data }) => data)).toContainEqual({
    condition_id: word('dead'),
    question: null,
    slug: null,
    resolved_at,
    payout_numerators: '{1,2}',
    payout_denominator: '3',
    event_slug: null,
    tags: '{}',
    winning_outcome: null,
    winning_token_id: null,
  })
  for (const event of all) expectPublished(event)
  expect(await matching.eventsOf(other)).toEqual([])

  // The same result from another transaction, as after a reorganisation, and then another result.
  await matching.append((at) => ({
    resolutions: [{ ...at(1, 'c8'), condition: CONDITION, payouts: [1n, 0n] }],
  }))
  await matching.append((at) => ({
    resolutions: [{ ...at(1, 'c9'), condition: CONDITION, payouts: [0n, 1n] }],
  }))
  await matching.match()
  const results = (await matching.eventsOf(webhook)).map(({ data }) => data.payout_numerators)
  expect(results).toEqual(['{1,0}', '{0,1}'])
})
