import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import type { Token } from '../../../sim/universe/market.js'
import { until } from '../../../test/until.js'
import { type BookWorld, idsOf, openBookWorld } from './test-book-world.js'

type Opened = Awaited<ReturnType<BookWorld['open']>>

let world: BookWorld
/** For messages that are refused as they are. */
let idle: Opened
const finishing: (() => unknown)[] = []
beforeAll(async () => {
  world = await openBookWorld()
  idle = await world.open({ onTestFinished: (finish) => void finishing.push(finish as () => void) })
})
afterAll(async () => {
  for (const finish of finishing) await finish()
  await world.close()
})

const tokensFrom = (from: number, count: number) => world.tokens.slice(from, from + count)
async function subscribe(opened: Opened, tokens: readonly Token[], integrity = false, more: string[] = []) {
  const client = opened.connect({ integrity })
  await client.send({ action: 'subscribe', markets: [...idsOf(tokens), ...more] })
  await client.untilType('snapshots_done')
  return client
}

const open = (context: Pick<TestContext, 'onTestFinished'>, options?: Parameters<BookWorld['open']>[1]) =>
  world.open(context, options)

describe('a subscription', () => {
  test('is acknowledged, gets every book in one batch, and then all changes', async (context) => {
    const opened = await open(context)
    const tokens = tokensFrom(0, 6)
    const client = opened.connect()
    await world.addTokens(['123456789012'])
    await client.send({ action: 'subscribe', markets: [...idsOf(tokens), '123456789012'] })
    await client.untilType('snapshots_done')
    const [ack, batch, done] = client.connection.messages
    expect(ack).toEqual({
      type: 'subscribed',
      markets: 7,
      resolved_from: { token_ids: 7, slugs: 0, condition_ids: 0 },
    })
    expect(batch).toMatchObject({ type: 'snapshot_batch', count: 7, total_sent: 7 })
    const { of, decimal, outcome } = tokens[0] as Token & { of: { kind: 'market' } }
    expect(batch?.snapshots).toContainEqual(
      expect.objectContaining({
        asset_id: decimal,
        market: of.conditionId,
        condition_id: of.conditionId,
        event_title: of.event.title,
        slug: of.event.slug,
        question: of.question,
        outcome: of.outcomes[outcome],
      }),
    )
    const unknown = {
      type: 'book_snapshot',
      asset_id: '123456789012',
      market: '',
      condition_id: '',
    }
    expect(batch?.snapshots).toContainEqual({ ...unknown, bids: [], asks: [] })
    expect(done).toEqual({ type: 'snapshots_done', total: 7 })
    await world.untilTrue(client, tokens)
    expect(client.reader.problems).toEqual([])
    const { metered, texts } = client.connection
    const counted = texts.filter((text) => /^{"type":"(batch|snapshot_batch)"/.test(text))
    expect(metered).toEqual({ ws_market: counted.join('').length, ws_onchain: 0 })
  })

  test('keeps the books of a client those of the exchange', async (context) => {
    const opened = await open(context)
    const { tokens } = world
    const client = await subscribe(opened, tokens)
    for (let checkpoint = 0; checkpoint < 6; checkpoint++) {
      await world.waitSeconds(5)
      await world.untilTrue(client, tokens)
    }
    const { reader } = client
    const kinds = ['price_change', 'book_snapshot', 'last_trade_price']
    await until(() => kinds.every((kind) => (reader.read().counts[`update ${kind}`] ?? 0) > 0))
    expect(reader.problems).toEqual([])
  })

  test('of a hundred tokens and more comes in batches of fifty', async (context) => {
    const opened = await open(context)
    const { tokens } = world
    const client = opened.connect()
    const markets = [...idsOf(tokens), ...manyTokens(120 - tokens.length)]
    await world.addTokens(markets)
    await client.send({ action: 'subscribe', markets })
    await client.untilType('snapshots_done')
    const batches = client.connection.messages.filter(({ type }) => type === 'snapshot_batch')
    expect(batches.map(({ count, total_sent }) => [count, total_sent])).toEqual([
      [50, 50],
      [50, 100],
      [20, 120],
    ])
    await world.untilTrue(client, tokens)
    expect(client.reader.problems).toEqual([])
  })

  test('shares its frames with others of the same books, in any order', async (context) => {
    const opened = await open(context)
    const tokens = tokensFrom(0, 4)
    const clients = [
      await subscribe(opened, tokens),
      await subscribe(opened, tokens.toReversed()),
      await subscribe(opened, tokens.slice(1)),
    ]
    await world.waitSeconds(20)
    const [first = [], second, third] = clients.map(({ connection }) => connection.frames.slice(-5, -1))
    expect(second).toContain(first[0])
    expect(third).not.toContain(first[0])
    for (const client of clients) expect(client.reader.read().problems).toEqual([])
  })

  test('names books by condition, event and market', async (context) => {
    const opened = await open(context)
    const [market] = world.markets
    const single = world.markets.find(({ event, slug }) => event.slug !== slug)
    const named = [market?.conditionId, single?.event.slug, single?.slug, 'no-such-slug']
    const client = opened.connect()
    await client.send({ action: 'subscribe', markets: named })
    const ofEvent = world.markets.filter(({ event }) => event === single?.event)
    const tokens = new Set([market, ...ofEvent].flatMap((each) => each?.tokens ?? []))
    expect(client.connection.messages[0]).toMatchObject({
      type: 'subscribed',
      markets: tokens.size,
      resolved_from: { token_ids: 0, slugs: 2, condition_ids: 1 },
      warnings: ['Not found: no-such-slug'],
    })
    await client.untilType('snapshots_done')
    await world.untilTrue(client, [...tokens])
  })

  test('takes no slots for token ids that neither catalogue nor exchange know', async (context) => {
    const opened = await open(context)
    const invented = manyTokens(700).map((tokenId) => `9${tokenId}`)
    const client = await subscribe(opened, tokensFrom(0, 2), false, invented)
    expect(client.connection.messages[0]).toMatchObject({
      markets: 2,
      resolved_from: { token_ids: 2, slugs: 0, condition_ids: 0 },
      warnings: [expect.stringMatching(/^Not found: 9100000.* and 680 more$/)],
    })
    expect(opened.books.status.tokens).toBe(2)
  })

  test('says that the exchange could not be asked, and goes on without what it may know', async (context) => {
    const opened = await open(context, { books: { limits: { exchangeMs: 200 } } })
    opened.breakWith({ upstream: 'clob', mode: '500' })
    const client = await subscribe(
      opened,
      tokensFrom(0, 1),
      false,
      manyTokens(1).map((id) => `8${id}`),
    )
    expect(client.connection.messages[0]).toMatchObject({
      markets: 1,
      warnings: [
        expect.stringContaining('Not found: 81000'),
        expect.stringContaining('exchange did not answer'),
      ],
    })
  })

  test('replaces the one before, and stays when the next one fails', async (context) => {
    const opened = await open(context)
    const [old, next] = [tokensFrom(0, 3), tokensFrom(2, 3)]
    const client = await subscribe(opened, old)
    for (const markets of [['no-such-slug'], [`0x${'1'.repeat(64)}`]]) {
      await client.send({ action: 'subscribe', markets })
      const [ack, done] = client.connection.messages.slice(-2)
      expect(ack).toMatchObject({ type: 'subscribed', markets: 0 })
      expect(done).toEqual({ type: 'snapshots_done', total: 0 })
    }
    await client.send({ action: 'subscribe', markets: manyTokens(15_001) })
    const refused = client.connection.messages.findLast((message) => 'error' in message)
    expect(refused).toEqual({
      error: 'token_limit',
      message: expect.any(String),
      max: 15_000,
      requested: 15_001,
    })
    await client.untilType('batch', client.connection.messages.length)
    await world.untilTrue(client, old)
    const from = client.connection.messages.length
    await client.send({ action: 'subscribe', token_ids: idsOf(next) })
    await client.untilType('snapshots_done', from)
    await world.waitSeconds(20)
    await world.untilTrue(client, next)
    const { messages } = client.connection
    const acknowledged = messages.findIndex(({ type }, index) => index >= from && type === 'subscribed')
    const texts = client.connection.texts.slice(acknowledged)
    const named = new Set(texts.flatMap((text) => text.match(/(?<="asset_id":")\d+/g) ?? []))
    expect([...named].toSorted()).toEqual(idsOf(next).toSorted())
    expect(client.reader.problems).toEqual([])
  })

  test('ends in parts, or as a whole', async (context) => {
    const opened = await open(context, { books: { limits: { lingerMs: 10 } } })
    const tokens = tokensFrom(0, 4)
    const client = await subscribe(opened, tokens)
    await client.send({ action: 'unsubscribe', markets: idsOf(tokens.slice(0, 3)) })
    expect(client.connection.messages.at(-1)).toEqual({ type: 'unsubscribed', remaining: 1 })
    await until(() => opened.books.status.tokens === 1)
    await client.untilType('batch', client.connection.messages.length)
    await world.untilTrue(client, tokens.slice(3))
    await client.send({ action: 'unsubscribe' })
    expect(client.connection.messages.at(-1)).toEqual({ type: 'unsubscribed' })
    await until(() => opened.books.status.tokens === 0)
    expect(opened.feed.groups.isEmpty).toBe(true)
    await client.send({ action: 'unsubscribe', markets: ['no-such-slug'] })
    expect(client.connection.messages.at(-1)).toEqual({ type: 'unsubscribed' })
  })

  test('ends with its connection, also while books are being sent', async (context) => {
    const opened = await open(context, { books: { limits: { lingerMs: 10 } } })
    const client = opened.connect()
    await world.addTokens(manyTokens(150))
    await client.send({ action: 'subscribe', markets: manyTokens(150) })
    const late = client.send({ action: 'subscribe', markets: [world.markets[0]?.slug] })
    client.protocol.onClose()
    await late
    expect(opened.feed.groups.isEmpty).toBe(true)
    await until(() => opened.books.status.tokens === 0)
  })

  test('waits for a client that does not read', async (context) => {
    const opened = await open(context)
    const client = opened.connect()
    let resume = () => {}
    client.connection.untilDrained = () => new Promise((resolve) => (resume = () => resolve(true)))
    await client.send({ action: 'subscribe', markets: idsOf(tokensFrom(0, 3)) })
    await world.waitSeconds(30)
    expect(client.connection.messages.map(({ type }) => type)).toEqual(['subscribed'])
    resume()
    await client.untilType('snapshots_done')
    await world.untilTrue(client, tokensFrom(0, 3))
    expect(client.reader.problems).toEqual([])
  })
})

describe('all books', () => {
  test('come first, then all changes, those of new markets too', async (context) => {
    const { tokens } = world
    const opened = await open(context, { books: { selectOpenTokens: async () => idsOf(tokens) } })
    const clients = [opened.connect(), opened.connect()]
    for (const { send } of clients) await send({ action: 'subscribe', markets: ['*'] })
    for (const client of clients) {
      const [ack] = client.connection.messages
      const markets = ack?.markets
      expect(markets).toBeGreaterThanOrEqual(tokens.length)
      expect(ack).toEqual({ type: 'subscribed', firehose: true, markets })
      await client.untilType('snapshots_done')
      const done = client.connection.messages.find(({ type }) => type === 'snapshots_done')
      expect(done).toMatchObject({ total: markets })
      await world.untilTrue(client, tokens)
      expect(client.reader.problems).toEqual([])
    }
    await world.waitSeconds(20)
    const [first = [], second] = clients.map(({ connection }) => connection.frames.slice(-5, -1))
    expect(second).toContain(first[0])
    await clients[0]?.send({ action: 'unsubscribe', markets: idsOf(tokens.slice(0, 1)) })
    expect(clients[0]?.connection.messages.at(-1)).toMatchObject({ error: 'invalid_message' })
    await clients[0]?.send({ action: 'unsubscribe', markets: ['*'] })
    await clients[1]?.send({ action: 'unsubscribe' })
    expect(opened.books.allTokens.size).toBe(0)
  })
})

test('all books, asked for again, are acknowledged and not sent again', async (context) => {
  const { tokens } = world
  const opened = await open(context, { books: { selectOpenTokens: async () => idsOf(tokens) } })
  let count = 0
  const client = opened.connect({ nextSubscriptionId: () => `s:${++count}` })
  const { connection, send } = client
  const typesFrom = (from: number) =>
    connection.messages
      .slice(from)
      .map(({ type }) => type)
      .filter((type) => type !== 'batch' && type !== 'stale')
  let resume = () => {}
  connection.untilDrained = () => new Promise((resolve) => (resume = () => resolve(true)))
  await send({ action: 'subscribe', type: 'orderbook', markets: ['*'] })
  await send({ action: 'subscribe', type: 'orderbook', markets: ['*'] })
  // What is being sent goes on.
  expect(typesFrom(0)).toEqual(['subscribed', 'subscribed'])
  connection.untilDrained = async () => true
  resume()
  await client.untilType('snapshots_done')
  expect(typesFrom(2)).toEqual([...typesFrom(2).slice(0, -1).fill('snapshot_batch'), 'snapshots_done'])
  const from = connection.messages.length
  for (let again = 0; again < 5; again++) {
    await send({ action: 'subscribe', type: 'orderbook', markets: ['*'] })
  }
  expect(typesFrom(from)).toEqual(Array(5).fill(['subscribed', 'snapshots_done']).flat())
  expect(connection.messages.at(-2)).toMatchObject({ subscription_id: 's:1', firehose: true })
  expect(connection.messages.at(-1)).toEqual({ type: 'snapshots_done', total: 0 })
  await world.untilTrue(client, tokens)
  expect(client.reader.problems).toEqual([])
})

test('long sets of one account are sent a few at a time, those of others beside them', async (context) => {
  const opened = await open(context)
  const markets = manyTokens(100)
  await world.addTokens(markets)
  const release: (() => void)[] = []
  const connect = async (accountId: number, isSlow: boolean) => {
    const client = opened.connect({ accountId })
    if (isSlow) client.connection.untilDrained = () => new Promise((read) => release.push(() => read(true)))
    await client.send({ action: 'subscribe', markets })
    return client
  }
  const slow = []
  for (let number = 0; number < 8; number++) slow.push(await connect(1, true))
  await until(() => release.length === 8)
  const [next, gone] = [await connect(1, false), await connect(1, false)]
  const other = await connect(2, false)
  await other.untilType('snapshots_done')
  expect(next.connection.messages.map(({ type }) => type)).toEqual(['subscribed'])
  gone.protocol.onClose()
  slow[0]?.protocol.onClose()
  for (const read of release) read()
  await next.untilType('snapshots_done')
  expect(gone.connection.messages.map(({ type }) => type)).toEqual(['subscribed'])
})

test('all books are those of open markets, whatever others follow', async (context) => {
  const listed = tokensFrom(0, 5)
  const opened = await open(context, { books: { selectOpenTokens: async () => idsOf(listed) } })
  const all = opened.connect()
  const other = await subscribe(opened, tokensFrom(3, 6))
  await all.send({ action: 'subscribe', markets: ['*'] })
  await world.waitSeconds(30)
  await world.untilTrue(all, listed)
  await world.untilTrue(other, tokensFrom(3, 6))
  for (const { reader } of [all, other]) expect(reader.problems).toEqual([])
  for (const id of idsOf(tokensFrom(5, 4))) expect(all.reader.books.has(id)).toBe(false)
})

describe('a message', () => {
  test.each([
    ['invalid_json', 'subscribe'],
    ['invalid_json', ''],
    ['invalid_json', '{"action":"ping"'],
    ['invalid_message', 'null'],
    ['invalid_message', '[]'],
    ['invalid_message', '"ping"'],
    ['invalid_message', '{}'],
    ['invalid_message', '{"action":"listen"}'],
    ['invalid_message', '{"action":"subscribe"}'],
    ['invalid_message', '{"action":"subscribe","markets":[]}'],
    ['invalid_message', '{"action":"subscribe","markets":"a"}'],
    ['invalid_message', '{"action":"subscribe","token_ids":[1]}'],
    ['integrity_unavailable', '{"action":"resync"}'],
    ['input_too_large', JSON.stringify({ action: 'subscribe', markets: manyTokens(20_001) })],
  ])('%s: %.80s', async (error, text) => {
    const { connection, protocol } = idle.connect()
    await protocol.onMessage(text)
    const fields = error === 'input_too_large' ? { max: 20_000, requested: 20_001 } : {}
    expect(connection.messages).toEqual([{ error, message: expect.any(String), ...fields }])
    expect(connection.closed).toBeUndefined()
  })

  test('ping is answered', async (context) => {
    const { connection, send } = (await open(context)).connect()
    await send({ action: 'ping' })
    expect(connection.messages).toEqual([{ type: 'pong' }])
  })

  test('waits for the catalogue, but not for token ids', async (context) => {
    const opened = await open(context)
    const { connection, send } = opened.connect()
    await world.sql`update catalogue_state set phase = 'open'`
    try {
      await send({ action: 'subscribe', markets: ['no-such-slug'] })
      await send({ action: 'subscribe', markets: idsOf(tokensFrom(0, 1)) })
    } finally {
      await world.sql`update catalogue_state set phase = 'done'`
    }
    const warming = { error: 'service_warming_up', message: expect.any(String) }
    expect(connection.messages.slice(0, 2)).toMatchObject([
      { ...warming, retry_after_ms: 1_000 },
      { type: 'subscribed', markets: 1 },
    ])
  })

  test('is refused when the service follows all the books it can', async (context) => {
    const opened = await open(context, { books: { limits: { tokensMax: 3 } } })
    const client = await subscribe(opened, tokensFrom(0, 2))
    await client.send({ action: 'subscribe', markets: idsOf(tokensFrom(1, 4)) })
    const error = { error: 'service_capacity', message: expect.any(String) }
    const refused = client.connection.messages.findLast((message) => 'error' in message)
    expect(refused).toEqual({ ...error, retry_after_ms: 5_000 })
    await client.untilType('batch', client.connection.messages.length)
    await world.untilTrue(client, tokensFrom(0, 2))
    expect(client.reader.problems).toEqual([])
  })

  test('for all books is to be tried again when slots cannot be counted', async () => {
    const { connection, send } = idle.connect()
    connection.takeFirehose = () => Promise.reject(new Error('no database'))
    await send({ action: 'subscribe', markets: ['*'] })
    const error = { error: 'service_warming_up', message: expect.any(String) }
    expect(connection.messages).toEqual([{ ...error, retry_after_ms: 1_000 }])
  })

  test('for all books is refused when the plan grants no further firehose', async (context) => {
    const opened = await open(context, {
      books: { selectOpenTokens: async () => idsOf(world.tokens) },
    })
    const { connection, send } = opened.connect()
    connection.firehosesLeft = 0
    await send({ action: 'subscribe', markets: ['*'] })
    expect(connection.messages).toEqual([{ error: 'firehose_limit', message: expect.any(String) }])
    connection.firehosesLeft = 1
    await send({ action: 'subscribe', markets: ['*'] })
    expect(connection.hasFirehose).toBe(true)
    await send({ action: 'subscribe', markets: idsOf(tokensFrom(0, 1)) })
    expect(connection.hasFirehose).toBe(false)
  })
})

describe('slots', () => {
  const book = (message: object | undefined) => message as { markets: string[]; reason: string } | undefined

  test('are shared: an account that has them all loses some to another, and its clients are notified', async (context) => {
    const opened = await open(context, { books: { limits: { tokensMax: 4 } } })
    const [whale, twin] = [
      await subscribe(opened, tokensFrom(0, 4)),
      await subscribe(opened, tokensFrom(0, 4)),
    ]
    const other = opened.connect({ accountId: 2 })
    await other.send({ action: 'subscribe', markets: idsOf(tokensFrom(4, 2)) })
    await other.untilType('snapshots_done')
    for (const { connection, reader } of [whale, twin]) {
      const notice = connection.messages.findLast(({ reason }) => reason === 'capacity')
      expect(book(notice)?.markets).toEqual(idsOf(tokensFrom(0, 2)))
      expect(reader.read().problems).toEqual([])
    }
    await world.untilTrue(other, tokensFrom(4, 2))
    await world.untilTrue(whale, tokensFrom(2, 2))
    // What was lost has left the set: the rest can be unsubscribed as usual.
    await whale.send({ action: 'unsubscribe', markets: idsOf(tokensFrom(2, 1)) })
    expect(whale.connection.messages.at(-1)).toEqual({ type: 'unsubscribed', remaining: 1 })
    // Each account has its share now, and more is refused in plain words.
    await other.send({ action: 'subscribe', markets: idsOf(tokensFrom(3, 3)) })
    await twin.send({ action: 'subscribe', markets: idsOf(tokensFrom(0, 4)) })
    expect(twin.connection.messages.at(-1)).toMatchObject({
      error: 'service_capacity',
      retry_after_ms: 5_000,
    })
    for (const { protocol } of [whale, twin, other]) protocol.onClose()
    expect(opened.feed.groups.isEmpty).toBe(true)
    const next = await subscribe(opened, tokensFrom(0, 4))
    await world.untilTrue(next, tokensFrom(0, 4))
  })

  test('of open markets are not taken by accounts, and missing ones are reported', async (context) => {
    const listed = tokensFrom(5, 10)
    const opened = await open(context, {
      books: {
        limits: { tokensMax: 5, listMs: 20 },
        selectOpenTokens: async (limit) => idsOf(listed).slice(0, limit),
        countOpenTokens: async () => listed.length,
      },
    })
    const named = await subscribe(opened, tokensFrom(0, 5))
    const all = opened.connect({ accountId: 2 })
    await all.send({ action: 'subscribe', markets: ['*'] })
    await all.untilType('not_followed')
    expect(all.connection.messages[0]).toMatchObject({ type: 'subscribed', markets: 4, firehose: true })
    expect(all.connection.messages.find(({ type }) => type === 'not_followed')).toMatchObject({ count: 6 })
    await world.untilTrue(all, listed.slice(0, 4))
    const lost = named.connection.messages.filter(({ reason }) => reason === 'capacity')
    expect(lost.flatMap((message) => book(message)?.markets)).toHaveLength(4)
    const late = opened.connect({ accountId: 3 })
    await late.send({ action: 'subscribe', markets: ['*'] })
    expect(late.connection.messages[0]).toMatchObject({
      warnings: ['6 books of open markets are not followed: the places are used'],
    })
    for (const { reader } of [all, late, named]) expect(reader.read().problems).toEqual([])
  })
})

test('on the event socket answers have the form of that socket', async (context) => {
  const opened = await open(context)
  let count = 0
  const client = opened.connect({ nextSubscriptionId: () => `s:${++count}` })
  const { connection, protocol, send } = client
  const ids = { subscriber_id: connection.id, subscription_id: 's:1' }
  await send({ action: 'subscribe', type: 'orderbook', token_ids: idsOf(tokensFrom(0, 2)) })
  expect(connection.messages[0]).toEqual({
    type: 'subscribed',
    ...ids,
    subscription_type: 'orderbook',
    warnings: [],
    markets: 2,
    resolved_from: { token_ids: 2, slugs: 0, condition_ids: 0 },
  })
  expect(protocol.subscriptionId).toBe('s:1')
  await client.untilType('snapshots_done')
  await send({ action: 'subscribe', type: 'orderbook' })
  expect(connection.messages.at(-1)).toEqual({
    type: 'error',
    code: 'invalid_message',
    message: expect.any(String),
  })
  await send({ action: 'unsubscribe', token_ids: idsOf(tokensFrom(0, 1)) })
  expect(connection.messages.at(-1)).toEqual({ type: 'unsubscribed', ...ids, remaining: 1 })
  await send({ action: 'unsubscribe', type: 'orderbook' })
  expect(connection.messages.at(-1)).toEqual({ type: 'unsubscribed', ...ids })
  expect(protocol.subscriptionId).toBeUndefined()
})

describe('books that may not be trusted', () => {
  test('are named, and good again afterwards', async (context) => {
    const opened = await open(context)
    const tokens = tokensFrom(0, 5)
    const client = await subscribe(opened, tokens)
    for (const mode of ['drop', 'garbage'] as const) {
      await world.untilTrue(client, tokens)
      opened.breakWith({ mode })
      await until(() => client.reader.read().stale.size === 5)
      opened.breakWith({ mode: 'off' })
      await until(() => client.reader.read().stale.size === 0)
    }
    await world.untilTrue(client, tokens)
    expect(client.reader.problems).toEqual([])
    const stale = client.connection.messages.filter(({ type }) => type === 'stale')
    expect(stale[0]).toMatchObject({ stale: true, reason: expect.any(String) })
    expect(stale.at(-1)).not.toHaveProperty('reason')
  })

  test('are empty and stale while they cannot be loaded', async (context) => {
    const opened = await open(context, { feed: { loadMs: 50 } })
    opened.breakWith({ mode: 'drop' })
    const tokens = tokensFrom(0, 3)
    const client = await subscribe(opened, tokens)
    expect(client.reader.levels(tokens[0]?.decimal ?? '')).toEqual({ bids: [], asks: [] })
    expect(client.connection.messages.slice(1)).toMatchObject([
      { type: 'snapshot_batch', count: 3 },
      { type: 'stale', stale: true, markets: idsOf(tokens), reason: 'loading' },
      { type: 'snapshots_done', total: 3 },
    ])
    opened.breakWith({ mode: 'off' })
    await world.untilTrue(client, tokens)
    expect(client.reader.problems).toEqual([])
  })
})

function manyTokens(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String(10n ** 30n + BigInt(index)))
}
