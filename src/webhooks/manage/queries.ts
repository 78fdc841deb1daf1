import { lockActiveAccount } from '../../accounts/queries.js'
import { inactiveAccount } from '../../core/errors.js'
import { LOGS_PER_BLOCK } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import type { WebhookFilters } from '../filters.js'

export type WebhookRow = {
  id: number
  name: string
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
export type WebhookKey = { accountId: number; name: string }

const isOf = (sql: Sql, { accountId, name }: WebhookKey) =>
  sql`w.name = ${name} and w.account_id = ${accountId} and w.deleted_at is null and w.polled_at is null`

const columns = (sql: Sql) => sql`
  w.id, w.name, w.url, w.event_types, w.filters::text as filters, w.active, w.description, w.created_at, w.updated_at,
  w.disabled_reason, w.disabled_at, coalesce(lane.consecutive_failures, 0) as consecutive_failures`

/** The driver would rename the keys of JSON as it does columns, so filters come as text. */
type StoredRow = Omit<WebhookRow, 'filters'> & { filters: string }

const toRow = (row: StoredRow): WebhookRow => ({ ...row, filters: JSON.parse(row.filters) })

/** The webhooks of an account behind one of them, oldest first. Index: webhooks_account. */
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

/** `undefined`: the account has no such webhook. Index: that of the name. */
export async function selectWebhook(sql: Sql, key: WebhookKey): Promise<WebhookRow | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${columns(sql)}
      from webhooks w left join webhook_lanes lane on lane.webhook = w.id
     where ${isOf(sql, key)}`
  return row === undefined ? undefined : toRow(row)
}

/** With the secret, encrypted. */
export async function selectSecret(sql: Sql, key: WebhookKey): Promise<Buffer | undefined> {
  const [row] = await sql<{ secret: Buffer }[]>`
    select secret from webhooks w where ${isOf(sql, key)}`
  return row?.secret
}

/** Keeps the account from making webhooks in other transactions, and counts those that it has. */
export async function countWebhooks(tx: Sql, accountId: number): Promise<number> {
  if (!(await lockActiveAccount(tx, accountId))) throw inactiveAccount()
  const [row] = await tx<{ count: bigint }[]>`
    select count(*) from webhooks
     where account_id = ${accountId} and deleted_at is null and polled_at is null`
  return Number(row?.count ?? 0n)
}

/** The end of the last booked block: a webhook sees what comes after it. */
const headSeq = (sql: Sql) =>
  sql`coalesce((select (block + 1)::bigint * ${LOGS_PER_BLOCK}::int - 1 from chain_state), 0)`

type WebhookInsert = Pick<WebhookRow, 'name' | 'url' | 'eventTypes' | 'filters' | 'description'> & {
  accountId: number
  secret: Buffer
  nowMs: number
  /** Whether its events wait to be asked for, and are not sent. */
  isPolled?: boolean
}

export async function insertWebhook(sql: Sql, webhook: WebhookInsert): Promise<void> {
  const { name, accountId, url, eventTypes, filters, secret, description, isPolled } = webhook
  const now = new Date(webhook.nowMs)
  await sql`
    insert into webhooks
           (name, account_id, url, event_types, filters, secret, active, description,
            created_at, updated_at, from_seq, active_since, polled_at)
    values (${name}, ${accountId}, ${url}, ${eventTypes}::text[], ${JSON.stringify(filters)}::text::jsonb,
            ${secret}, true, ${description}, ${now}, ${now}, ${headSeq(sql)}, ${now},
            ${isPolled === true ? now : null})`
}

/**
 * Locks a webhook until the transaction ends, before its lane: in the order of `disableWebhooks`.
 * `undefined`: the account has no such webhook.
 */
export async function lockWebhook(tx: Sql, key: WebhookKey): Promise<WebhookRow | undefined> {
  await tx`select from webhooks w where ${isOf(tx, key)} for no key update`
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
    update webhooks w set secret = ${secret}, updated_at = ${new Date(nowMs)} where ${isOf(sql, key)}`
  return count === 1
}

/** Takes a webhook away at once, with its secret; a job deletes its rows later. */
export async function markDeleted(sql: Sql, key: WebhookKey, nowMs: number): Promise<boolean> {
  const { count } = await sql`
    update webhooks w set deleted_at = ${new Date(nowMs)}, active = false, secret = ''
     where ${isOf(sql, key)}`
  return count === 1
}

export const deleteBaselines = (tx: Sql, webhook: number) =>
  tx`delete from webhook_bases where webhook = ${webhook}`
