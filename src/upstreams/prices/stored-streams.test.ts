import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { createLiveV2Host } from '../../../sim/prices/live-v2.js'
import { createRtdsHost } from '../../../sim/prices/rtds.js'
import { Faults } from '../../../sim/server/faults.js'
import { openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { until } from '../../../test/until.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { LiveV2Source } from './live-v2.js'
import { RtdsSource } from './rtds.js'
import type { PriceGap, PriceSource, PriceTick, StoredStreams } from './source.js'

const credentials = { apiKey: 'key', secret: 'secret', passphrase: 'phrase' }
/** Longer than what the snapshot of a subscription brings back. */
const AWAY_SECONDS = 300

const startMs = Date.UTC(2026, 10, 15, 12)
const universe = new Universe({ seed: 5, startMs, intensity: 0 })
universe.advance(startMs)
const liveOn = (seconds = 1) => universe.advance(universe.nowMs + seconds * 1_000)

const shared = {
  coins: ['btc'],
  clock: { now: () => universe.nowMs },
  metrics: createUpstreamMetrics(new Registry()),
  log: pino({ level: 'silent' }),
}
const UPSTREAMS = {
  rtds: {
    // Here seconds pass faster than pings are sent.
    parts: () => createRtdsHost(universe, { dropShare: 0, silentAfterMs: Number.POSITIVE_INFINITY }),
    connect: (url: string): PriceSource => new RtdsSource({ ...shared, url }),
    streams: 4,
  },
  live_v2: {
    parts: () => createLiveV2Host(universe, credentials),
    connect: (url: string): PriceSource => new LiveV2Source({ ...shared, url: `${url}/ws`, credentials }),
    streams: 2,
  },
}

/** One life of a source, until it is ended. */
function live(source: PriceSource, stored?: StoredStreams) {
  const ticks: PriceTick[] = []
  const gaps: PriceGap[] = []
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const listener = {
    onTick: (tick: PriceTick) => ticks.push(tick),
    onGap: (gap: PriceGap) => gaps.push(gap),
  }
  source.start(controller.signal, listener, stored)
  const untilEach = (streams: number, afterMs: number) =>
    until(() => {
      liveOn()
      const newer = ticks.filter(({ timestampMs }) => timestampMs > afterMs)
      return new Set(newer.map(({ kind }) => kind)).size === streams
    })
  return { ticks, gaps, untilEach, end: () => controller.abort() }
}

test.each(['rtds', 'live_v2'] as const)(
  '%s: what is missing since the last stored tick is a gap of each stream, reported once',
  async (name) => {
    const { parts, connect, streams } = UPSTREAMS[name]
    const host = await openHost(name, new Faults(), parts())
    onTestFinished(() => host.close())
    const earlier = live(connect(host.wsUrl))
    await earlier.untilEach(streams, 0)
    earlier.end()
    expect(earlier.gaps).toEqual([])

    liveOn(AWAY_SECONDS)
    const lastMs = new Map(earlier.ticks.map(({ kind, timestampMs }) => [kind, timestampMs]))
    const later = live(connect(host.wsUrl), (_coin, kind) => {
      const untilMs = lastMs.get(kind)
      return untilMs === undefined ? undefined : { untilMs, missing: [] }
    })
    await later.untilEach(streams, 0)
    await later.untilEach(streams, universe.nowMs)
    const gaps = [...lastMs].map(([kind, fromMs]) => {
      const toMs = later.ticks.find((tick) => tick.kind === kind)?.timestampMs
      return { source: name, coin: 'btc', kind, fromMs, toMs, reason: 'missing' }
    })
    expect(later.gaps).toHaveLength(streams)
    expect(later.gaps).toEqual(expect.arrayContaining(gaps))
  },
)
