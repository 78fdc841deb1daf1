import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyPluginAsync } from 'fastify'
import { V3 } from '../../accounts/access.js'
import type { Plans } from '../../accounts/plans.js'
import { toNanosecondText } from '../../core/unix-time.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { awaitLargeAnswerSlot } from '../../http/await-large-answer-slot.js'
import { type Endpoint, endpointRoutes } from '../../http/endpoint.js'
import { callerOf } from '../../http/guard.js'
import type { LargeAnswers } from '../../http/large-answers.js'
import { clampCount } from '../../lib/clamp-count.js'
import { errorReply } from '../../lib/error-reply.js'
import type { Platform } from '../../platform.js'
import type { Sql } from '../../store/connection.js'
import type { SecretBox } from '../../store/secret-box.js'
import { transact } from '../../store/transaction.js'
import { type AttemptResult, Sender } from '../deliver/sender.js'
import { signatureHeaders } from '../deliver/signature.js'
import {
  presentAttempt,
  presentDelivery,
  presentEventTypes,
  presentFilterRules,
  presentWebhook,
} from './present.js'
import {
  insertTestAttempt,
  selectDelivery,
  selectHistory,
  selectSecret,
  selectWebhook,
  selectWebhooks,
  type WebhookKey,
  type WebhookRow,
} from './queries.js'
import { readNewWebhook, readRecovery, readWebhookChanges } from './read-body.js'
import {
  CreateWebhookBody,
  CreateWebhookReply,
  DeleteWebhookReply,
  DeliveryParams,
  DeliveryReply,
  EventTypesReply,
  HistoryQuery,
  HistoryReply,
  ListWebhooksReply,
  RecoverBody,
  RecoverReply,
  ResendReply,
  RotateSecretReply,
  TestWebhookReply,
  UpdateWebhookBody,
  WebhookParams,
  WebhookRecord,
} from './schemas.js'
import { noDelivery, readEventId, recoverDeliveries, resendDelivery, takeAllowance } from './send-again.js'
import { changeWebhook, createWebhook, noWebhook, removeWebhook, rotateSecret } from './webhook-registry.js'

const HISTORY_LIMIT_MAX = 200

const COMMON = { tag: 'webhooks', access: V3, dependsOnChain: false, hasElapsed: false } as const

const NOT_FOUND = { 404: errorReply('The account has no such webhook') }
const CONFLICT = { 409: errorReply('The delivery is not finished, or the webhook is paused') }

type WebhookDeps = { plans: Plans; secretBox: SecretBox; largeAnswers: LargeAnswers }
type WebhookTools = AnswerTools<WebhookDeps>

export const webhookRoutes =
  (platform: Platform, deps: WebhookDeps): FastifyPluginAsync =>
  async (app, options) => {
    const sender = new Sender({ networks: platform.config.webhookNetworks })
    app.addHook('onClose', () => sender.close())
    const endpoints = [...RECORDS, LIST, ...DELIVERIES, defineTest(sender)]
    await endpointRoutes(endpoints)(platform, deps)(app, options)
  }

/** What a change of a webhook is made with. */
const registryOf = ({ platform: { sql, config }, deps: { secretBox } }: WebhookTools) => ({
  sql,
  config,
  secretBox,
})

const keyOf = ({ caller }: AnswerTools, { id }: { id: string }): WebhookKey => ({
  accountId: caller.accountId,
  publicId: id,
})

async function findWebhook({ platform }: AnswerTools, key: WebhookKey) {
  return (await selectWebhook(platform.sql, key)) ?? Promise.reject(noWebhook())
}

const RECORDS: Endpoint<WebhookDeps>[] = [
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks',
    method: 'POST',
    status: 201,
    operationId: 'createWebhook',
    summary: 'Make a webhook',
    description:
      'Events of the given types that pass the filters are posted to the URL from now on, signed with the secret. The secret is shown in this answer alone.',
    body: CreateWebhookBody,
    readBody: readNewWebhook,
    reply: CreateWebhookReply,
    errors: { 403: errorReply('The key is unknown or inactive, or the plan has no more webhooks') },
    answer: (tools: WebhookTools, input) =>
      createWebhook(registryOf(tools), tools.caller, input, tools.nowMs),
  }),
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/event-types',
    operationId: 'listWebhookEventTypes',
    summary: 'What a webhook can be notified of',
    description: 'With the filters that each event type knows, and those that it needs.',
    reply: EventTypesReply,
    answer: async () => ({ event_types: presentEventTypes(), filter_rules: presentFilterRules() }),
  }),
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/:id',
    operationId: 'getWebhook',
    summary: 'One webhook',
    description: 'Without its secret.',
    params: WebhookParams,
    reply: WebhookRecord,
    errors: NOT_FOUND,
    answer: async (tools, input) => presentWebhook(await findWebhook(tools, keyOf(tools, input))),
  }),
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/:id',
    method: 'PUT',
    operationId: 'updateWebhook',
    summary: 'Change, pause or activate a webhook',
    description:
      'Only the given fields change; lists and filters are replaced. A pause cancels what waits to be sent. An activated webhook sees what happens from then on.',
    params: WebhookParams,
    body: UpdateWebhookBody,
    readBody: readWebhookChanges,
    reply: WebhookRecord,
    errors: NOT_FOUND,
    answer: async (tools, { id, ...changes }) =>
      presentWebhook(await changeWebhook(tools.platform, keyOf(tools, { id }), changes, tools.nowMs)),
  }),
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/:id',
    method: 'DELETE',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'With its history. What waits to be sent is not sent.',
    params: WebhookParams,
    reply: DeleteWebhookReply,
    errors: NOT_FOUND,
    answer: async (tools, input) => {
      await removeWebhook(tools.platform, keyOf(tools, input), tools.nowMs)
      return { deleted: true }
    },
  }),
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/:id/rotate-secret',
    method: 'POST',
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret',
    description: 'The old one signs nothing any more, also not events that are sent again.',
    params: WebhookParams,
    reply: RotateSecretReply,
    errors: NOT_FOUND,
    answer: async (tools: WebhookTools, input) => ({
      secret: await rotateSecret(registryOf(tools), keyOf(tools, input), tools.nowMs),
    }),
  }),
]

/** Not an object, but a stream. */
const LIST: Endpoint<WebhookDeps> = {
  path: '/v3/webhooks',
  register: (app, { deps }) => {
    const schema = {
      operationId: 'listWebhooks',
      summary: 'The webhooks of your account',
      description: 'Oldest first.',
      tags: [COMMON.tag],
      response: { 200: ListWebhooksReply },
    }
    app.get('/v3/webhooks', { config: { access: V3 }, schema }, async (request, reply) => {
      const { accountId } = callerOf(request)
      await awaitLargeAnswerSlot(deps.largeAnswers, request, reply)
      const pieces = await listWebhooks(request.readSql(), accountId)
      return reply.type('application/json; charset=utf-8').send(Readable.from(pieces))
    })
  },
}

const NO_DELIVERY = { 404: errorReply('The account has no such webhook, or the webhook no such delivery') }

const DELIVERIES: Endpoint<WebhookDeps>[] = [
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/:id/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'What was sent to a webhook',
    description: 'Every attempt of the last seven days, newest first.',
    params: WebhookParams,
    query: HistoryQuery,
    reply: HistoryReply,
    errors: NOT_FOUND,
    answer: async (tools, { limit, offset, ...input }) => {
      const { id } = await findWebhook(tools, keyOf(tools, input))
      const page = {
        limit: clampCount(limit, HISTORY_LIMIT_MAX),
        offset: Math.max(offset, 0),
      }
      const deliveries = (await selectHistory(tools.sql, id, page)).map(presentAttempt)
      return { deliveries, count: deliveries.length }
    },
  }),
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/:id/deliveries/:event_id',
    operationId: 'getWebhookDelivery',
    summary: 'One event that was sent to a webhook',
    description:
      'What is sent, byte for byte, and how far it is. Kept for seven days; test deliveries are not.',
    params: DeliveryParams,
    reply: DeliveryReply,
    errors: NO_DELIVERY,
    answer: async (tools, { event_id: eventId, ...input }) => {
      const { id } = await findWebhook(tools, keyOf(tools, input))
      const found = await selectDelivery(tools.sql, id, readEventId(eventId))
      if (found === undefined) throw noDelivery()
      return presentDelivery(found)
    },
  }),
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/:id/deliveries/:event_id/resend',
    method: 'POST',
    operationId: 'resendWebhookDelivery',
    summary: 'Send an event once more',
    description:
      'With the same id and the same bytes, and with new attempts when it fails. Counts as a delivery of the day.',
    params: DeliveryParams,
    reply: ResendReply,
    errors: { ...NO_DELIVERY, ...CONFLICT },
    answer: async (tools, { event_id: eventId, ...input }) => {
      const { platform, deps, caller, nowMs } = tools
      const webhook = await findWebhook(tools, keyOf(tools, input))
      const payer = { accountId: caller.accountId, plans: deps.plans, nowMs }
      await resendDelivery(platform.sql, eventId, { webhook, ...payer })
      return { event_id: eventId, state: 'pending' }
    },
  }),
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/:id/recover',
    method: 'POST',
    operationId: 'recoverWebhookDeliveries',
    summary: 'Send once more what failed since a time',
    description:
      'Every event that was given up since then, oldest first. Each counts as a delivery of the day.',
    params: WebhookParams,
    body: RecoverBody,
    readBody: readRecovery,
    reply: RecoverReply,
    errors: { ...NOT_FOUND, ...CONFLICT },
    answer: async (tools, { since, ...input }) => {
      const { platform, deps, caller, nowMs } = tools
      const webhook = await findWebhook(tools, keyOf(tools, input))
      const resend = { webhook, accountId: caller.accountId, plans: deps.plans, nowMs }
      const { recovered, hasMore } = await recoverDeliveries(platform.sql, since, resend)
      return { recovered, has_more: hasMore }
    },
  }),
]

const defineTest = (sender: Sender): Endpoint<WebhookDeps> =>
  defineAnswer({
    ...COMMON,
    path: '/v3/webhooks/:id/test',
    method: 'POST',
    operationId: 'testWebhook',
    summary: 'Send a test delivery',
    description:
      'Once, now, also to a webhook that is paused. Its id begins with `test_`. Counts as a delivery of the day.',
    params: WebhookParams,
    reply: TestWebhookReply,
    errors: NOT_FOUND,
    answer: async (tools: WebhookTools, input) => {
      const { sql, clock } = tools.platform
      const deps = { ...tools.deps, sql, clock, sender }
      const { success, statusCode, latencyMs, error } = await sendTest(deps, keyOf(tools, input))
      return {
        delivered: success,
        status_code: statusCode ?? null,
        latency_ms: latencyMs,
        ...(error !== undefined && { error }),
      }
    },
  })

/** This many have a few megabytes of filters at most. */
const BATCH_ROWS = 20

/**
 * The answer with all webhooks of an account, in pieces: together their filters may be tens of megabytes.
 * The first batch is read before the first piece, so that what is wrong then can still be answered.
 */
async function listWebhooks(sql: Sql, accountId: number): Promise<AsyncIterable<string>> {
  const select = (after: number) => selectWebhooks(sql, accountId, { after, limit: BATCH_ROWS })
  return writeList(await select(0), select)
}

async function* writeList(
  first: readonly WebhookRow[],
  select: (after: number) => Promise<WebhookRow[]>,
): AsyncGenerator<string> {
  let count = 0
  let rows = first
  yield '{"webhooks":['
  for (;;) {
    for (const row of rows) {
      yield `${count === 0 ? '' : ','}${JSON.stringify(presentWebhook(row))}`
      count++
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH_ROWS) break
    rows = await select(last.id)
  }
  yield `],"count":${count}}`
}

const MESSAGE = 'This is a test delivery. Your webhook works.'

type TestDependencies = Pick<Platform, 'sql' | 'clock'> &
  Pick<WebhookDeps, 'secretBox' | 'plans'> & { sender: Sender }

/** Sends an event that did not happen, once, whether or not the webhook is active. */
async function sendTest(deps: TestDependencies, key: WebhookKey): Promise<AttemptResult> {
  const { sql, secretBox, clock, plans, sender } = deps
  const webhook = await selectWebhook(sql, key)
  const encrypted = await selectSecret(sql, key)
  const eventType = webhook?.eventTypes[0]
  if (webhook === undefined || encrypted === undefined || eventType === undefined) throw noWebhook()
  const secret = await secretBox.decrypt(encrypted, key.publicId)
  const nowMs = clock.now()
  await transact(sql, (tx) => takeAllowance(tx, { accountId: key.accountId, plans, nowMs }))

  const uuid = randomUUID()
  const eventId = `test_${uuid}`
  const body = JSON.stringify({
    id: eventId,
    type: eventType,
    created_at: toNanosecondText(nowMs),
    data: { test: true, message: MESSAGE },
  })
  const headers = signatureHeaders({ webhookId: key.publicId, eventId, eventType, secret, body, nowMs })
  const result = await sender.send({ url: webhook.url, headers, body })
  await insertTestAttempt(sql, { webhook: webhook.id, eventId: uuid, eventType, result, nowMs })
  return result
}
