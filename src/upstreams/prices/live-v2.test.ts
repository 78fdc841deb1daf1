import { pino } from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '../../../test/manual-clock.js'
import { openPeerServer } from '../../../test/peer-server.js'
import { until } from '../../../test/until.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { LiveV2Source } from './live-v2.js'
import type { PriceGap, PriceTick } from './source.js'

const NOW_MS = 1_791_000_100_000
const credentials = { apiKey: 'key', secret: 'secret', passphrase: 'phrase' }

const frame = (seq: number, extra: object = {}) =>
  JSON.stringify({
    v: 1,
    channel: 'price.crypto',
    seq,
    ts: NOW_MS,
    ...extra,
    payload: {
      symbol: 'btcusd',
      value: 65_000 + seq,
      timestamp: 1_791_000_000_000 + seq * 1_000,
      source: 'pyth',
    },
  })

async function open(answers: readonly string[] = ['{"op":"authed","rid":"auth"}']) {
  const server = await openPeerServer()
  const received: object[] = []
  server.onPeer((peer) => {
    peer.on('message', (data) => {
      received.push(JSON.parse(data.toString()))
      if (received.length === 1) for (const answer of answers) peer.send(answer)
    })
  })
  const ticks: PriceTick[] = []
  const gaps: PriceGap[] = []
  const waits: number[] = []
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const log = pino(
    { base: null },
    {
      write: (line: string) => {
        const { msg, waitMs } = JSON.parse(line)
        if (msg === 'upstream socket ended') waits.push(waitMs)
      },
    },
  )
  const source = new LiveV2Source({
    url: server.url,
    coins: ['btc', 'hype'],
    credentials,
    clock: new ManualClock(NOW_MS),
    metrics: createUpstreamMetrics(new Registry()),
    log,
    tuning: { timings: { backoff: { baseMs: 2, maxMs: 20 } } },
  })
  source.start(controller.signal, {
    onTick: (tick) => ticks.push(tick),
    onGap: (gap) => gaps.push(gap),
  })
  await until(() => received.length > 0)
  return { server, received, ticks, gaps, waits, source }
}

test('says who we are, then subscribes to what there is of each coin', async () => {
  const { received } = await open()
  await until(() => received.length === 2)
  expect(received).toEqual([
    { op: 'auth', rid: 'auth', auth: credentials },
    {
      op: 'subscribe',
      rid: 'prices',
      subscriptions: [
        { channel: 'price.crypto', filter: { symbol: 'btcusd' } },
        { channel: 'price.crypto.twap', filter: { symbol: 'btcusd', window_seconds: 60 } },
        { channel: 'price.crypto.twap', filter: { symbol: 'hypeusd', window_seconds: 60 } },
      ],
    },
  ])
})

describe('numbers', () => {
  test('one after the other is all right, one again is left out', async () => {
    const { server, ticks, gaps } = await open()
    for (const seq of [1, 2, 2, 1, 3]) server.peers[0]?.send(frame(seq))
    await until(() => ticks.length === 3)
    expect(ticks.map(({ price }) => price)).toEqual(['65001', '65002', '65003'])
    expect(gaps).toEqual([])
  })

  test.each([
    ['a number that is missing', frame(4)],
    ['what the server says it left out', frame(3, { dropped: 2 })],
    ['both at once', frame(40, { dropped: 2 })],
  ])('%s is a gap of the channel', async (_name, text) => {
    const { server, ticks, gaps } = await open()
    for (const each of [frame(1), frame(2), text]) server.peers[0]?.send(each)
    await until(() => ticks.length === 3)
    expect(gaps).toEqual([
      {
        source: 'live_v2',
        kind: 'spot',
        fromMs: 1_791_000_002_000,
        toMs: NOW_MS,
        reason: 'missing',
      },
    ])
  })

  test('that start over within a connection are a gap, and the prices come all the same', async () => {
    const { server, ticks, gaps } = await open()
    const again = frame(1).replace('1791000001000', '1791000012000')
    for (const text of [frame(10), frame(11), again]) server.peers[0]?.send(text)
    await until(() => ticks.length === 3)
    expect(gaps).toMatchObject([{ kind: 'spot', fromMs: 1_791_000_011_000, reason: 'missing' }])
  })

  test('start over with the connection, and a gap is reported once', async () => {
    const { server, ticks, gaps } = await open()
    for (const seq of [1, 2]) server.peers[0]?.send(frame(seq))
    await until(() => ticks.length === 2)
    server.peers[0]?.terminate()
    await until(() => server.peers.length === 2)
    server.peers[1]?.send(frame(30))
    await until(() => ticks.length === 3)
    expect(gaps).toMatchObject([{ source: 'live_v2', reason: 'lost' }])
    expect(gaps[0]?.kind).toBeUndefined()
  })
})

describe('refusals', () => {
  test.each([
    ['auth_invalid', 300_000],
    ['auth_required', 300_000],
    ['auth_unavailable', 0],
  ])('%s: the wait before the next attempt', async (code, waitMsMin) => {
    const { waits } = await open([JSON.stringify({ op: 'error', code, rid: 'auth' })])
    await until(() => waits.length > 0)
    expect(waits[0]).toBeGreaterThanOrEqual(waitMsMin)
    if (waitMsMin === 0) expect(waits[0]).toBeLessThan(1_000)
  })

  test.each([
    [4001, 300_000, 300_000],
    [4002, 0, 100],
    [4003, 0, 10_000],
    [4008, 60_000, 60_000],
  ])('close code %i', async (code, waitMsMin, waitMsMax) => {
    const { server, waits } = await open()
    server.peers[0]?.close(code)
    await until(() => waits.length > 0)
    expect(waits[0]).toBeGreaterThanOrEqual(waitMsMin)
    expect(waits[0]).toBeLessThanOrEqual(waitMsMax)
  })

  test('a channel that is refused does not disturb the others', async () => {
    const refusal = JSON.stringify({ op: 'error', code: 'invalid_filter', channel: 'price.crypto' })
    const { server, ticks, waits } = await open(['{"op":"authed"}', refusal])
    server.peers[0]?.send(frame(1))
    await until(() => ticks.length === 1)
    expect(waits).toEqual([])
  })
})
