import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '../../../test/manual-clock.js'
import { openPeerServer } from '../../../test/peer-server.js'
import { until } from '../../../test/until.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { RtdsSource } from './rtds.js'
import type { PriceGap, PriceSourceOptions, PriceTick } from './source.js'

const TUNING = { timings: { backoff: { baseMs: 2, maxMs: 20 } } }
const NOW_MS = 1_791_000_100_000
const frame = (sec: number, symbol = 'btc/usd') =>
  JSON.stringify({
    topic: 'crypto_prices_chainlink',
    type: 'update',
    payload: { symbol, timestamp: 1_791_000_000_000 + sec * 1_000, value: 65_000.5 },
  })

async function open(changes: Partial<PriceSourceOptions> = {}) {
  const server = await openPeerServer()
  const received: string[] = []
  server.onPeer((peer) => peer.on('message', (data) => received.push(data.toString())))
  const ticks: PriceTick[] = []
  const gaps: PriceGap[] = []
  const clock = new ManualClock(NOW_MS)
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const source = new RtdsSource({
    url: server.url,
    coins: ['btc'],
    clock,
    metrics: createUpstreamMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    tuning: TUNING,
    ...changes,
  })
  expect(source.health()).toEqual({ name: 'rtds', state: 'closed' })
  source.start(controller.signal, {
    onTick: (tick) => ticks.push(tick),
    onGap: (gap) => gaps.push(gap),
  })
  await until(() => received.length === 4)
  return { server, received, ticks, gaps, clock, source }
}

test('each topic is subscribed by a frame of its own, without filters', async () => {
  const { received } = await open()
  const subscribe = (topic: string) =>
    JSON.stringify({ action: 'subscribe', subscriptions: [{ topic, type: 'update' }] })
  expect(received).toEqual([
    subscribe('crypto_prices'),
    subscribe('crypto_prices_chainlink'),
    subscribe('crypto_prices_twap_thirty'),
    subscribe('crypto_prices_twap_sixty'),
  ])
})

test('a refused subscription does not disturb what flows', async () => {
  const { server, ticks, source } = await open()
  const refusal = JSON.stringify({
    message: 'Invalid request body',
    connectionId: 'c',
    requestId: 'r',
  })
  for (const text of [refusal, '', frame(0), frame(0), frame(1), frame(1, 'zec/usd')])
    server.peers[0]?.send(text)
  await until(() => ticks.length === 2)
  expect(server.attempts).toHaveLength(1)
  expect(source.health()).toEqual({
    name: 'rtds',
    state: 'open',
    openedMs: NOW_MS,
    lastTickMs: NOW_MS,
    lastTimestampMs: 1_791_000_001_000,
  })
})

test('an outage without an interruption is a gap of each stream', async () => {
  const { server, ticks, gaps } = await open()
  for (const sec of [0, 1, 3, 8, 14]) server.peers[0]?.send(frame(sec))
  await until(() => ticks.length === 5)
  expect(gaps).toEqual([
    {
      source: 'rtds',
      coin: 'btc',
      kind: 'spot',
      fromMs: 1_791_000_008_000,
      toMs: 1_791_000_014_000,
      reason: 'missing',
    },
  ])
})

test('a gap begins with the newest timestamp that came, and is reported once', async () => {
  const { server, received, ticks, gaps, clock } = await open()
  server.peers[0]?.send(frame(0))
  await until(() => ticks.length === 1)
  server.peers[0]?.terminate()
  clock.advance(30_000)
  await until(() => received.length === 8)
  server.peers[1]?.send(frame(20))
  await until(() => ticks.length === 2)
  expect(gaps).toEqual([{ source: 'rtds', fromMs: 1_791_000_000_000, toMs: NOW_MS + 30_000, reason: 'lost' }])
})

test('a server that repeats itself is as good as silent', async () => {
  const { server, received, ticks } = await open({ tuning: { ...TUNING, silentAfterMs: 60 } })
  const repeating = setInterval(() => server.peers[0]?.send(frame(0)), 5)
  onTestFinished(() => clearInterval(repeating))
  await until(() => received.length >= 8)
  expect(ticks).toHaveLength(1)
})
