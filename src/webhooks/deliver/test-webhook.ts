import { createHash, randomBytes } from 'node:crypto'
import type { PlanId } from '../../accounts/plans.js'
import { insertAccount } from '../../accounts/queries.js'
import type { Sql } from '../../store/connection.js'
import type { DeliveryCapacity } from './due-queues.js'
import type { DeliveryDraft } from './enqueue.js'

export type TestWebhook = DeliveryDraft['webhook'] & { publicId: string }

type TestWebhookOptions = {
  nowMs: number
  plan?: PlanId
  accountId?: number
  url?: string
  /** Encrypts its secret. */
  seal?: (publicId: string) => Promise<Buffer>
  isPolled?: boolean
  /** How many slots its receiver has earned; a new webhook has one. */
  places?: number
}

/** A webhook for trades, of a new account unless `accountId` names one. */
export async function insertTestWebhook(sql: Sql, options: TestWebhookOptions) {
  const { nowMs, plan = 'enterprise', url = 'https://hooks.example.net/', isPolled = false } = options
  const accountId = options.accountId ?? (await insertAccount(sql, { name: plan, plan, nowMs }))
  const now = new Date(nowMs)
  const publicId = `wh_${randomBytes(6).toString('hex')}`
  const secret = (await options.seal?.(publicId)) ?? Buffer.alloc(0)
  const [row] = await sql<{ id: number }[]>`
    insert into webhooks (name, account_id, url, event_types, filters, secret, active, created_at,
                          updated_at, from_seq, active_since, polled_at)
    values (${publicId}, ${accountId}, ${url}, '{trade}', '{}', ${secret}, true,
            ${now}, ${now}, 0, ${now}, ${isPolled ? now : null})
    returning id`
  if (row === undefined) throw new Error('insert returned no row')
  if (options.places !== undefined) {
    await sql`
      insert into webhook_lanes (webhook, account_id, places)
      values (${row.id}, ${accountId}, ${options.places})`
  }
  return { id: row.id, accountId, publicId } satisfies TestWebhook
}

/** The capacity of a process that holds nothing yet. */
export const unusedCapacity = (free: number): DeliveryCapacity => ({
  free,
  freeForSlow: free,
  held: new Map(),
})

/** The event with this number for a webhook. */
export function draftOf(
  { id, accountId }: TestWebhook,
  number: number,
  more: Partial<DeliveryDraft> = {},
): DeliveryDraft {
  const eventId = uuidOf(`event ${number}`)
  return {
    webhook: { id, accountId },
    eventId,
    eventType: 'trade',
    body: JSON.stringify({ id: `evt_${eventId}`, type: 'trade', data: { number } }),
    block: 100,
    confirmations: 0,
    ...more,
  }
}

export const draftsOf = (webhook: TestWebhook, count: number, from = 0): DeliveryDraft[] =>
  Array.from({ length: count }, (_, index) => draftOf(webhook, from + index))

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

type DeliveryRow = {
  webhook: number
  eventId: string
  state: string
  attempts: number
  dueAt: Date | null
  isLeased: boolean
  finishedAt: Date | null
  body: string
}

/** In the order of their numbers. */
export const selectDeliveries = (sql: Sql, { id }: TestWebhook) => sql<DeliveryRow[]>`
  select webhook, event_id, state, attempts, due_at, is_leased, finished_at, body
    from webhook_deliveries where webhook = ${id}
   order by substring(body from '"number":(\\d+)')::int, event_id`

type AttemptRow = {
  eventId: string
  attempt: number
  success: boolean
  statusCode: number | null
  error: string | null
  attemptedAt: Date
}

/** The history of a webhook, oldest first. */
export const selectAttempts = (sql: Sql, { id }: TestWebhook) => sql<AttemptRow[]>`
  select event_id, attempt, success, status_code, error, attempted_at
    from webhook_attempts where webhook = ${id} order by id`

export async function selectNextAt(sql: Sql, { id }: TestWebhook): Promise<Date | null | undefined> {
  const [row] = await sql<{ nextAt: Date | null }[]>`
    select next_at from webhook_lanes where webhook = ${id}`
  return row?.nextAt
}
