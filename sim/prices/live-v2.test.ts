import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import type { Peer } from '../server/handlers.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { createLiveV2Host } from './live-v2.js'
import { dial, type TestSocket } from './test-socket.js'

const START_MS = Date.UTC(2026, 10, 12)
const SEC = START_MS / 1000
const KEY = { apiKey: 'key', secret: 'secret', passphrase: 'phrase' }

let universe: Universe
let host: Host
let socket: TestSocket

beforeEach(async () => {
  universe = new Universe({ seed: 3, startMs: START_MS })
  universe.advance(START_MS)
  host = await openHost('live_v2', new Faults(), createLiveV2Host(universe, KEY))
  socket = await dial(`${host.wsUrl}/ws`)
})
afterEach(async () => {
  await socket.close()
  await host.close()
})

/** The answers to a frame and to a ping after it, without the pong. */
async function ask(frame: unknown) {
  const count = socket.frames.length
  socket.send(frame)
  socket.send({ op: 'ping', rid: 'end' })
  const frames = () => socket.frames.slice(count).map((text) => JSON.parse(text))
  while (!frames().some(({ rid }) => rid === 'end')) await socket.until(socket.frames.length + 1)
  return frames().filter(({ rid }) => rid !== 'end')
}

const authenticate = () => ask({ op: 'auth', rid: 'a1', auth: KEY })
const btc = { channel: 'price.crypto', filter: { symbol: 'btcusd' } }
const dogeTwap = {
  channel: 'price.crypto.twap',
  filter: { symbol: 'dogeusd', window_seconds: 60 },
}

test('a key opens the price channels, and nothing else does', async () => {
  expect(await ask({ op: 'subscribe', rid: 's0', ...btc })).toEqual([
    { op: 'error', code: 'auth_required', channel: 'price.crypto', rid: 's0' },
  ])
  expect(await ask({ op: 'auth', rid: 'a0', auth: { ...KEY, secret: 'no' } })).toEqual([
    { op: 'error', code: 'auth_invalid', rid: 'a0' },
  ])
  expect(await authenticate()).toEqual([{ op: 'authed', rid: 'a1' }])
})

test('a subscription is acknowledged, shows two minutes, and then goes on every second', async () => {
  await authenticate()
  const [ack, snapshot, ackTwap, snapshotTwap] = await ask({
    op: 'subscribe',
    rid: 's1',
    subscriptions: [btc, dogeTwap],
  })
  expect(ack).toEqual({ op: 'subscribed', channel: 'price.crypto', provider: 'pyth', rid: 's1' })
  expect(snapshot).toMatchObject({
    v: 1,
    channel: 'price.crypto',
    seq: 1,
    ts: START_MS,
    snapshot: true,
    payload: { symbol: 'btcusd', source: 'pyth' },
  })
  expect(snapshot.payload.data).toHaveLength(120)
  expect(snapshot.payload.data.at(-1).timestamp).toBe(START_MS)
  expect(ackTwap).toMatchObject({ op: 'subscribed', channel: 'price.crypto.twap', rid: 's1' })
  const twap = { source: 'chainlink', window_seconds: 60 }
  expect(snapshotTwap).toMatchObject({ seq: 1, payload: twap })

  const count = socket.frames.length
  universe.advance(START_MS + 2000)
  await socket.until(count + 4)
  const frames = socket.frames.slice(count).map((text) => JSON.parse(text))
  const { priceE8 } = universe.prices.spot('btc', SEC + 1)
  expect(frames[0]).toEqual({
    v: 1,
    channel: 'price.crypto',
    seq: 2,
    ts: START_MS + 1000,
    payload: {
      symbol: 'btcusd',
      value: priceE8 / 1e8,
      full_accuracy_value: (priceE8 / 1e8).toFixed(8),
      timestamp: START_MS + 1000,
      source: 'pyth',
    },
  })
  expect(frames[1].payload).toMatchObject({ symbol: 'dogeusd', window_seconds: 60 })
  expect(frames.map(({ seq }) => seq)).toEqual([2, 2, 3, 3])
})

test('repeating a subscription is acknowledged without a snapshot; unsubscribing ends it', async () => {
  await authenticate()
  await ask({ op: 'subscribe', rid: 's1', ...btc })
  expect(await ask({ op: 'subscribe', rid: 's2', ...btc })).toHaveLength(1)
  expect(await ask({ op: 'unsubscribe', rid: 'u1', ...btc })).toEqual([
    { op: 'unsubscribed', channel: 'price.crypto', rid: 'u1' },
  ])
  universe.advance(START_MS + 5000)
  expect(await ask({ op: 'ping', rid: 'p' })).toEqual([{ op: 'pong', rid: 'p' }])
})

test('channels of shares are open and empty', async () => {
  await authenticate()
  const [, snapshot] = await ask({
    op: 'subscribe',
    subscriptions: [{ channel: 'price.equity', filter: { symbol: 'aapl' } }],
  })
  expect(snapshot.payload).toEqual({ symbol: 'aapl', source: 'massive', data: [] })
})

test.each([
  ['bad_op', 'hello'],
  ['bad_op', { op: 'dance' }],
  ['bad_channel', { op: 'subscribe', channel: 'price.weather', filter: {} }],
  ['bad_filter', { op: 'subscribe', channel: 'price.crypto', filter: { symbol: 'hypeusd' } }],
  ['bad_filter', { op: 'subscribe', channel: 'price.crypto', filter: { symbol: 'BTCUSD' } }],
  ['bad_filter', { op: 'subscribe', channel: 'price.crypto', filter: {} }],
  ['bad_filter', { op: 'subscribe', channel: 'price.crypto', filter: { symbol: 'btcusd', provider: 'me' } }],
  ['bad_filter', { op: 'subscribe', channel: 'price.crypto.twap', filter: { symbol: 'btcusd' } }],
])('error %s', async (code, frame) => {
  await authenticate()
  expect(await ask(frame)).toEqual([expect.objectContaining({ op: 'error', code })])
})

test('a provider can be asked for, and the one that is served is named', async () => {
  await authenticate()
  const of = (provider: string, symbol: string) => ({
    channel: 'price.crypto',
    filter: { symbol, provider },
  })
  const mean = { ...dogeTwap, filter: { ...dogeTwap.filter, provider: 'pyth' } }
  const subscriptions = [of('chainlink', 'btcusd'), of('pyth', 'ethusd'), mean]
  const answers = await ask({ op: 'subscribe', subscriptions })
  expect(answers.flatMap(({ op, provider }) => (op === 'subscribed' ? provider : []))).toEqual([
    'chainlink',
    'pyth',
    'chainlink',
  ])
  expect(answers.flatMap(({ payload }) => payload?.source ?? [])).toEqual(['chainlink', 'pyth', 'chainlink'])
})

describe('limits', () => {
  const lastFrame = () => JSON.parse(socket.frames.at(-1) ?? '')

  test('64 subscriptions', async () => {
    await authenticate()
    const subscriptions = Array.from({ length: 64 }, (_, index) => ({
      channel: 'price.equity',
      filter: { symbol: `s${index}` },
    }))
    const answers = await ask({ op: 'subscribe', subscriptions })
    expect(answers.filter(({ op }) => op === 'subscribed')).toHaveLength(64)
    socket.send({ op: 'subscribe', channel: 'price.equity', filter: { symbol: 's64' } })
    expect(await socket.closed).toBe(4008)
    expect(lastFrame()).toMatchObject({ op: 'error', code: 'sub_limit', channel: 'price.equity' })
  })

  test('20 subscribe frames a second: 4008', async () => {
    await authenticate()
    for (let n = 0; n < 21; n++) socket.send({ op: 'subscribe', ...btc })
    expect(await socket.closed).toBe(4008)
    expect(lastFrame()).toMatchObject({ op: 'error', code: 'rate_limited' })
  })

  test('64 KB a frame: 4008', async () => {
    socket.send('x'.repeat(64 * 1024 + 1))
    expect(await socket.closed).toBe(4008)
  })

  test('8 attempts to authenticate: 4008', async () => {
    for (let n = 0; n < 9; n++) socket.send({ op: 'auth', auth: { ...KEY, apiKey: `${n}` } })
    expect(await socket.closed).toBe(4008)
    expect(lastFrame()).toMatchObject({ op: 'error', code: 'auth_attempts' })
  })
})

test('another path is refused', async () => {
  await expect(dial(`${host.wsUrl}/`)).rejects.toThrow('404')
})

test('without credentials of its own it takes any complete key', async () => {
  const open = await openHost('live_v2', new Faults(), createLiveV2Host(universe))
  const stranger = await dial(`${open.wsUrl}/ws`)
  stranger.send({ op: 'auth', auth: { apiKey: 'a', secret: 'b', passphrase: '' } })
  stranger.send({ op: 'auth', auth: { apiKey: 'a', secret: 'b', passphrase: 'c' } })
  await stranger.until(2)
  expect(stranger.frames.map((text) => JSON.parse(text).op)).toEqual(['error', 'authed'])
  await stranger.close()
  await open.close()
})

test('a client that lags hears how much it missed, and a slow one is closed with 4002', () => {
  const client = lazyClient()
  createLiveV2Host(universe).connect?.(client.peer)
  client.say({ op: 'auth', auth: KEY })
  client.say({ op: 'subscribe', ...btc })
  client.leaveUnread(2 * 1024 * 1024)
  universe.advance(universe.nowMs + 3000)
  client.leaveUnread(0)
  universe.advance(universe.nowMs + 1000)
  expect(JSON.parse(client.sent.at(-1) ?? '')).toMatchObject({ seq: 2, dropped: 3 })
  client.leaveUnread(16 * 1024 * 1024)
  universe.advance(universe.nowMs + 1000)
  expect(client.closes).toEqual([4002])
})

/** A client that reads when it likes: real sockets buffer too much to show it. */
function lazyClient() {
  const sent: string[] = []
  const closes: number[] = []
  let unread = 0
  let listener = (_text: string): void => undefined
  const query = new URLSearchParams()
  const peer: Peer = {
    request: { method: 'GET', path: '/ws', query, url: '/ws', headers: {}, body: '' },
    send: (message) => sent.push(typeof message === 'string' ? message : JSON.stringify(message)),
    close: (code) => closes.push(code),
    onText: (onText) => {
      listener = onText
    },
    onClose: () => undefined,
    bufferedBytes: () => unread,
  }
  const say = (frame: unknown) => listener(JSON.stringify(frame))
  const leaveUnread = (bytes: number) => {
    unread = bytes
  }
  return { peer, sent, closes, say, leaveUnread }
}
