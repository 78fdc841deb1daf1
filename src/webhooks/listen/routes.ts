import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { ApiError, notFound, tooManyRequests } from '../../core/errors.js'
import { callerOf } from '../../http/guard.js'
import { onAbort } from '../../lib/abort.js'
import { FairSemaphore } from '../../lib/fair-semaphore.js'
import { pause } from '../../lib/timing.js'
import type { Platform } from '../../platform.js'
import type { SecretBox } from '../../store/secret-box.js'
import { transact } from '../../store/transaction.js'
import { countWebhooks, insertWebhook } from '../manage/queries.js'
import { readSecret } from '../manage/read-body.js'
import { createWebhookId, createWebhookSecret } from '../manage/webhook-registry.js'
import { checkRequiredFilters, parseEventTypes, parseFilters } from '../parse-webhook.js'
import { deleteListener, type PendingEvent, recordResults, selectPending, touchListener } from './queries.js'
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
    const polls = new FairSemaphore()
    const stopping = new AbortController()
    app.addHook('preClose', async () => stopping.abort())
    const config = { access: V3 }

    const find = async (request: FastifyRequest) => {
      const { id: publicId } = request.params as { id: string }
      const key = { accountId: callerOf(request).accountId, publicId, nowMs: clock.now() }
      const webhook = await touchListener(platform.sql, key)
      if (webhook === undefined) throw listenerNotFound()
      return webhook
    }

    app.post(
      PATH,
      { config, schema: { hide: true, body: ListenerBody, response: { 201: ListenerReply } } },
      async (request, reply) => {
        const listener = await createListener(
          { sql: platform.sql, clock, secretBox },
          callerOf(request).accountId,
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
        const read = () => selectPending(platform.sql, { webhook, limit, bytesMax: EVENT_BYTES_MAX })
        const gone = new AbortController()
        const unlink = onAbort(stopping.signal, () => gone.abort())
        // A response closes when it is sent or when the client is gone.
        reply.raw.once('close', () => gone.abort())
        const slot = {
          owner: callerOf(request).accountId,
          ownMax: POLLS_MAX,
          waitMsMax: 0,
          refuse: refusePoll,
        }
        const events = await polls
          .run(slot, () => readUntil(performance.now() + waitMs, gone.signal, read))
          .finally(unlink)
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
        const { id: publicId } = request.params
        const key = { accountId: callerOf(request).accountId, publicId, nowMs: clock.now() }
        if (!(await deleteListener(platform.sql, key))) throw listenerNotFound()
        return { deleted: true as const }
      },
    )
  }

/** Of an account at a time. */
const LISTENERS_MAX = 3

/** Makes a listener: a webhook whose events are not sent, but wait until they are polled. */
async function createListener(
  { sql, clock, secretBox }: Pick<Platform, 'sql' | 'clock'> & { secretBox: SecretBox },
  accountId: number,
  body: Static<typeof ListenerBody>,
): Promise<{ id: string; secret: string }> {
  const eventTypes = parseEventTypes(body.event_types)
  const filters = parseFilters(body.filters)
  checkRequiredFilters(eventTypes, filters)
  const secret = readSecret(body.secret) ?? createWebhookSecret()
  const publicId = createWebhookId()
  const encrypted = await secretBox.encrypt(secret, publicId)
  const nowMs = clock.now()
  await transact(sql, async (tx) => {
    if ((await countWebhooks(tx, accountId, { isPolled: true })) >= LISTENERS_MAX) throw tooManyListeners()
    const webhook = { publicId, accountId, url: '', eventTypes, filters, description: null }
    await insertWebhook(tx, { ...webhook, secret: encrypted, nowMs, isPolled: true })
  })
  return { id: publicId, secret }
}

const tooManyListeners = () =>
  new ApiError(403, 'listener_limit_reached', {
    message: `The account has ${LISTENERS_MAX} listeners already.`,
    hint: 'End another `auspex listen`; one that was killed is gone after two minutes.',
  })

const listenerNotFound = () => notFound('Listener not found.')

const presentListened = ({ eventId, eventType, body, createdAt }: PendingEvent) => ({
  event_id: `evt_${eventId}`,
  event_type: eventType,
  body,
  created_at: createdAt.toISOString(),
})

/** How often a poll that waits reads the queue. In between it holds no connection. */
const READ_MS = 200
/** Polls of an account that wait in this process. */
const POLLS_MAX = 3

const refusePoll = () =>
  tooManyRequests(`${POLLS_MAX} requests of this account wait for events already.`, READ_MS)

/** Reads until something is found, the time is over or the signal aborts: then empty. */
async function readUntil<Found>(
  deadlineMs: number,
  signal: AbortSignal,
  read: () => Promise<Found[]>,
): Promise<Found[]> {
  while (!signal.aborted) {
    const found = await read()
    const leftMs = deadlineMs - performance.now()
    if (found.length > 0 || leftMs <= 0) return found
    await pause(Math.min(READ_MS, leftMs), signal)
  }
  return []
}
