import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { V3 } from '../../accounts/access.js'
import { notFound, tooManyRequests } from '../../core/errors.js'
import { onAbort } from '../../lib/abort.js'
import { FairSemaphore } from '../../lib/fair-semaphore.js'
import { pause } from '../../lib/timing.js'
import type { Platform } from '../../platform.js'
import type { SecretBox } from '../../store/secret-box.js'
import { createListener } from './listeners.js'
import { deleteListener, recordResults, selectPending, touchListener } from './queries.js'
import {
  ListenerBody,
  ListenerDeletedReply,
  ListenerParams,
  ListenerReply,
  PollQuery,
  PollReply,
  ResultsBody,
  ResultsReply,
} from './schemas.js'

const PATH = '/v3/webhooks/listeners'
/** The bodies of an answer: with the first one that goes over it, it ends. */
const EVENT_BYTES_MAX = 1024 * 1024

/**
 * What `auspex listen` asks. These paths are its own and may change with it, so the OpenAPI document
 * does not have them.
 */
export const listenerRoutes =
  (platform: Platform, { secretBox }: { secretBox: SecretBox }): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { clock } = platform
    const polls = new EventPolls()
    const stopping = new AbortController()
    app.addHook('preClose', async () => stopping.abort())
    const config = { access: V3 }

    const find = async (request: FastifyRequest) => {
      const { id: name } = request.params as { id: string }
      const asked = { accountId: accountOf(request), name, nowMs: clock.now() }
      const webhook = await touchListener(platform.sql, asked)
      if (webhook === undefined) throw listenerNotFound()
      return webhook
    }

    app.post(
      PATH,
      { config, schema: { hide: true, body: ListenerBody, response: { 201: ListenerReply } } },
      async (request, reply) => {
        const listener = await createListener(
          { sql: platform.sql, clock, secretBox },
          accountOf(request),
          request.body,
        )
        return reply.code(201).send(listener)
      },
    )

    app.get(
      `${PATH}/:id/events`,
      {
        config: { ...config, isLongPoll: true },
        schema: { hide: true, params: ListenerParams, querystring: PollQuery, response: { 200: PollReply } },
      },
      async (request, reply) => {
        const { wait_ms: waitMs, limit } = request.query
        const webhook = await find(request)
        const look = () => selectPending(platform.sql, { webhook, limit, bytesMax: EVENT_BYTES_MAX })
        const gone = new AbortController()
        const unlink = onAbort(stopping.signal, () => gone.abort())
        // A response closes when it is sent or when the client is gone.
        reply.raw.once('close', () => gone.abort())
        const wait = { accountId: accountOf(request), waitMs, signal: gone.signal }
        const events = await polls.wait(wait, look).finally(unlink)
        return { events: events.map(presentListened) }
      },
    )

    app.post(
      `${PATH}/:id/results`,
      {
        config,
        schema: { hide: true, params: ListenerParams, body: ResultsBody, response: { 200: ResultsReply } },
      },
      async (request) => {
        const webhook = await find(request)
        const { results } = request.body
        return { recorded: await recordResults(platform.sql, webhook, results, clock.now()) }
      },
    )

    app.delete(
      `${PATH}/:id`,
      {
        config,
        schema: { hide: true, params: ListenerParams, response: { 200: ListenerDeletedReply } },
      },
      async (request) => {
        const { id: name } = request.params
        const asked = { accountId: accountOf(request), name, nowMs: clock.now() }
        if (!(await deleteListener(platform.sql, asked))) throw listenerNotFound()
        return { deleted: true as const }
      },
    )
  }

const listenerNotFound = () => notFound('Listener not found.')

function accountOf({ caller }: FastifyRequest): number {
  if (caller === undefined) throw new Error('the route is not public')
  return caller.accountId
}

type Listened = { eventId: string; eventType: string; body: string; createdAt: Date }

const presentListened = ({ eventId, eventType, body, createdAt }: Listened) => ({
  event_id: `evt_${eventId}`,
  event_type: eventType,
  body,
  created_at: createdAt.toISOString(),
})

/** How often a poll that waits looks for events. */
const LOOK_MS = 200
/** Polls of an account that wait in this process. */
const POLLS_MAX = 3

/** Requests for events that wait until some are there. Between two looks they hold no connection. */
class EventPolls {
  readonly #semaphore = new FairSemaphore()

  /** Looks until something is found, the time is over or the signal aborts: then empty. */
  async wait<Found>(
    { accountId, waitMs, signal }: { accountId: number; waitMs: number; signal: AbortSignal },
    look: () => Promise<Found[]>,
  ): Promise<Found[]> {
    const slot = { owner: accountId, ownMax: POLLS_MAX, waitMsMax: 0, refuse: refusePoll }
    return await this.#semaphore.run(slot, () => lookUntil(performance.now() + waitMs, signal, look))
  }
}

const refusePoll = () =>
  tooManyRequests(`${POLLS_MAX} requests of this account wait for events already.`, LOOK_MS)

async function lookUntil<Found>(
  deadlineMs: number,
  signal: AbortSignal,
  look: () => Promise<Found[]>,
): Promise<Found[]> {
  while (!signal.aborted) {
    const found = await look()
    const leftMs = deadlineMs - performance.now()
    if (found.length > 0 || leftMs <= 0) return found
    await pause(Math.min(LOOK_MS, leftMs), signal)
  }
  return []
}
