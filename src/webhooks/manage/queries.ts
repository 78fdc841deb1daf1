import { lockActiveAccount } from '../../accounts/queries.js'
import { inactiveAccount } from '../../core/errors.js'
import { LOGS_PER_BLOCK } from '../../core/seq.js'
import type { Fragment, Sql } from '../../store/connection.js'
import type { AttemptResult } from '../deliver/sender.js'
import type { WebhookEventType } from '../event-types.js'
import type { WebhookFilters } from '../filters.js'

export type WebhookRow = {
  id: number
  /** `wh_…`: what callers know it by. */
  publicId: string
  url: string
  eventTypes: WebhookEventType[]
  filters: WebhookFilters
  active: boolean
  description: string | null
  createdAt: Date
  updatedAt: Date
  disabledReason: string | null
  disabledAt: Date | null
  consecutiveFailures: number
}

/** Which webhook a caller means. Those of `auspex listen` are not theirs to see. */
export type WebhookKey = { accountId: number; publicId: string }

export const isWebhook = (sql: Sql, { accountId, publicId }: WebhookKey) =>
  sql`w.name = ${publicId} and w.account_id = ${accountId} and w.deleted_at is null and w.polled_at is null`

const columns = (sql: Sql) => sql`
  w.id, w.name as public_id, w.url, w.event_types, w.filters::text as filters, w.active, w.description, w.created_at, w.updated_at,
  w.disabled_reason, w.disabled_at, coalesce(lane.consecutive_failures, 0) as consecutive_failures`

/** The driver would rename the keys of JSON as it does columns, so filters come as text. */
type StoredRow = Omit<WebhookRow, 'filters'> & { filters: string }

const toRow = (row: StoredRow): WebhookRow => ({ ...row, filters: JSON.parse(row.filters) })

/** The webhooks of an account after one of them, oldest first. Index: webhooks_account. */
export async function selectWebhooks(
  sql: Sql,
  accountId: number,
  { after, limit }: { after: number; limit: number },
): Promise<WebhookRow[]> {
  const rows = await sql<StoredRow[]>`
    select ${columns(sql)}
      from webhooks w left join webhook_lanes lane on lane.webhook = w.id
     where w.account_id = ${accountId} and w.id > ${after}
       and w.deleted_at is null and w.polled_at is null
     order by w.id limit ${limit}`
  return rows.map(toRow)
}

/** `undefined`: the account has no such webhook. Index: webhooks_name_key. */
export async function selectWebhook(sql: Sql, key: WebhookKey): Promise<WebhookRow | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${columns(sql)}
      from webhooks w left join webhook_lanes lane on lane.webhook = w.id
     where ${isWebhook(sql, key)}`
  return row === undefined ? undefined : toRow(row)
}

/** With the secret, encrypted. */
export async function selectSecret(sql: Sql, key: WebhookKey): Promise<Buffer | undefined> {
  const [row] = await sql<{ secret: Buffer }[]>`
    select secret from webhooks w where ${isWebhook(sql, key)}`
  return row?.secret
}

/** Locks the account, so that it makes none in other transactions, and counts its webhooks or its listeners. */
export async function countWebhooks(tx: Sql, accountId: number, { isPolled }: { isPolled: boolean }) {
  if (!(await lockActiveAccount(tx, accountId))) throw inactiveAccount()
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from webhooks
     where account_id = ${accountId} and deleted_at is null and (polled_at is not null) = ${isPolled}`
  return row?.count ?? 0
}

/** The end of the last booked block: a webhook sees what comes after it. */
const headSeq = (sql: Sql) =>
  sql`coalesce((select (block + 1)::bigint * ${LOGS_PER_BLOCK}::int - 1 from chain_state), 0)`

type WebhookInsert = Pick<WebhookRow, 'publicId' | 'url' | 'eventTypes' | 'filters' | 'description'> & {
  accountId: number
  secret: Buffer
  nowMs: number
  /** Whether its events wait to be polled, and are not sent. */
  isPolled?: boolean
}

export async function insertWebhook(sql: Sql, webhook: WebhookInsert): Promise<void> {
  const { publicId, accountId, url, eventTypes, filters, secret, description, isPolled } = webhook
  const now = new Date(webhook.nowMs)
  await sql`
    insert into webhooks
           (name, account_id, url, event_types, filters, secret, active, description,
            created_at, updated_at, from_seq, active_since, polled_at)
    values (${publicId}, ${accountId}, ${url}, ${eventTypes}::text[], ${JSON.stringify(filters)}::text::jsonb,
            ${secret}, true, ${description}, ${now}, ${now}, ${headSeq(sql)}, ${now},
            ${isPolled === true ? now : null})`
}

/**
 * Locks a webhook until the transaction ends, before its lane: in the order of `disableWebhooks`.
 * `undefined`: the account has no such webhook.
 */
export async function lockWebhook(tx: Sql, key: WebhookKey): Promise<WebhookRow | undefined> {
  await tx`select from webhooks w where ${isWebhook(tx, key)} for no key update`
  return await selectWebhook(tx, key)
}

/** `isActivated`: from now on it sees what happens, and nothing from before. */
export async function updateWebhook(
  tx: Sql,
  webhook: WebhookRow,
  { isActivated, nowMs }: { isActivated: boolean; nowMs: number },
): Promise<void> {
  const { id, url, eventTypes, filters, active, description } = webhook
  const now = new Date(nowMs)
  const activation = tx`, disabled_reason = null, disabled_at = null, active_since = ${now},
                          from_seq = ${headSeq(tx)}`
  await tx`
    update webhooks
       set url = ${url}, event_types = ${eventTypes}::text[],
           filters = ${JSON.stringify(filters)}::text::jsonb, active = ${active},
           description = ${description}, updated_at = ${now} ${isActivated ? activation : tx``}
     where id = ${id}`
}

/** Whether there was such a webhook. */
export async function updateSecret(
  sql: Sql,
  key: WebhookKey,
  { secret, nowMs }: { secret: Buffer; nowMs: number },
): Promise<boolean> {
  const { count } = await sql`
    update webhooks w set secret = ${secret}, updated_at = ${new Date(nowMs)} where ${isWebhook(sql, key)}`
  return count === 1
}

/** Deletes the webhooks `w` of a condition for callers, with their secrets; a job deletes their rows later. */
export async function markDeleted(sql: Sql, isMeant: Fragment, nowMs: number): Promise<boolean> {
  const { count } = await sql`
    update webhooks w set deleted_at = ${new Date(nowMs)}, active = false, secret = ''
     where ${isMeant} and w.deleted_at is null`
  return count > 0
}

export const deleteBaselines = (tx: Sql, webhook: number) =>
  tx`delete from webhook_bases where webhook = ${webhook}`

/** An attempt as the history shows it. */
export type AttemptRow = {
  eventId: string
  isTest: boolean
  eventType: string
  attempt: number
  success: boolean
  statusCode: number | null
  latencyMs: number
  error: string | null
  attemptedAt: Date
}

/** The attempts of a webhook, newest first. Index: webhook_attempts_webhook. */
export const selectHistory = (
  sql: Sql,
  webhook: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<AttemptRow[]> => sql<AttemptRow[]>`
  select event_id, is_test, event_type, attempt, success, status_code, latency_ms, error, attempted_at
    from webhook_attempts
   where webhook = ${webhook}
   order by id desc
   limit ${limit} offset ${offset}`

/** One event to one webhook. */
export type DeliveryRow = {
  eventId: string
  eventType: string
  state: string
  attempts: number
  createdAt: Date
  body: string
}

/** `undefined`: the webhook has no such delivery. Index: webhook_deliveries_pkey. */
export async function selectDelivery(
  sql: Sql,
  webhook: number,
  eventId: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await sql<DeliveryRow[]>`
    select event_id, event_type, state, attempts, created_at, body from webhook_deliveries
     where webhook = ${webhook} and event_id = ${eventId}::uuid`
  return row
}

type TestAttempt = {
  webhook: number
  eventId: string
  eventType: WebhookEventType
  result: AttemptResult
  nowMs: number
}

/** Nothing is written when the webhook was deleted meanwhile. */
export async function insertTestAttempt(sql: Sql, attempt: TestAttempt): Promise<void> {
  const { webhook, eventId, eventType, result, nowMs } = attempt
  const { success, statusCode = null, latencyMs, error = null } = result
  await sql`
    insert into webhook_attempts
           (webhook, event_id, is_test, event_type, attempt, success, status_code, latency_ms, error,
            attempted_at)
    select id, ${eventId}::uuid, true, ${eventType}, 1, ${success}, ${statusCode}, ${latencyMs}, ${error},
           ${new Date(nowMs)}
      from webhooks
     where id = ${webhook} and deleted_at is null`
}

const dueAgain = (tx: Sql, nowMs: number) =>
  tx`set state = 'pending', attempts = 0, due_at = ${new Date(nowMs)}, is_leased = false, finished_at = null`

/**
 * Has a finished delivery sent again. Returns the state of one that is not finished; `undefined`: there is
 * no such delivery. One that is held is not locked: the matcher changes these with allowances locked.
 */
export async function renewDelivery(
  tx: Sql,
  { webhook, eventId, nowMs }: { webhook: number; eventId: string; nowMs: number },
): Promise<'renewed' | 'pending' | 'held' | undefined> {
  const isIt = tx`webhook = ${webhook} and event_id = ${eventId}::uuid`
  const { count } = await tx`
    update webhook_deliveries ${dueAgain(tx, nowMs)}
     where ${isIt} and state in ('delivered', 'failed', 'cancelled')`
  if (count > 0) return 'renewed'
  const [row] = await tx<{ state: string }[]>`select state from webhook_deliveries where ${isIt}`
  return row && (row.state === 'held' ? 'held' : 'pending')
}

/** Has what failed since a time sent again, the oldest first. Index: webhook_deliveries_failed. */
export async function renewFailed(
  tx: Sql,
  { webhook, sinceSec, rowsMax, nowMs }: RenewFailed,
): Promise<number> {
  const { count } = await tx`
    with chosen as (
      select event_id from webhook_deliveries
       where webhook = ${webhook} and state = 'failed' and finished_at >= ${new Date(sinceSec * 1_000)}
       order by finished_at
       limit ${rowsMax}
       for update)
    update webhook_deliveries d ${dueAgain(tx, nowMs)}
      from chosen
     where d.webhook = ${webhook} and d.event_id = chosen.event_id`
  return count
}

type RenewFailed = { webhook: number; sinceSec: number; rowsMax: number; nowMs: number }

/** Whether something failed since a time and was not sent again. Index: webhook_deliveries_failed. */
export async function hasFailed(
  sql: Sql,
  { webhook, sinceSec }: Pick<RenewFailed, 'webhook' | 'sinceSec'>,
): Promise<boolean> {
  const rows = await sql`
    select from webhook_deliveries
     where webhook = ${webhook} and state = 'failed' and finished_at >= ${new Date(sinceSec * 1_000)}
     limit 1`
  return rows.length > 0
}
