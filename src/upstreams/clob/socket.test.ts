import { pino } from 'pino'
import { Registry } from 'prom-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '../../../test/manual-clock.js'
import { openPeerServer } from '../../../test/peer-server.js'
import { until } from '../../../test/until.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { type ClobGap, ClobSocket, type ClobSocketOptions } from './socket.js'
import type { ClobEvent } from './socket-parse.js'

type Frame = {
  assets_ids: string[]
  type?: string
  operation?: string
  custom_feature_enabled?: boolean
}

const top = (tokenId: string, timestampMs: number) =>
  JSON.stringify({
    event_type: 'best_bid_ask',
    market: '0xab',
    asset_id: tokenId,
    best_bid: String(timestampMs),
    timestamp: String(timestampMs),
  })

async function open(changes: Partial<ClobSocketOptions> = {}) {
  const server = await openPeerServer()
  const frames: Frame[][] = []
  server.onPeer((peer) => {
    const received: Frame[] = []
    frames.push(received)
    peer.on('message', (data) => {
      const text = data.toString()
      if (text !== 'PING') received.push(JSON.parse(text))
    })
  })
  const events: ClobEvent[] = []
  const gaps: ClobGap[] = []
  const controller = new AbortController()
  const socket = new ClobSocket({
    url: server.url,
    clock: new ManualClock(),
    metrics: createUpstreamMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    onEvents: (batch) => void events.push(...batch),
    onGap: (gap) => void gaps.push(gap),
    tuning: { timings: { backoff: { baseMs: 2, maxMs: 20 } } },
    ...changes,
  })
  onTestFinished(() => controller.abort())
  socket.start(controller.signal)
  return { server, frames, events, gaps, socket }
}

describe('subscriptions', () => {
  test('tokens wanted before the connection are subscribed in the first frame', async () => {
    const { frames, socket } = await open()
    socket.subscribe(['1', '2', '2'])
    await until(() => frames[0]?.length === 1)
    expect(frames[0]).toEqual([
      {
        assets_ids: ['1', '2'],
        type: 'market',
        initial_dump: true,
        level: 2,
        custom_feature_enabled: true,
      },
    ])
  })

  test('later tokens are added and removed; one that is known is not subscribed again', async () => {
    const { frames, socket } = await open()
    await until(() => socket.status.state === 'open')
    socket.subscribe(['1'])
    socket.subscribe(['1', '2'])
    socket.subscribe(['2'])
    socket.unsubscribe(['1', '9'])
    await until(() => frames[0]?.length === 3)
    expect(frames[0]?.slice(1)).toEqual([
      { assets_ids: ['2'], operation: 'subscribe', custom_feature_enabled: true },
      { assets_ids: ['1'], operation: 'unsubscribe' },
    ])
    expect(socket.status.tokens).toBe(1)
  })

  test('many tokens go in frames of 500', async () => {
    const { frames, socket } = await open()
    const ids = Array.from({ length: 1_201 }, (_, index) => String(index))
    await until(() => socket.status.state === 'open')
    socket.subscribe(ids)
    await until(() => frames[0]?.length === 3)
    expect(frames[0]?.map(({ type, operation }) => type ?? operation)).toEqual([
      'market',
      'subscribe',
      'subscribe',
    ])
    expect(frames[0]?.flatMap(({ assets_ids }) => assets_ids)).toEqual(ids)
  })

  test('over the bound nothing is added', async () => {
    const { socket } = await open({ tokensMax: 2 })
    socket.subscribe(['1'])
    expect(() => socket.subscribe(['2', '3'])).toThrow('clob_ws: no more than 2 tokens')
    expect(socket.status.tokens).toBe(1)
    socket.subscribe(['1', '2'])
    expect(socket.status.tokens).toBe(2)
  })

  test('a new connection subscribes to everything that is still wanted', async () => {
    const { server, frames, gaps, events, socket } = await open()
    socket.subscribe(['1', '2', '3'])
    await until(() => frames[0]?.length === 1)
    server.peers[0]?.send(top('1', 1))
    await until(() => events.length === 1)
    server.peers[0]?.close(1013)
    socket.unsubscribe(['2'])
    await until(() => frames[1]?.length === 1)
    expect(frames[1]).toMatchObject([{ assets_ids: ['1', '3'], type: 'market' }])

    server.peers[1]?.send(top('1', 2))
    await until(() => events.length === 2)
    expect(gaps).toMatchObject([{ reason: 'closed', tokenIds: ['1', '3'] }])
  })
})

describe('events', () => {
  test('a frame that is sent twice is delivered once', async () => {
    const { server, events } = await open()
    await until(() => server.peers.length === 1)
    for (const text of [top('1', 1), top('1', 1), top('1', 2), 'PONG', top('1', 2), top('1', 3)])
      server.peers[0]?.send(text)
    await until(() => events.length >= 3)
    expect(events).toMatchObject([{ bestBid: '1' }, { bestBid: '2' }, { bestBid: '3' }])
  })

  test('a frame that cannot be read makes the books doubtful', async () => {
    const { server, events, gaps, socket } = await open()
    socket.subscribe(['1'])
    await until(() => server.peers.length === 1)
    for (const text of [top('1', 1), top('1', 2).slice(0, 40), top('1', 3)]) server.peers[0]?.send(text)
    await until(() => events.length === 2)
    expect(gaps).toMatchObject([{ reason: 'garbage', tokenIds: ['1'] }])
    expect(server.attempts).toHaveLength(1)
  })

  test('without tokens silence is no fault, with them it is', async () => {
    const tuning = { silentAfterMs: 20, timings: { backoff: { baseMs: 2, maxMs: 20 } } }
    const { server, socket } = await open({ tuning })
    await until(() => server.peers.length === 1)
    const startedAt = performance.now()
    await until(() => performance.now() - startedAt > 60)
    expect(server.attempts).toHaveLength(1)
    socket.subscribe(['1'])
    await until(() => server.attempts.length > 1)
  })
})
