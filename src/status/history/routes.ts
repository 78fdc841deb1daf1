import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { PUBLIC } from '../../accounts/access.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import type { Platform } from '../../platform.js'
import { STATUSES } from '../readiness.js'
import { type StatusStep, selectSteps } from './queries.js'
import { HISTORY_HOURS_MAX } from './sampler.js'

/** Samples are written once a minute. */
const CACHE_MS = 30_000
const HOUR_MS = 60 * 60_000

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const HistoryReply = Type.Object(
  {
    from: Type.String({ format: 'date-time' }),
    to: Type.String({ format: 'date-time' }),
    step_seconds: Count('how much time a sample stands for'),
    samples: Type.Array(
      namedObject('StatusSample', {
        at: Type.String({ format: 'date-time', description: 'when it begins' }),
        status: namedEnum(
          'StatusSampleState',
          [...STATUSES, 'no_data'],
          'the worst minute of the best process; `no_data`: no process ran, or none could store what it saw',
        ),
        head_block: nullable(Count('last block that was booked')),
        head_age_seconds: nullable(Count('age of the last block, at its most'), 'null: no block was booked'),
        requests: Count('of all processes'),
        server_errors: Count('requests that were answered with a status of 500 and above, probes aside'),
        upstream_faults: Count('calls and sockets of upstreams that failed'),
        failing_upstreams: Type.Array(Type.String(), { description: 'those that did' }),
      }),
      { description: 'the oldest first, without gaps' },
    ),
  },
  { title: 'StatusHistory', description: 'How the service did, all processes together' },
)

export const statusHistoryRoutes =
  (platform: Platform): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/v1/status/history',
      {
        config: { access: PUBLIC, cacheMs: CACHE_MS },
        schema: {
          operationId: 'getStatusHistory',
          summary: 'How the service did in the last hours',
          description:
            'Needs no key. A sample is a minute of up to 4 hours, 5 minutes of up to a day, half an hour of more. The last one is the last minute that is over. Kept for a week.',
          tags: ['service'],
          querystring: Type.Object({
            hours: Type.Integer({ minimum: 1, maximum: HISTORY_HOURS_MAX, default: 24 }),
          }),
          response: { 200: HistoryReply },
        },
      },
      async (request) => {
        const { hours } = request.query
        const stepSeconds = stepOf(hours)
        const stepMs = stepSeconds * 1000
        // Up to the minute that is over, and from the beginning of a step.
        const toMs = Math.floor(platform.clock.now() / 60_000) * 60_000
        const fromMs = Math.floor((toMs - hours * HOUR_MS) / stepMs) * stepMs
        const steps = await selectSteps(request.readSql(), { fromMs, toMs, stepSeconds })
        const byTime = new Map(steps.map((step) => [step.at.getTime(), step]))
        const count = Math.ceil((toMs - fromMs) / stepMs)
        return {
          from: new Date(fromMs).toISOString(),
          to: new Date(toMs).toISOString(),
          step_seconds: stepSeconds,
          samples: Array.from({ length: count }, (_, index) => {
            const atMs = fromMs + index * stepMs
            return presentStep(atMs, byTime.get(atMs))
          }),
        }
      },
    )
  }

function stepOf(hours: number): number {
  if (hours <= 4) return 60
  return hours <= 24 ? 300 : 1_800
}

const presentStep = (atMs: number, step: StatusStep | undefined) => ({
  at: new Date(atMs).toISOString(),
  status: step === undefined ? ('no_data' as const) : (STATUSES[step.status] ?? 'not_ready'),
  head_block: step?.headBlock ?? null,
  head_age_seconds: step?.headAgeSec ?? null,
  requests: step?.requests ?? 0,
  server_errors: step?.serverErrors ?? 0,
  upstream_faults: step?.upstreamFaults ?? 0,
  failing_upstreams: step?.failing ?? [],
})
