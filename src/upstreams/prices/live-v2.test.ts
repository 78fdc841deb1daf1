import { setTimeout as sleep } from 'node:timers/promises'
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
      full_accuracy_value: `${65_000 + seq}.0`,
      timestamp: 1_791_000_000_000 + seq * 1_000,
      source: 'chainlink',
    },
  })

const AUTHED = { op: 'authed', rid: 'auth' }
const ack = (channel: string, extra: object = {}) => ({ op: 'subscribed', rid: 'prices', channel, ...extra })
const refusal = (code: string, channel?: string, rid = 'prices') => ({ op: 'error', code, channel, rid })
const [SPOT, TWAP] = ['price.crypto', 'price.crypto.twap']
const ACKS = [ack(SPOT), ack(TWAP), ack(TWAP)]

/** A server that gives the first answers to an authentication and the others to a subscription. */
async function open(toAuth: readonly object[] = [AUTHED], toSubscribe: readonly object[] = ACKS) {
  const server = await openPeerServer()
  const received: { op: string; atMs: number }[] = []
  server.onPeer((peer) => {
    peer.on('message', (data) => {
      const message = JSON.parse(data.toString())
      received.push({ ...message, atMs: performance.now() })
      for (const answer of message.op === 'auth' ? toAuth : toSubscribe) peer.send(JSON.stringify(answer))
    })
  })
  const ticks: PriceTick[] = []
  const gaps: PriceGap[] = []
  const waits: number[] = []
  const details: string[] = []
  const warnings: object[] = []
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const log = pino(
    { base: null, level: 'debug' },
    {
      write: (line: string) => {
        const { level, time: _time, upstream: _upstream, ...shown } = JSON.parse(line)
        if (shown.msg === 'upstream socket ended') {
          waits.push(shown.waitMs)
          details.push(shown.detail)
        } else if (level >= 40) warnings.push(shown)
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
    answerMsMax: 300,
    tuning: { timings: { backoff: { baseMs: 2, maxMs: 20 } } },
  })
  source.start(controller.signal, {
    onTick: (tick) => ticks.push(tick),
    onGap: (gap) => gaps.push(gap),
  })
  await until(() => received.length > 0)
  return { server, received, ticks, gaps, waits, details, warnings, source }
}

test('says who we are, then subscribes to what there is of each coin, not too fast', async () => {
  const { received } = await open()
  await until(() => received.length === 2)
  const [auth, subscribe] = received
  expect(auth).toMatchObject({ op: 'auth', rid: 'auth', auth: credentials })
  expect(subscribe).toMatchObject({
    op: 'subscribe',
    rid: 'prices',
    subscriptions: [
      { channel: 'price.crypto', filter: { symbol: 'btcusd', provider: 'chainlink' } },
      { channel: 'price.crypto.twap', filter: { symbol: 'btcusd', window_seconds: 60 } },
      { channel: 'price.crypto.twap', filter: { symbol: 'hypeusd', window_seconds: 60 } },
    ],
  })
  expect(Number(subscribe?.atMs) - Number(auth?.atMs)).toBeGreaterThanOrEqual(105)
})

describe('answers', () => {
  test.each([
    ['to the authentication', [], []],
    ['to the subscriptions', [AUTHED], []],
    ['to the last subscription', [AUTHED], ACKS.slice(1)],
  ])('a connection without an answer %s is given up', async (_name, toAuth, toSubscribe) => {
    const { server, waits, details } = await open(toAuth, toSubscribe)
    await until(() => server.peers.length > 1)
    expect(details[0]).toBe('a frame was not answered')
    expect(waits[0]).toBeLessThan(1_000)
  })

  test('a connection with all answers stays', async () => {
    const { server, ticks, received } = await open()
    await until(() => received.length === 2)
    await sleep(400)
    server.peers[0]?.send(frame(1))
    await until(() => ticks.length === 1)
    expect(server.peers).toHaveLength(1)
  })

  test('a subscription that is refused is named, and does not disturb the others', async () => {
    const answers = [ack(SPOT), ack(TWAP), refusal('bad_filter', TWAP)]
    const { server, ticks, waits, warnings, received } = await open([AUTHED], answers)
    await until(() => received.length === 2)
    server.peers[0]?.send(frame(1))
    await until(() => ticks.length === 1)
    await sleep(400)
    expect(waits).toEqual([])
    const shown = { code: 'bad_filter', channel: TWAP, symbol: 'hypeusd' }
    expect(warnings).toEqual([{ ...shown, msg: 'subscription refused' }])
  })

  test('a refusal of neither the key nor a subscription changes nothing', async () => {
    const { server, ticks, waits, received } = await open()
    await until(() => received.length === 2)
    server.peers[0]?.send(JSON.stringify({ op: 'error', code: 'bad_op' }))
    server.peers[0]?.send(frame(1))
    await until(() => ticks.length === 1)
    expect(waits).toEqual([])
  })

  test('prices of another provider than the requested one are announced, and taken', async () => {
    const answers = [ack(SPOT, { provider: 'pyth' }), ack(TWAP, { provider: 'chainlink' })]
    const { server, ticks, warnings } = await open([AUTHED], [...answers, ack(TWAP)])
    await until(() => warnings.length > 0)
    server.peers[0]?.send(frame(1).replace('chainlink', 'pyth'))
    await until(() => ticks.length === 1)
    expect(ticks).toMatchObject([{ provider: 'pyth' }])
    const shown = { channel: SPOT, symbol: 'btcusd', provider: 'pyth' }
    expect(warnings).toEqual([{ ...shown, msg: 'prices of another provider are served' }])
  })
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
    ['auth_expired', 300_000],
    ['auth_attempts', 300_000],
    ['auth_unavailable', 0],
  ])('%s: the wait before the next attempt', async (code, waitMsMin) => {
    const { waits } = await open([refusal(code, undefined, 'auth')])
    await until(() => waits.length > 0)
    expect(waits[0]).toBeGreaterThanOrEqual(waitMsMin)
    if (waitMsMin === 0) expect(waits[0]).toBeLessThan(1_000)
  })

  test.each([
    ['every subscription', ACKS.map(({ channel }) => refusal('bad_filter', channel))],
    ['the frame', [refusal('rate_limited')]],
    ['the key, for a subscription', [refusal('auth_required', SPOT)]],
  ])('%s: it is left alone for long', async (_what, answers) => {
    const { waits } = await open([AUTHED], answers)
    await until(() => waits.length > 0)
    expect(waits[0]).toBeGreaterThanOrEqual(300_000)
  })

  test.each([
    [4001, 300_000, 300_000],
    [4002, 0, 100],
    [4003, 0, 10_000],
    [4008, 300_000, 300_000],
  ])('close code %i', async (code, waitMsMin, waitMsMax) => {
    const { server, waits } = await open()
    server.peers[0]?.close(code)
    await until(() => waits.length > 0)
    expect(waits[0]).toBeGreaterThanOrEqual(waitMsMin)
    expect(waits[0]).toBeLessThanOrEqual(waitMsMax)
  })
})
