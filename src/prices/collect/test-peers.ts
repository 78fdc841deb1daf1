import { openPeerServer } from '../../../test/peer-server.js'
import { until } from '../../../test/until.js'
import { FAST } from '../../../test/upstream-socket.js'
import { LiveV2Source } from '../../upstreams/prices/live-v2.js'
import { RtdsSource } from '../../upstreams/prices/rtds.js'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { COINS } from '../../upstreams/upstreams.js'
import { MEAN_SECONDS } from '../streams.js'
import type { Collecting, Shared } from './test-collect.js'

const TOPICS: Readonly<Record<PriceKind, string>> = {
  spot: 'crypto_prices_chainlink',
  twap30: 'crypto_prices_twap_thirty',
  twap60: 'crypto_prices_twap_sixty',
  binance: 'crypto_prices',
}

/** A frame of the platform's socket; the payload may say anything. */
export const rtdsFrame = (payload: object, kind: PriceKind = 'spot', coin = 'btc'): string =>
  JSON.stringify({
    topic: TOPICS[kind],
    type: 'update',
    payload: { symbol: kind === 'binance' ? `${coin}usdt` : `${coin}/usd`, ...payload },
  })

/** The price of a second. */
export const rtdsTick = (sec: number, value: unknown, kind: PriceKind = 'spot', coin?: string): string => {
  const windowSec = MEAN_SECONDS[kind]
  const exact = { full_accuracy_value: `${value}${'0'.repeat(18)}`, window_s: windowSec }
  const payload = { timestamp: sec * 1_000, value, ...(windowSec !== undefined && exact) }
  return rtdsFrame(payload, kind, coin)
}

/** The platform's socket, which says nothing but what the test has it say. */
export async function openRtds() {
  const server = await openPeerServer()
  return {
    connect: (shared: Shared) =>
      new RtdsSource({ ...shared, url: server.url, coins: COINS, tuning: { timings: FAST } }),
    /** Resolves when the collector has read them. */
    say: async (collecting: Collecting, ...frames: readonly string[]) => {
      const of = { upstream: 'rtds' }
      await collecting.untilCount(1, 'auspex_upstream_socket_connected', of)
      const read = await collecting.count('auspex_upstream_frames_total', of)
      for (const frame of frames) server.peers.at(-1)?.send(frame)
      await collecting.untilCount(read + frames.length, 'auspex_upstream_frames_total', of)
    },
    /** Resolves when the collector is back. */
    hangUp: async () => {
      const { length } = server.peers
      server.peers.at(-1)?.terminate()
      await until(() => server.peers.length > length)
    },
  }
}

/** The same for its successor, live_v2, which requires authentication first. */
export async function openLiveV2() {
  const server = await openPeerServer()
  let isSubscribed = false
  let seq = 0
  server.onPeer((peer) => {
    peer.on('message', (data) => {
      const { op, rid, subscriptions } = JSON.parse(data.toString())
      if (op === 'auth') peer.send(JSON.stringify({ op: 'authed', rid }))
      if (op !== 'subscribe') return
      for (const { channel } of subscriptions) peer.send(JSON.stringify({ op: 'subscribed', channel, rid }))
      isSubscribed = true
    })
  })
  const credentials = { apiKey: 'key', secret: 'secret', passphrase: 'phrase' }
  const options = { url: server.url, coins: COINS, credentials, tuning: { timings: FAST } }
  return {
    connect: (shared: Shared) => new LiveV2Source({ ...shared, ...options }),
    say: async (collecting: Collecting, sec: number, value: number) => {
      await until(() => isSubscribed)
      const of = { upstream: 'live_v2' }
      const read = await collecting.count('auspex_upstream_frames_total', of)
      seq += 1
      const exact = { value, full_accuracy_value: String(value) }
      const payload = { symbol: 'btcusd', source: 'chainlink', timestamp: sec * 1_000, ...exact }
      server.peers.at(-1)?.send(JSON.stringify({ v: 1, channel: 'price.crypto', seq, payload }))
      await collecting.untilCount(read + 1, 'auspex_upstream_frames_total', of)
    },
  }
}
