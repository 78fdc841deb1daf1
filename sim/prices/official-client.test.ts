import { createPublicClient, forkEnvironmentConfig } from '@polymarket/client'
import { type Message, RealTimeDataClient } from '@polymarket/real-time-data-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { createRtdsHost } from './rtds.js'

const START_MS = Date.UTC(2026, 10, 12)
const universe = new Universe({ seed: 5, startMs: START_MS, intensity: 4 })
let host: Host

beforeAll(async () => {
  universe.advance(START_MS)
  // The clients ping by the real clock, and time passes faster here.
  const rtds = createRtdsHost(universe, { silentAfterMs: Number.POSITIVE_INFINITY })
  host = await openHost('rtds', new Faults(), rtds)
  // It says on the console that it was disconnected, also when the test disconnects it.
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterAll(() => host.close())

/** Lives on, second by second, until the client has that many messages. */
async function collect(
  subscriptions: Parameters<RealTimeDataClient['subscribe']>[0]['subscriptions'],
  count: number,
): Promise<Message[]> {
  const messages: Message[] = []
  const client = new RealTimeDataClient({
    host: host.wsUrl,
    onConnect: (connected) => connected.subscribe({ subscriptions }),
    onMessage: (_, message) => messages.push(message),
  })
  client.connect()
  await vi.waitFor(
    () => {
      universe.advance(universe.nowMs + 1000)
      expect(messages.length).toBeGreaterThanOrEqual(count)
    },
    { timeout: 60_000, interval: 5 },
  )
  client.disconnect()
  return messages
}

test('prices of the exchange', async () => {
  const [message] = await collect([{ topic: 'crypto_prices', type: 'update' }], 14)
  expect(message).toMatchObject({
    topic: 'crypto_prices',
    type: 'update',
    timestamp: expect.any(Number),
    payload: { symbol: 'btcusdt', timestamp: expect.any(Number), value: expect.any(Number) },
  })
})

test('prices of the exchange with the filter that its documentation shows', async () => {
  const filters = '{"symbol":"ethusdt"}'
  const messages = await collect([{ topic: 'crypto_prices', type: 'update', filters }], 3)
  expect(new Set(messages.map(({ payload }) => Reflect.get(payload, 'symbol')))).toEqual(new Set(['ethusdt']))
})

test('prices of the oracle: a snapshot, then updates', async () => {
  const filters = '{"symbol":"btc/usd"}'
  const [snapshot, update] = await collect([{ topic: 'crypto_prices_chainlink', type: '*', filters }], 2)
  expect(snapshot).toMatchObject({ type: 'subscribe', payload: { symbol: 'btc/usd' } })
  expect(update).toMatchObject({ type: 'update', payload: { symbol: 'btc/usd' } })
})

test('trades and matched orders', async () => {
  const messages = await collect(
    [
      { topic: 'activity', type: 'trades' },
      { topic: 'activity', type: 'orders_matched' },
    ],
    10,
  )
  expect(new Set(messages.map(({ type }) => type))).toEqual(new Set(['trades', 'orders_matched']))
  expect(messages[0]?.payload).toMatchObject({
    proxyWallet: expect.stringMatching(/^0x/),
    transactionHash: expect.stringMatching(/^0x/),
  })
})

test('comments and reactions, each of its own type, and all of one parent', async () => {
  const types = ['comment_created', 'reaction_created', 'reaction_removed', 'comment_removed']
  const messages = await collect([{ topic: 'comments', type: '*' }], 80)
  expect([...new Set(messages.map(({ type }) => type))].sort()).toEqual(types.sort())
  const created = messages.filter(({ type }) => type === 'comment_created')
  const idsOf = (some: Message[]) => some.map(({ payload }) => Reflect.get(payload, 'id'))
  expect(new Set(idsOf(created)).size).toBe(created.length)
  // What is removed was there; comments from before the client came are unknown to it.
  const [firstId] = idsOf(created)
  const removed = idsOf(messages.filter(({ type }) => type === 'comment_removed'))
  for (const id of removed.filter((each) => each >= firstId)) expect(idsOf(created)).toContain(id)

  // Of all parents the series of windows are commented on most often.
  const parents = created.map(({ payload }) => Object(payload))
  const { parentEntityID, parentEntityType } = parents.find(
    (payload) => payload.parentEntityType === 'Series',
  )
  const filters = JSON.stringify({ parentEntityID, parentEntityType })
  const [filtered] = await collect([{ topic: 'comments', type: 'comment_created', filters }], 1)
  expect(filtered?.payload).toMatchObject({ parentEntityID, parentEntityType })
})

// It checks every message against its schemas, and drops those that are not as they should be.
test('comments as the newest client reads them', async () => {
  vi.stubGlobal('WebSocket', WebSocket)
  const environment = forkEnvironmentConfig({ name: 'simulated', rtds: { ws: host.wsUrl } })
  const types = ['comment_created', 'comment_removed', 'reaction_created', 'reaction_removed'] as const
  const client = createPublicClient({ environment })
  const handle = await client.subscribe([{ topic: 'comments', types: [...types] }])
  const seen = new Set<string>()
  const reading = (async () => {
    for await (const { type } of handle) seen.add(type)
  })()
  await vi.waitFor(
    () => {
      universe.advance(universe.nowMs + 1000)
      expect([...seen].sort()).toEqual([...types].sort())
    },
    { timeout: 60_000, interval: 5 },
  )
  await handle.close()
  await reading
  vi.unstubAllGlobals()
})
