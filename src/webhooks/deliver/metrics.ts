import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>

export function createDeliveryMetrics(registry: Registry) {
  const registers = [registry]
  return {
    attempts: new Counter({
      name: 'auspex_webhook_attempts_total',
      help: 'Attempts to deliver an event to a webhook, by result: success, failure, interrupted',
      labelNames: ['result'] as const,
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'auspex_webhook_attempt_seconds',
      help: 'How long receivers of webhooks take to answer',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    latencySeconds: new Histogram({
      name: 'auspex_webhook_latency_seconds',
      help: 'From the matching of an event to the first attempt to deliver it',
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
      registers,
    }),
    waiting: new Gauge({
      name: 'auspex_webhook_pending',
      help: 'Webhooks with deliveries that wait for an attempt',
      registers,
    }),
    lateSeconds: new Gauge({
      name: 'auspex_webhook_late_seconds',
      help: 'How late the oldest due delivery is',
      registers,
    }),
  }
}
