import { type Message, RealTimeDataClient } from '@polymarket/real-time-data-client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { createRtdsHost } from './rtds.js'

const START_MS = Date.UTC(2026, 10, 12)
const universe = new Universe({ seed: 5, startMs: START_MS, intensity: 4 })
let host: Host

beforeAll(async () => {
  universe.advance(START_MS)
  host = await openHost('rtds', new Faults(), createRtdsHost(universe))
  // It says on the console that it was disconnected, also when it was told to.
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
    { timeout: 20_000, interval: 5 },
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
  expect(new Set(messages.map(({ payload }) => Reflect.get(payload, 'symbol')))).toEqual(
    new Set(['ethusdt']),
  )
})

test('prices of the oracle: a snapshot, then updates', async () => {
  const filters = '{"symbol":"btc/usd"}'
  const [snapshot, update] = await collect(
    [{ topic: 'crypto_prices_chainlink', type: '*', filters }],
    2,
  )
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
