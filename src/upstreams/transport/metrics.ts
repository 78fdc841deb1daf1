import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { UpstreamHealth } from './health.js'

export type UpstreamMetrics = ReturnType<typeof createUpstreamMetrics>

/** What every connector reports about the upstream it reads. */
export function createUpstreamMetrics(registry: Registry) {
  const registers = [registry]
  return {
    /** The same for `/v1/status`, with the last fault in words. */
    health: new UpstreamHealth(),
    requests: new Counter({
      name: 'auspex_upstream_requests_total',
      help: 'Requests sent to an upstream, each try counted, by result: ok, refused, failed, timeout, garbage',
      labelNames: ['upstream', 'result'] as const,
      registers,
    }),
    seconds: new Histogram({
      name: 'auspex_upstream_request_seconds',
      help: 'Time from sending a request to having read its answer',
      labelNames: ['upstream'] as const,
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
      registers,
    }),
    breaker: new Gauge({
      name: 'auspex_upstream_breaker_state',
      help: '0 closed, 1 half-open, 2 open: no requests are sent',
      labelNames: ['upstream'] as const,
      registers,
    }),
    connected: new Gauge({
      name: 'auspex_upstream_socket_connected',
      help: 'Sockets that are open and answer',
      labelNames: ['upstream'] as const,
      registers,
    }),
    connectedAt: new Gauge({
      name: 'auspex_upstream_socket_connected_timestamp_seconds',
      help: 'When the socket that is open now was opened; 0 while none is',
      labelNames: ['upstream'] as const,
      registers,
    }),
    reconnects: new Counter({
      name: 'auspex_upstream_socket_reconnects_total',
      help: 'Attempts to open a socket again, by why the last one ended',
      labelNames: ['upstream', 'reason'] as const,
      registers,
    }),
    frames: new Counter({
      name: 'auspex_upstream_frames_total',
      help: 'Frames received, by result: ok, ignored, garbage, dropped',
      labelNames: ['upstream', 'result'] as const,
      registers,
    }),
    gaps: new Counter({
      name: 'auspex_upstream_gaps_total',
      help: 'Stretches of a stream that were missed and reported to its reader',
      labelNames: ['upstream'] as const,
      registers,
    }),
  }
}
