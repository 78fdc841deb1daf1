import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { listenSockets, type Received, SocketClient } from '../../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { until } from '../../../test/until.js'
import type { PlanId } from '../../accounts/plans.js'
import { loadConfig } from '../../config/config.js'
import { draftOf, insertMarkets, priceOf } from './test-stream.js'

const WALLET = `0x${'a'.repeat(40)}`
const word = (text: string) => `0x${text.padStart(64, '0')}`

let t: TestApp
let url: string
beforeAll(async () => {
  // Nothing listens there: no book is ever loaded.
  const { config } = loadConfig({ AUSPEX_CLOB_WS_URL: 'ws://127.0.0.1:9' })
  t = await createTestApp({ config })
  url = await listenSockets(t.app)
  const rain = { slug: 'rain', eventSlug: 'weather', condition: word('c1') }
  await insertMarkets(t.ctx, [{ ...rain, tokens: [word('a'), word('b')] }])
  await t.ctx.sql`update catalogue_state set phase = 'done'`
})
afterAll(() => t.close())

async function connect(plan: PlanId = 'enterprise', query = '') {
  const { key } = await t.createCaller(plan)
  const client = await SocketClient.open(`${url}/ws?key=${key}${query}`)
  onTestFinished(() => client.socket.terminate())
  const subscribe = (type: string, filters: object = {}) =>
    client.send({ action: 'subscribe', type, filters })
  return { client, subscribe }
}

const isType =
  (...types: string[]) =>
  ({ type = '' }: Received) =>
    types.includes(type)
const names = (messages: readonly Received[]) =>
  messages.filter(isType('trade')).map(({ data }) => (data as { name: number }).name)
const trade = (name: number, wallets: string[] = []) => draftOf('trade', { name }, { wallets }, t.clock.now())

test('acknowledgement, past and live events come in this order, to each client what it asked for', async () => {
  t.ctx.bus.publish([trade(1), trade(2, [WALLET])])
  const all = await connect()
  const some = await connect('enterprise', '&compress=zlib')
  all.subscribe('trades')
  some.subscribe('wallets', { wallets: [WALLET] })
  for (const { client } of [all, some]) {
    expect((await client.next()).type).toBe('subscribed')
    expect((await client.next()).type).toBe('snapshot')
  }
  t.ctx.bus.publish([trade(3), trade(4, [WALLET])])
  await until(() => names(all.client.messages).length === 2)
  await until(() => names(some.client.messages).length === 1)
  expect(all.client.messages[1]?.count).toBe(2)
  expect(some.client.messages[1]?.count).toBe(1)
  expect(names(all.client.messages)).toEqual([3, 4])
  expect(names(some.client.messages)).toEqual([4])
  expect(some.client.binary).toEqual([false, false, true])
})

test('answers come in the order of the messages, whatever each of them waits for', async () => {
  const { client, subscribe } = await connect()
  subscribe('trades', { slugs: ['rain'], snapshot_count: 0 })
  subscribe('trades', { slugs: ['hail'] })
  client.send('{')
  client.send({ action: 'subscribe', type: 'orderbook', token_ids: ['10', '11'] })
  subscribe('chainlink')
  client.send({ action: 'ping' })
  await client.next(isType('pong'))
  const answers = client.messages
    .filter(isType('subscribed', 'error', 'pong'))
    .map(({ type, code, subscription_type }) => code ?? subscription_type ?? type)
  expect(answers).toEqual(['trades', 'unresolved_slugs', 'invalid_json', 'orderbook', 'chainlink', 'pong'])
})

test('books have an id among those of the subscriptions, and end by it or with all', async () => {
  const { client, subscribe } = await connect()
  subscribe('blocks', { snapshot_count: 0 })
  client.send({ action: 'subscribe', markets: ['weather'] })
  const books = await client.next(({ subscription_type: type }) => type === 'orderbook')
  expect(books).toMatchObject({ markets: 2, subscription_id: `${books.subscriber_id}:2` })
  client.send({ action: 'unsubscribe', subscription_id: books.subscription_id })
  expect(await client.next(isType('unsubscribed'))).toMatchObject({
    subscription_id: books.subscription_id,
  })
  client.send({ action: 'unsubscribe', subscription_id: books.subscription_id })
  expect((await client.next(isType('error'))).code).toBe('unknown_subscription')
  client.send({ action: 'subscribe', type: 'orderbook', token_ids: ['10'] })
  await client.next(({ subscription_type: type }) => type === 'orderbook')
  client.send({ action: 'unsubscribe' })
  expect(await client.next(isType('unsubscribed'))).not.toHaveProperty('subscription_id')
})

test('the firehoses of a plan are counted over the connections of its account', async () => {
  const { key } = await t.createCaller('starter')
  const open = async () => {
    const client = await SocketClient.open(`${url}/ws?key=${key}`)
    onTestFinished(() => client.socket.terminate())
    return client
  }
  const clients = await Promise.all(Array.from({ length: 10 }, open))
  for (const client of clients) client.send({ action: 'subscribe', type: 'trades' })
  for (const client of clients) expect((await client.next()).type).toBe('subscribed')
  const [first] = clients
  first?.send({ action: 'unsubscribe' })
  await first?.next(isType('unsubscribed'))
  first?.send({ action: 'subscribe', type: 'global' })
  expect(await first?.next(isType('subscribed', 'error'))).toMatchObject({ type: 'subscribed' })
})

test('coin prices and events come on one socket', async () => {
  const { client, subscribe } = await connect()
  subscribe('oracle')
  await client.next(isType('snapshot'))
  t.ctx.priceBus.publish([priceOf('BTC/USD', 'spot', t.clock.now())])
  t.ctx.bus.publish([draftOf('oracle', {}, {}, t.clock.now())])
  expect(await client.next(isType('price_feed'))).toMatchObject({ feed: 'BTC/USD' })
  await until(() => client.messages.some(isType('oracle')))
})

test('a client that leaves takes its subscriptions with it', async () => {
  const { client, subscribe } = await connect()
  subscribe('trades', { wallets: [WALLET] })
  await client.next(isType('snapshot'))
  const filters = async () => {
    const metric = await t.ctx.metrics.getSingleMetricAsString('auspex_stream_subscriptions')
    return Number(/what="items"} (\d+)/.exec(metric)?.[1])
  }
  const before = await filters()
  expect(before).toBeGreaterThan(0)
  client.socket.terminate()
  await expect.poll(filters).toBeLessThan(before)
})
