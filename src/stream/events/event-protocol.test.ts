import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storeOf } from '../../../test/database.js'
import { until } from '../../../test/until.js'
import { DatabaseReads } from '../../accounts/database-reads.js'
import type { PlanId } from '../../accounts/plans.js'
import { WorkShares } from '../../accounts/work-shares.js'
import { tooManyRequests } from '../../core/errors.js'
import { createPool } from '../../store/connection.js'
import {
  draftOf,
  insertMarkets,
  openTestStream,
  priceOf,
  type TestClient,
  type TestStream,
} from './test-stream.js'

const word = (text: string) => `0x${text.padStart(64, '0')}`
const address = (text: string) => `0x${text.padStart(40, '0')}`
const ALICE = address('a11ce')
const BOB = address('b0b')
const MARKETS = [
  { slug: 'rain', eventSlug: 'weather', condition: word('c1'), tokens: [word('a'), word('b')] },
  { slug: 'snow', eventSlug: 'weather', condition: word('c2'), tokens: [word('c'), word('d')] },
]

let stream: TestStream
beforeAll(async () => {
  stream = await openTestStream()
  await insertMarkets(stream, MARKETS)
})
afterAll(() => stream.close())
beforeEach(() => {
  for (const { protocol } of clients.splice(0)) protocol.onClose()
  expect(stream.hub.subscriptions.size).toBe(0)
  // Past what the bus keeps.
  stream.clock.advance(6 * 60_000)
})

const clients: TestClient[] = []
function connect(plan?: PlanId, accountId?: number): TestClient {
  const client = stream.connect(plan, accountId)
  clients.push(client)
  return client
}

const ack = (id: string, type: string, number = 1) => ({
  type: 'subscribed',
  subscriber_id: id,
  subscription_id: `${id}:${number}`,
  subscription_type: type,
  warnings: [],
  resume_seq: expect.any(Number),
  resume_seq_of: expect.any(String),
})
const EMPTY = { type: 'snapshot', count: 0, events: [] }

describe('a message that is not taken', () => {
  const subscribe = (type: string, filters: unknown = {}) => ({
    action: 'subscribe',
    type,
    filters,
  })
  const many = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)

  test.each<[string, string, object | string, string]>([
    ['no JSON', 'invalid_json', '{"action":', 'not JSON'],
    ['an empty text', 'invalid_json', '', 'not JSON'],
    ['a list', 'invalid_message', '[]', 'not a JSON object'],
    ['null', 'invalid_message', 'null', 'not a JSON object'],
    ['no action', 'invalid_message', {}, 'Valid actions: subscribe, unsubscribe, ping'],
    ['an unknown action', 'invalid_message', { action: 'dance' }, '"dance"'],
    ['an action that is no text', 'invalid_message', { action: { a: 1 } }, 'unknown action'],
    ['an id that is no text', 'invalid_message', { action: 'unsubscribe', subscription_id: 1 }, '1'],
    ['an unknown type', 'unknown_type', subscribe('weather'), 'Valid types: settlements, trades'],
    ['a type that is no text', 'unknown_type', { action: 'subscribe', type: 7 }, 'unknown type 7'],
    ['an inherited name as type', 'unknown_type', subscribe('constructor'), 'unknown type'],
    ['filters that are a list', 'invalid_filter', subscribe('trades', []), 'must be an object'],
    ['filters that are text', 'invalid_filter', subscribe('trades', 'all'), 'must be an object'],
    ['a wallet for a list', 'invalid_filter', subscribe('trades', { wallets: ALICE }), 'a list'],
    ['no wallet', 'invalid_filter', subscribe('trades', { wallets: [ALICE, '0x1'] }), '"0x1"'],
    ['a number as wallet', 'invalid_filter', subscribe('trades', { wallets: [1] }), 'wallets'],
    ['no token', 'invalid_filter', subscribe('trades', { tokens: ['0xa'] }), 'decimal'],
    ['a number as token', 'invalid_filter', subscribe('trades', { markets: [10] }), 'decimal'],
    ['a slug that is empty', 'invalid_filter', subscribe('trades', { slugs: [''] }), 'slugs'],
    ['a slug with a NUL', 'invalid_filter', subscribe('trades', { slugs: ['a\0'] }), 'slugs'],
    ['no condition', 'invalid_filter', subscribe('trades', { condition_ids: ['0x12'] }), '"0x12"'],
    ['an unknown side', 'invalid_filter', subscribe('trades', { side: 'UP' }), 'BUY or SELL'],
    ['an unknown direction', 'invalid_filter', subscribe('combos', { direction: 'YES' }), 'BUY'],
    ['an unknown status', 'invalid_filter', subscribe('trades', { status: 'done' }), 'pending'],
    ['a size as text', 'invalid_filter', subscribe('trades', { min_size: '10' }), 'min_size'],
    ['a size below 0', 'invalid_filter', subscribe('trades', { max_size: -1 }), 'max_size'],
    ['no room between sizes', 'invalid_filter', subscribe('trades', { min_size: 2, max_size: 1 }), 'below'],
    [
      'an unknown event type',
      'invalid_filter',
      subscribe('trades', { event_types: ['price_feed'] }),
      'Valid ones: settlement, trade',
    ],
    ['a count with decimals', 'invalid_filter', subscribe('trades', { snapshot_count: 1.5 }), 'whole'],
    ['a count below 0', 'invalid_filter', subscribe('trades', { snapshot_count: -1 }), 'whole'],
    ['a time as text', 'invalid_filter', subscribe('trades', { since: 'now' }), 'since'],
    ['a seq below 0', 'invalid_filter', subscribe('trades', { since_seq: -1 }), 'seq'],
    ['an unknown feed', 'invalid_filter', subscribe('chainlink', { feeds: ['EUR/USD'] }), 'BTC/USD, ETH/USD'],
    ['an unknown source', 'invalid_filter', subscribe('oracle', { price_source: 'twap' }), 'spot'],
    ['an unknown window', 'invalid_filter', subscribe('oracle', { twap_windows: [15] }), '30 or 60'],
    [
      'spot and windows',
      'invalid_filter',
      subscribe('oracle', { price_source: 'spot', twap_windows: [30] }),
      'exclude',
    ],
    ['no combo condition', 'invalid_filter', subscribe('combos', { combo_condition_ids: ['1'] }), 'hex'],
    ['no leg', 'invalid_filter', subscribe('combos', { leg_position_ids: ['0x1'] }), 'decimal'],
    ['no event id', 'invalid_filter', subscribe('combos', { event_ids: ['7'] }), '58'],
    ['an unknown module', 'invalid_filter', subscribe('combos', { module_ids: [9] }), '1, 2 or 3'],
    ['an unknown combo action', 'invalid_filter', subscribe('combos', { action: 'Dance' }), 'Prepare'],
    ['slugs of no market', 'unresolved_slugs', subscribe('trades', { slugs: ['hail', 'fog'] }), 'hail, fog'],
    [
      'conditions of no market',
      'unresolved_condition_ids',
      subscribe('trades', { condition_ids: [word('ff')] }),
      word('ff'),
    ],
    [
      'more items than the plan has',
      'filter_limit',
      subscribe('trades', { tokens: many(6_000), markets: many(4_001) }),
      'at most 10000 filter items, not 10001',
    ],
    [
      'an unknown subscription',
      'unknown_subscription',
      { action: 'unsubscribe', subscription_id: 'x:1' },
      '"x:1"',
    ],
  ])('%s: %s', async (_what, code, message, text) => {
    const { connection, say } = connect('growth')
    const answers = await say(message)
    expect(answers).toEqual([
      { type: 'error', code, message: expect.stringContaining(text), ...LIMITS[code] },
    ])
    expect(stream.hub.subscriptions.size).toBe(0)
    expect(connection.closed).toBeUndefined()
  })

  const LIMITS: Record<string, object> = { filter_limit: { max: 10_000, requested: 10_001 } }

  test('its text is shown in part', async () => {
    const { say } = connect()
    const [error] = await say(subscribe('trades', { wallets: ['x'.repeat(100_000)] }))
    expect(String(error?.message).length).toBeLessThan(300)
  })

  test.each([
    ['its action', (deep: string) => `{"action":${deep}}`],
    ['its type', (deep: string) => `{"action":"subscribe","type":${deep}}`],
    ['its filters', (deep: string) => `{"action":"subscribe","filters":{"side":${deep}}}`],
  ])('%s may be nested deeply', async (_what, show) => {
    const [error] = await connect().say(show('['.repeat(100_000) + ']'.repeat(100_000)))
    expect(error).toMatchObject({ type: 'error', message: expect.stringContaining('a list') })
  })

  test('a connection has 200 subscriptions', async () => {
    const { subscribe, protocol } = connect()
    for (let number = 1; number <= 200; number++) {
      const [answer] = await subscribe('blocks', { snapshot_count: 0 })
      expect(answer?.type).toBe('subscribed')
    }
    const [answer] = await subscribe('blocks')
    expect(answer).toMatchObject({ type: 'error', code: 'subscription_limit', max: 200 })
    protocol.onClose()
    expect(stream.hub.subscriptions.size).toBe(0)
  })

  test('more filter items than there is room for are refused before any is read', async () => {
    const { say, subscribe, protocol } = connect()
    const tokens = Array.from({ length: 60_000 }, (_, index) => `${index}`)
    await subscribe('trades', { tokens })
    const [answer] = await subscribe('trades', { tokens: [...tokens, 'no token'] })
    expect(answer).toMatchObject({ code: 'filter_limit', max: 100_000, requested: 120_001 })
    expect(protocol.itemsMax).toBe(101_000)
    expect(connect('growth').protocol.itemsMax).toBe(21_000)
    // A wrong item is found wherever it stands in a long list.
    await say({ action: 'unsubscribe' })
    const [invalid] = await subscribe('trades', { tokens: [...tokens.slice(0, 3_000), 'no token'] })
    expect(invalid).toMatchObject({ code: 'invalid_filter', message: expect.stringContaining('no token') })
  })

  test('filters of an account over its share wait while others work, and come when they stop', async () => {
    let nowMs = 0
    const shares = new WorkShares({ registry: new Registry(), now: () => nowMs })
    const { connection, protocol } = stream.connect('growth', 7, { shares })
    const other = { accountId: 8, plan: connection.caller.plan }
    shares.charge(connection.caller, 1_000)
    shares.charge(other, 0)
    const answered = protocol.onMessage(
      JSON.stringify(subscribe('trades', { wallets: [ALICE], snapshot_count: 0 })),
    )
    await until(() => shares.isHeldBack(connection.caller))
    expect(connection.take()).toEqual([])
    nowMs += 2_000
    await answered
    expect(connection.take()).toMatchObject([{ type: 'subscribed' }])
    protocol.onClose()
  })

  test('a connection has 100,000 filter items', async () => {
    const { subscribe, protocol } = connect()
    const tokens = (start: number) => Array.from({ length: 50_000 }, (_, index) => `${start + index}`)
    await subscribe('trades', { tokens: tokens(0) })
    await subscribe('trades', { tokens: tokens(0) })
    const [answer] = await subscribe('trades', { tokens: ['7'] })
    expect(answer).toMatchObject({ code: 'filter_limit', max: 100_000, requested: 100_001 })
    protocol.onClose()
    const [again] = await connect().subscribe('trades', { tokens: ['7'] })
    expect(again?.type).toBe('subscribed')
  })

  test('an account has 500,000 filter items, and may use them again when connections end', async () => {
    const tokens = Array.from({ length: 100_000 }, (_, index) => `${index}`)
    const full = Array.from({ length: 5 }, () => connect())
    for (const client of full) {
      const [answer] = await client.subscribe('trades', { tokens })
      expect(answer?.type).toBe('subscribed')
    }
    const next = connect()
    const [refused] = await next.subscribe('trades', { tokens: ['7'] })
    expect(refused?.code).toBe('filter_limit')
    const [other] = await connect('enterprise', 2).subscribe('trades', { tokens: ['7'] })
    expect(other?.type).toBe('subscribed')
    full[0]?.protocol.onClose()
    const [answer] = await next.subscribe('trades', { tokens: ['7'] })
    expect(answer?.type).toBe('subscribed')
  })

  test('queries beyond the share of the account are reported as such', async () => {
    const sqlFor = () => {
      throw tooManyRequests('The account has used up its share.', 2_000)
    }
    const reads = Object.assign(Object.create(stream.ctx.reads), { sqlFor })
    const { say, protocol } = stream.connect('growth', 1, { reads })
    for (const type of ['trades', 'orderbook']) {
      const names = type === 'trades' ? { filters: { slugs: ['rain'] } } : { markets: ['rain'] }
      expect(await say({ action: 'subscribe', type, ...names })).toEqual([
        {
          type: 'error',
          code: 'work_limit',
          message: 'The account has used up its share.',
          retry_after_ms: 2_000,
        },
      ])
    }
    protocol.onClose()
  })

  test('a database that does not answer is not the fault of the message', async () => {
    const { reads, shares } = stream.ctx
    const closed = createPool(stream.database.target, 1)
    await closed.end()
    stream.ctx.reads = new DatabaseReads({ store: storeOf(closed), shares, registry: new Registry() })
    const { protocol, connection } = connect()
    stream.ctx.reads = reads
    await protocol.onMessage(JSON.stringify(subscribe('trades', { slugs: ['rain'] })))
    expect(connection.take()).toMatchObject([{ type: 'error', code: 'unavailable' }])
  })
})

describe('answers', () => {
  test('ping', async () => {
    const { say } = connect()
    expect(await say({ action: 'ping' })).toEqual([{ type: 'pong', ts: stream.clock.now() }])
  })

  test('subscriptions count from 1, and refused ones do not count', async () => {
    const { connection, subscribe, say } = connect()
    const { id } = connection
    expect(await say({ action: 'subscribe' })).toEqual([ack(id, 'settlements'), EMPTY])
    await subscribe('nothing')
    expect(await subscribe('redemption')).toEqual([ack(id, 'redemption', 2), EMPTY])
    const subscription_id = `${id}:1`
    expect(await say({ action: 'unsubscribe', subscription_id })).toEqual([
      { type: 'unsubscribed', subscriber_id: id, subscription_id },
    ])
    expect(await say({ action: 'unsubscribe', subscription_id })).toMatchObject([
      { code: 'unknown_subscription' },
    ])
    expect(await subscribe('trades')).toEqual([ack(id, 'trades', 3), EMPTY])
    expect(stream.hub.subscriptions.size).toBe(2)
    expect(await say({ action: 'unsubscribe' })).toEqual([{ type: 'unsubscribed', subscriber_id: id }])
    expect(stream.hub.subscriptions.size).toBe(0)
    expect(connection.hasFirehose).toBe(false)
  })

  test('a connection that ends while its subscribe is under way leaves nothing behind', async () => {
    const { connection, protocol } = connect()
    const message = { action: 'subscribe', type: 'trades', filters: { slugs: ['rain'] } }
    const answered = protocol.onMessage(JSON.stringify(message))
    protocol.onClose()
    await answered
    expect(connection.take()).toEqual([])
    expect(stream.hub.subscriptions.size).toBe(0)
  })

  test('slugs and conditions that are not found are named, and so are filters that do not exist', async () => {
    const { subscribe } = connect()
    const filters = {
      slugs: ['rain', 'hail'],
      condition_ids: [word('c2'), word('ff')],
      colour: 'red',
      feeds: ['BTC/USD'],
    }
    const [answer] = await subscribe('trades', filters)
    expect(answer?.warnings).toEqual([
      'there is no filter "colour": it was ignored',
      'feeds, price_source and twap_windows apply to coin prices: they were ignored',
      'unresolved slugs: hail',
      `unresolved condition_ids: ${word('ff')}`,
    ])
  })
})

describe('who receives what', () => {
  const publish = (...drafts: Parameters<typeof draftOf>[]) =>
    stream.bus.publish(drafts.map((draft) => draftOf(...draft)))

  const deliver = async (client: TestClient, ...drafts: Parameters<typeof draftOf>[]) => {
    client.connection.take()
    publish(...drafts)
    const got = client.connection.take().map(({ data }) => (data as { name: string }).name)
    return got
  }

  test.each([
    ['settlements', ['settlement', 'status_update']],
    [undefined, ['settlement', 'status_update']],
    ['trades', ['settlement', 'trade', 'status_update']],
    ['prices', ['settlement', 'trade']],
    ['fills', ['fill']],
    ['dome', ['fill']],
    ['combos', ['combo_execution', 'combo_status_update']],
    ['blocks', ['block']],
    [
      'wallets',
      [
        'settlement',
        'trade',
        'status_update',
        'position_change',
        'deposit',
        'position_split',
        'position_merge',
        'positions_converted',
        'redemption',
      ],
    ],
    [
      'markets',
      [
        'settlement',
        'trade',
        'status_update',
        'position_change',
        'position_split',
        'position_merge',
        'positions_converted',
        'redemption',
      ],
    ],
    ['redemptions', ['redemption']],
    ['redemption', ['redemption']],
    ['deposits', ['deposit']],
    ['large_trades', ['settlement', 'trade']],
    [
      'global',
      ['settlement', 'trade', 'status_update', 'block', 'position_change', 'deposit', 'redemption', 'oracle'],
    ],
    ['oracle', ['oracle']],
    ['resolutions', ['oracle']],
    ['chainlink', []],
    ['price_feed', []],
  ])('%s: %s', async (type, types) => {
    const all = [
      'settlement',
      'fill',
      'trade',
      'status_update',
      'block',
      'position_change',
      'deposit',
      'position_split',
      'position_merge',
      'positions_converted',
      'redemption',
      'oracle',
      'combo_execution',
      'combo_status_update',
      'combo_lifecycle',
      'combo_approval',
      'reorg',
    ]
    const client = connect()
    const [answer] = await client.subscribe(type)
    expect(answer?.subscription_type).toBe(type ?? 'settlements')
    const drafts = all.map((name) => [name, { name }, { sizeUsd: 1_000 }] as const)
    expect(await deliver(client, ...drafts.map(([...draft]) => draft))).toEqual(types)
  })

  test('event_types replace the preset, and add to flat fills', async () => {
    const types = ['fill', 'trade', 'reorg', 'combo_lifecycle', 'settlement']
    const drafts = types.map((name): [string, object] => [name, { name }])
    const wanted = { event_types: ['reorg', 'trade', 'combo_lifecycle'] }
    const client = connect()
    await client.subscribe('settlements', wanted)
    expect(await deliver(client, ...(drafts as never[]))).toEqual(['trade', 'reorg', 'combo_lifecycle'])
    const flat = connect()
    await flat.subscribe('fills', { event_types: ['trade'] })
    expect(await deliver(flat, ...(drafts as never[]))).toEqual(['fill', 'trade'])
  })

  test('blocks and reorganisations that a client names are not filtered by wallets or tokens', async () => {
    const client = connect()
    const filters = { wallets: [ALICE], event_types: ['trade', 'block', 'reorg'] }
    await client.subscribe('wallets', filters)
    const got = await deliver(
      client,
      ['block', { name: 'block' }],
      ['trade', { name: 'of bob' }, { wallets: [BOB] }],
      ['trade', { name: 'of alice' }, { wallets: [ALICE] }],
      ['reorg', { name: 'reorg' }],
    )
    expect(got).toEqual(['block', 'of alice', 'reorg'])
  })

  test('large trades are of 1,000 dollars, unless the client says otherwise', async () => {
    const sizes = [999.99, 1_000, 5_000].map(
      (sizeUsd): Parameters<typeof draftOf> => ['trade', { name: sizeUsd }, { sizeUsd }],
    )
    const client = connect()
    await client.subscribe('large_trades')
    expect(await deliver(client, ...sizes)).toEqual([1_000, 5_000])
    const other = connect()
    await other.subscribe('large_trades', { min_size: 10, max_size: 1_000 })
    expect(await deliver(other, ...sizes)).toEqual([999.99, 1_000])
  })

  test('an event that several subscriptions match comes once, also after one of them ended', async () => {
    const client = connect()
    const { id } = client.connection
    await client.subscribe('trades', { wallets: [ALICE.toUpperCase().replace('X', 'x')] })
    await client.subscribe('trades', { tokens: ['00010'] })
    await client.subscribe('trades')
    client.connection.take()
    const event: Parameters<typeof draftOf> = ['trade', { name: 'a' }, { wallets: [ALICE], tokens: ['10'] }]
    publish(event)
    expect(client.connection.take()).toHaveLength(1)
    await client.say({ action: 'unsubscribe', subscription_id: `${id}:1` })
    await client.say({ action: 'unsubscribe', subscription_id: `${id}:3` })
    expect(await deliver(client, event, ['trade', { name: 'b' }, { wallets: [ALICE] }])).toEqual(['a'])
  })

  test('by subscription: each has its own events, replays and prices, and names them', async () => {
    const client = stream.connect('enterprise', 1, {}, true)
    clients.push(client)
    publish(['trade', { name: 'past' }, { wallets: [ALICE] }])
    const [, ofAlice] = await client.subscribe('trades', { wallets: [ALICE] })
    expect(ofAlice).toMatchObject({ type: 'snapshot', subscription: 1, count: 1 })
    await client.subscribe('trades', { tokens: ['10'], snapshot_count: 0 })
    await client.subscribe('chainlink', { feeds: ['BTC/USD'] })
    await client.subscribe('chainlink', { feeds: ['BTC/USD', 'ETH/USD'] })
    publish(
      ['trade', { name: 'both' }, { wallets: [ALICE], tokens: ['10'] }],
      ['trade', { name: 'second' }, { wallets: [BOB], tokens: ['10'] }],
    )
    stream.priceBus.publish([priceOf('BTC/USD')])
    const named = client.connection.take().map(({ type, subscription, event }) => {
      expect(type).toBe('subscription_event')
      const { data } = event as { data: { name?: string; feed?: string } }
      return `${subscription} ${data.name ?? data.feed}`
    })
    expect(named.sort()).toEqual(['1 both', '2 both', '2 second', '3 BTC/USD', '4 BTC/USD'])
    const [flat] = (await client.subscribe('fills')).slice(1)
    expect(flat).toEqual({ ...EMPTY, subscription: 5 })
  })

  test('the acknowledgement has the number that the subscription begins after, in its numbering', async () => {
    const client = connect()
    publish(['trade', { name: 'a' }])
    const [chain] = await client.subscribe('trades')
    expect(chain).toMatchObject({ resume_seq: stream.bus.publishedSeq, resume_seq_of: 'chain' })
    stream.priceBus.publish([priceOf('BTC/USD')])
    const [prices] = await client.subscribe('chainlink')
    expect(prices).toMatchObject({ resume_seq: stream.priceBus.publishedSeq, resume_seq_of: 'prices' })
    const [mixed] = await client.subscribe('oracle')
    expect(mixed).toMatchObject({ resume_seq: stream.bus.publishedSeq, resume_seq_of: 'chain' })
    const [scores] = await client.subscribe('scores')
    expect(scores).toMatchObject({ resume_seq_of: 'scores' })
    publish(['trade', { name: 'b' }])
    client.connection.take()
    const [resumed, missed] = await client.subscribe('trades', { since_seq: chain?.resume_seq })
    expect(resumed).toMatchObject({ resume: 'exact' })
    expect(missed).toMatchObject({ count: 1, events: [{ data: { name: 'b' } }] })
  })

  test('a slug stands for its market, and that of an event for all of its markets', async () => {
    const drafts: Parameters<typeof draftOf>[] = [
      ['trade', { name: 'rain' }, { tokens: ['11'] }],
      ['trade', { name: 'snow' }, { tokens: ['12'] }],
      ['oracle', { name: 'new market of the event' }, { eventSlug: 'weather' }],
      ['trade', { name: 'other' }, { tokens: ['99'], marketSlug: 'hail' }],
      ['position_split', { name: 'condition' }, { conditionIds: [word('c1')] }],
    ]
    const cases: [object, string[]][] = [
      [{ slugs: ['rain'] }, ['rain']],
      [{ slugs: ['weather'] }, ['rain', 'snow', 'new market of the event']],
      [{ slugs: ['rain', 'snow', 'hail'] }, ['rain', 'snow']],
      [{ condition_ids: [word('c1').toUpperCase().replace('X', 'x')] }, ['rain', 'condition']],
      [{ slugs: ['weather'], condition_ids: [word('c2')] }, ['snow']],
      [{ slugs: ['weather'], tokens: ['11', '99'] }, ['rain']],
    ]
    for (const [filters, names] of cases) {
      const client = connect()
      const event_types = ['trade', 'oracle', 'position_split']
      await client.subscribe('markets', { ...filters, event_types })
      expect(await deliver(client, ...drafts)).toEqual(names)
    }
  })

  test('conditions of combos need not be in the catalogue', async () => {
    const client = connect()
    const [answer] = await client.subscribe('combos', { condition_ids: [`0x03${'7'.repeat(60)}`] })
    expect(answer).toMatchObject({ type: 'subscribed', warnings: [] })
    const ids = [`0x03${'7'.repeat(60)}`, `0x03${'7'.repeat(60)}00`, `0x03${'8'.repeat(60)}`]
    const drafts = ids.map(
      (id, name): Parameters<typeof draftOf> => ['combo_execution', { name }, { conditionIds: [id] }],
    )
    expect(await deliver(client, ...drafts)).toEqual([0, 1])
  })

  test('filters beside `filters` count too, and those inside win', async () => {
    const client = connect()
    await client.say({
      action: 'subscribe',
      type: 'wallets',
      wallets: [BOB],
      token_ids: ['7'],
      event_types: ['trade'],
      filters: { wallets: [ALICE] },
    })
    const got = await deliver(
      client,
      ['trade', { name: 'a' }, { wallets: [ALICE], tokens: ['7'] }],
      ['trade', { name: 'b' }, { wallets: [BOB], tokens: ['7'] }],
      ['trade', { name: 'c' }, { wallets: [ALICE], tokens: ['8'] }],
      ['deposit', { name: 'd' }, { wallets: [ALICE], tokens: ['7'] }],
    )
    expect(got).toEqual(['a'])
  })

  test('empty lists and nulls filter nothing', async () => {
    const client = connect()
    const filters = { wallets: [], tokens: null, event_types: [], side: null, min_size: null }
    await client.subscribe('prices', filters)
    expect(await deliver(client, ['trade', { name: 'a' }], ['settlement', { name: 'b' }])).toEqual(['a', 'b'])
  })
})

describe('coin prices', () => {
  const ALL = ['BTC/USD', 'ETH/USD'].flatMap((feed) =>
    ['spot', 'twap30', 'twap60', 'binance'].map((source) => priceOf(feed, source)),
  )
  const received = ({ connection }: TestClient) => {
    connection.take()
    stream.priceBus.publish(ALL)
    return connection.take().length
  }

  test.each<[string, object, object, number]>([
    ['oracle', {}, { price_source: 'follow_main', twap_windows: null }, 2],
    ['chainlink', {}, { price_source: 'follow_main', twap_windows: null }, 2],
    ['price_feed', { feeds: ['btc/usd'] }, { price_source: 'follow_main', twap_windows: null }, 1],
    ['oracle', { feeds: ['ETH', 'BTC/USD'] }, { price_source: 'follow_main' }, 2],
    ['chainlink', { price_source: 'spot' }, { price_source: 'spot', twap_windows: null }, 2],
    ['chainlink', { twap_windows: [30] }, { price_source: 'twap30', twap_windows: [30] }, 2],
    ['chainlink', { twap_windows: [60] }, { price_source: 'twap60', twap_windows: [60] }, 2],
    ['oracle', { twap_windows: [60, 30] }, { price_source: 'both', twap_windows: [30, 60] }, 4],
    ['chainlink', { feeds: ['BTC/USD'], twap_windows: [30, 60] }, { price_source: 'both' }, 2],
  ])('%s with %j', async (type, filters, fields, count) => {
    const client = connect()
    const [answer, ...rest] = await client.subscribe(type, filters)
    expect(answer).toMatchObject({ ...ack(client.connection.id, type), ...fields })
    const hasEvents = type === 'oracle' && Object.keys(filters).length === 0
    expect(rest).toEqual(hasEvents ? [EMPTY] : [])
    expect(received(client)).toBe(count)
    expect(client.connection.metered.ws_market).toBeGreaterThan(0)
    stream.bus.publish([draftOf('oracle')])
    expect(client.connection.take()).toHaveLength(hasEvents ? 1 : 0)
    expect(client.connection.hasFirehose).toBe(false)
    client.protocol.onClose()
    expect(stream.hub.subscriptions.size).toBe(0)
  })

  test('a second selection replaces the first', async () => {
    const client = connect()
    const { id } = client.connection
    await client.subscribe('oracle')
    await client.subscribe('chainlink', { feeds: ['BTC/USD'], twap_windows: [30] })
    expect(received(client)).toBe(1)
    await client.say({ action: 'unsubscribe', subscription_id: `${id}:1` })
    expect(received(client)).toBe(1)
    await client.say({ action: 'unsubscribe', subscription_id: `${id}:2` })
    expect(received(client)).toBe(0)
  })

  test('event_types leave prices out, unless the client chooses among them', async () => {
    const client = connect()
    const [answer] = await client.subscribe('oracle', { event_types: ['oracle'] })
    expect(answer).not.toHaveProperty('price_source')
    expect(received(client)).toBe(0)
    await client.subscribe('oracle', { event_types: ['oracle'], feeds: ['BTC/USD'] })
    expect(received(client)).toBe(1)
  })

  test('their past comes when it is asked for, and means have none', async () => {
    const nowMs = stream.clock.now()
    for (let second = 10; second > 0; second--) {
      stream.priceBus.publish(
        ['spot', 'twap30'].map((source) => priceOf('SOL/USD', source, nowMs - second * 1_000)),
      )
    }
    const client = connect()
    const count = async (filters: object) =>
      (await client.subscribe('chainlink', { feeds: ['SOL/USD'], ...filters }))[1]?.count
    expect(await count({})).toBeUndefined()
    expect(await count({ snapshot_count: 0 })).toBeUndefined()
    expect(await count({ snapshot_count: 4 })).toBe(4)
    expect(await count({ since: nowMs - 3_000 })).toBe(2)
    expect(await count({ since: nowMs + 1_000 })).toBe(0)
    expect(await count({ snapshot_count: 4, twap_windows: [30] })).toBeUndefined()
    const past = stream.priceBus.replay({ afterSeq: 0 })
    const [ack, snapshot] = await client.subscribe('chainlink', {
      feeds: ['SOL/USD'],
      since_seq: past.at(-5)?.seq,
    })
    expect(ack?.resume).toBe('exact')
    expect(snapshot?.count).toBe(2)
    const [lost] = await client.subscribe('chainlink', { since_seq: 1 })
    expect(lost?.resume).toBe('gap')
  })
})

describe('the firehose', () => {
  test.each<[string, object, boolean]>([
    ['trades', {}, true],
    ['global', {}, true],
    ['fills', {}, true],
    ['combos', { module_ids: [3], direction: 'BUY' }, true],
    ['trades', { status: 'pending', side: 'BUY', snapshot_count: 1 }, true],
    ['trades', { min_size: 0 }, true],
    ['settlements', { feeds: ['BTC/USD'] }, true],
    ['trades', { event_types: ['trade', 'block'] }, true],
    ['trades', { wallets: [ALICE] }, false],
    ['trades', { tokens: ['7'] }, false],
    ['trades', { slugs: ['rain'] }, false],
    ['trades', { condition_ids: [word('c1')] }, false],
    ['trades', { min_size: 1 }, false],
    ['trades', { max_size: 1 }, false],
    ['large_trades', {}, false],
    ['combos', { combo_condition_ids: [word('c1')] }, false],
    ['combos', { leg_position_ids: ['7'] }, false],
    ['combos', { event_ids: [`0x${'1'.repeat(58)}`] }, false],
    ['blocks', {}, false],
    ['oracle', {}, false],
    ['trades', { event_types: ['block', 'reorg'] }, false],
  ])('%s with %j: %s', async (type, filters, isFirehose) => {
    const client = connect()
    const [answer] = await client.subscribe(type, filters)
    expect(answer?.type).toBe('subscribed')
    expect(client.connection.hasFirehose).toBe(isFirehose)
  })

  test('is counted once for a connection, refused when the plan has none left, and given back', async () => {
    const client = connect()
    const { connection } = client
    await client.subscribe('trades')
    await client.subscribe('global')
    expect(connection.firehosesLeft).toBe(0)
    await client.say({ action: 'unsubscribe', subscription_id: `${connection.id}:1` })
    expect(connection.hasFirehose).toBe(true)
    await client.say({ action: 'unsubscribe' })
    expect(connection.hasFirehose).toBe(false)
    connection.firehosesLeft = 0
    expect(await client.subscribe('trades')).toMatchObject([{ type: 'error', code: 'firehose_limit' }])
    expect(await client.subscribe('blocks')).toMatchObject([{ type: 'subscribed' }, {}])
  })
})
