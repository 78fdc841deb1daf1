import type { InjectOptions } from 'fastify'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { webhookRoutes } from './routes.js'

/** Nothing listens there: to make a webhook, nothing is dialled. */
export const HOOK_URL = 'http://127.0.0.1:9/hooks'

export const NEW_WEBHOOK = { url: HOOK_URL, event_types: ['trade'] }

export type Caller = { key: string; accountId: number }

export type WebhookApi = TestApp & {
  /** Sends a request with the key of a caller. A body is sent as JSON. */
  ask(caller: Caller, request: string, body?: unknown): Promise<Answer>
  /** Makes a webhook and returns the answer. */
  make(caller: Caller, fields?: object): Promise<Made>
}

export type Answer = { status: number; body: AnswerFields; headers: Record<string, unknown> }

export type Made = { id: string; secret: string; created_at: string }

/** The fields of all answers that tests look into: a test knows which of them its answer has. */
type AnswerFields = Record<string, unknown> &
  Made & {
    updated_at: string
    filters: Record<string, string[]>
    webhooks: { id: string }[]
    deliveries: { latency_ms: number }[]
  }

/** The application with an account that may reach receivers on this machine. */
export async function createWebhookApi(networks = ['127.0.0.0/8']): Promise<WebhookApi> {
  const t = await createTestApp({
    routes: (ctx) => [webhookRoutes(ctx, ctx)],
    config: { webhookNetworks: networks },
  })
  const ask = async (caller: Caller, request: string, body?: unknown): Promise<Answer> => {
    const [method = 'GET', url = ''] = request.split(' ')
    const reply = await t.app.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url,
      headers: { 'x-api-key': caller.key, ...(body !== undefined && JSON_TYPE) },
      ...(body !== undefined && {
        payload: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    })
    return { status: reply.statusCode, body: reply.json<AnswerFields>(), headers: reply.headers }
  }
  const make = async (caller: Caller, fields: object = {}): Promise<Made> => {
    const { status, body } = await ask(caller, 'POST /v3/webhooks', { ...NEW_WEBHOOK, ...fields })
    if (status !== 201) throw new Error(`a webhook was refused: ${JSON.stringify(body)}`)
    return body
  }
  return { ...t, ask, make }
}

const JSON_TYPE = { 'content-type': 'application/json' }
