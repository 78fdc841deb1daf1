import { pino } from 'pino'
import { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import { createUpstreamMetrics } from '../src/upstreams/transport/metrics.js'
import { UpstreamSocket } from '../src/upstreams/transport/socket.js'
import type { SocketGap, SocketOptions } from '../src/upstreams/transport/socket-options.js'
import { ManualClock } from './manual-clock.js'

/** Timings that tests can wait for. */
export const FAST = { handshakeMs: 2_000, stableMs: 60_000, backoff: { baseMs: 2, maxMs: 20 } }

/**
 * A socket of texts: `PONG` says nothing, what begins with `?` cannot be read. It keeps what it is
 * told, and is closed with the test.
 */
export function openTestSocket(url: string, changes: Partial<SocketOptions<string>> = {}) {
  const registry = new Registry()
  const clock = new ManualClock(1_000_000)
  const messages: string[] = []
  const gaps: SocketGap[] = []
  const log: ('open' | 'gap' | string)[] = []
  const controller = new AbortController()
  const socket = new UpstreamSocket<string>({
    upstream: 'test',
    url,
    heartbeat: { everyMs: 5, text: 'PING' },
    deadAfterMs: 5_000,
    parse: (text) => {
      if (text === 'PONG') return undefined
      if (text.startsWith('?')) throw new Error('not a frame')
      return text
    },
    onOpen: () => log.push('open'),
    onMessage: (message) => {
      messages.push(message)
      log.push(message)
    },
    onGap: (gap) => {
      gaps.push(gap)
      log.push('gap')
    },
    clock,
    metrics: createUpstreamMetrics(registry),
    log: pino({ level: 'silent' }),
    timings: FAST,
    ...changes,
  })
  socket.start(controller.signal)
  onTestFinished(() => controller.abort())
  const metric = (name: string, labels: Record<string, string> = {}) => sumMetric(registry, name, labels)
  return { socket, clock, messages, gaps, log, controller, metric }
}

/** The sum over all values of a metric that carry these labels. */
export async function sumMetric(
  registry: Registry,
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const { values = [] } = (await registry.getSingleMetric(name)?.get()) ?? {}
  const wanted = Object.entries(labels)
  return values
    .filter((each) => {
      const carried: Record<string, unknown> = each.labels
      return wanted.every(([label, value]) => carried[label] === value)
    })
    .reduce((sum, { value }) => sum + value, 0)
}

/** How often a socket was opened again. */
export const countReconnects = (registry: Registry): Promise<number> =>
  sumMetric(registry, 'auspex_upstream_socket_reconnects_total')
