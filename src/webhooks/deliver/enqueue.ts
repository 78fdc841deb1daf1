import type { Plans } from '../../accounts/plans.js'
import { utcDay } from '../../core/unix-time.js'
import type { Sql } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import { insertUnsent, WEBHOOK_PAUSED, wakeLanes } from './queries.js'

/** An event that a webhook wants. */
export type DeliveryDraft = {
  webhook: { id: number; accountId: number }
  /** A UUID, without `evt_`. */
  eventId: string
  eventType: WebhookEventType
  /** The envelope as JSON: what is sent. */
  body: string
  block: number
  /** Held until this many blocks are on top of its own. */
  confirmations: number
}

/** Rows of one statement. */
const CHUNK_ROWS = 2_000
/** How often the history of a webhook says that the allowance of the day is used up. */
const LIMIT_NOTE_MS = 60 * 60_000
const OVER_LIMIT = 'daily delivery limit reached'

/**
 * Queues events for webhooks. What a webhook has had before is left out, and so is what exceeds the
 * account's deliveries of the UTC day: it is not sent later. To be called once in a transaction.
 */
export async function enqueue(
  tx: Sql,
  drafts: readonly DeliveryDraft[],
  { plans, nowMs }: { plans: Plans; nowMs: number },
): Promise<void> {
  if (drafts.length === 0) return
  const accountOf = new Map(drafts.map(({ webhook }) => [webhook.id, webhook.accountId]))
  const accountIds = [...new Set(accountOf.values())]
  const left = await lockAllowances(tx, { plans, accountIds, nowMs })
  const counts = new Map<number, number>()
  const due = new Set<number>()
  const refused = new Map<number, DeliveryDraft>()
  for (let from = 0; from < drafts.length; from += CHUNK_ROWS) {
    const chunk = drafts.slice(from, from + CHUNK_ROWS)
    for (const row of await insertDeliveries(tx, { drafts: chunk, left, nowMs })) {
      const { webhook, inserted } = row
      const accountId = accountOf.get(webhook) ?? 0
      const allowance = left.get(accountId) ?? null
      if (allowance !== null) left.set(accountId, allowance - inserted)
      counts.set(accountId, (counts.get(accountId) ?? 0) + inserted)
      if (row.isDue) due.add(webhook)
      const draft = chunk[Number(row.refusedOrdinal ?? 0n) - 1]
      if (draft !== undefined && !refused.has(webhook)) refused.set(webhook, draft)
    }
  }
  await countDeliveries(tx, counts, nowMs)
  await wakeLanes(tx, [...due], nowMs)
  if (refused.size > 0) await noteRefused(tx, [...refused.values()], nowMs)
}

type Insert = {
  drafts: readonly DeliveryDraft[]
  left: ReadonlyMap<number, number | null>
  nowMs: number
}

type InsertedRow = {
  webhook: number
  inserted: number
  /** Whether the dispatcher has something to send now. */
  isDue: boolean
  /** The first draft over the allowance, counted from 1. */
  refusedOrdinal: bigint | null
}

/** Up to two rows for each webhook that had something new: of what was inserted, and of what was refused. */
function insertDeliveries(tx: Sql, { drafts, left, nowMs }: Insert) {
  const now = new Date(nowMs)
  return tx<InsertedRow[]>`
    with fresh as (
      select draft.*,
             row_number() over (partition by w.account_id order by draft.ordinal) as nth
        from unnest(${drafts.map(({ webhook }) => webhook.id)}::int[],
                    ${drafts.map(({ eventId }) => eventId)}::uuid[],
                    ${drafts.map(({ eventType }) => eventType)}::text[],
                    ${drafts.map(({ block }) => block)}::int[],
                    ${drafts.map(({ confirmations }) => confirmations)}::int[],
                    ${drafts.map(({ body }) => body)}::text[],
                    ${drafts.map(({ webhook }) => left.get(webhook.accountId) ?? null)}::int[])
             with ordinality
             as draft (webhook, event_id, event_type, block, confirmations, body, allowed, ordinal)
        join webhooks w on w.id = draft.webhook
       where w.active and w.deleted_at is null
         and not exists (select from webhook_deliveries d
                          where d.webhook = draft.webhook and d.event_id = draft.event_id)
    ), inserted as (
      insert into webhook_deliveries
             (webhook, event_id, event_type, state, block, release_block, due_at, created_at, body)
      select webhook, event_id, event_type,
             case when confirmations > 0 then 'held' else 'pending' end,
             block,
             case when confirmations > 0 then block + confirmations end,
             case when confirmations = 0 then ${now}::timestamptz end,
             ${now}, body
        from fresh
       where allowed is null or nth <= allowed
       order by ordinal
      on conflict (webhook, event_id) do nothing
      returning webhook, state)
    select sum.webhook, sum.inserted, sum.is_due and w.polled_at is null as is_due,
           null::bigint as refused_ordinal
      from (select webhook, count(*)::int as inserted, bool_or(state = 'pending') as is_due
              from inserted group by webhook) sum
      join webhooks w on w.id = sum.webhook
    union all
    select webhook, 0, false, min(ordinal) from fresh where nth > allowed group by webhook`
}

/** Says in the history of webhooks, once an hour, that an event was refused. */
async function noteRefused(tx: Sql, drafts: readonly DeliveryDraft[], nowMs: number) {
  const now = new Date(nowMs)
  await tx`
    with refused as (
      select * from unnest(${drafts.map(({ webhook }) => webhook.id)}::int[],
                           ${drafts.map(({ eventId }) => eventId)}::uuid[],
                           ${drafts.map(({ eventType }) => eventType)}::text[])
                    as refused (webhook, event_id, event_type)
    ), noted as (
      insert into webhook_lanes as lane (webhook, account_id, limit_noted_at)
      select w.id, w.account_id, ${now} from refused join webhooks w on w.id = refused.webhook order by w.id
      on conflict (webhook) do update set limit_noted_at = excluded.limit_noted_at
       where lane.limit_noted_at is null
          or lane.limit_noted_at <= ${new Date(nowMs - LIMIT_NOTE_MS)}
          or lane.limit_noted_at > ${now}
      returning webhook)
    ${insertUnsent(tx, OVER_LIMIT, now, tx`0`)} from refused join noted using (webhook)`
}

/**
 * How many deliveries accounts have left on the UTC day of `nowMs`; `null`: as many as they like. The
 * counts are locked until the transaction ends. An account on a plan that this service does not know has
 * those of the free plan.
 */
export async function lockAllowances(
  tx: Sql,
  { plans, accountIds, nowMs }: { plans: Plans; accountIds: readonly number[]; nowMs: number },
): Promise<Map<number, number | null>> {
  const rows = await tx<{ accountId: number; plan: string; deliveries: bigint }[]>`
    with day as (
      insert into webhook_days as day (account_id, day, deliveries)
      select account_id, ${utcDay(nowMs)}, 0
        from unnest(${accountIds}::int[]) as account_id
       group by account_id
       order by account_id
      on conflict (account_id, day) do update set deliveries = day.deliveries
      returning account_id, deliveries)
    select day.account_id, a.plan, day.deliveries
      from day
      join accounts a on a.id = day.account_id`
  return new Map(
    rows.map(({ accountId, plan, deliveries }) => {
      const { webhookDeliveriesPerDay: max } = plans.of(accountId, plan) ?? plans.free
      return [accountId, max === null ? null : Math.max(0, max - Number(deliveries))]
    }),
  )
}

/** Counts deliveries on the UTC day of `nowMs`. */
export async function countDeliveries(
  tx: Sql,
  counts: ReadonlyMap<number, number>,
  nowMs: number,
): Promise<void> {
  await tx`
    update webhook_days day
       set deliveries = day.deliveries + more.count
      from unnest(${[...counts.keys()]}::int[], ${[...counts.values()]}::int[])
           as more (account_id, count)
     where day.account_id = more.account_id
       and day.day = ${utcDay(nowMs)}`
}

/**
 * Has deliveries sent that waited for this head of the chain. Those of a webhook that was paused since
 * they were made are cancelled, also when it is active again: it sees what is after its `from_seq`,
 * which the clocks of two processes could not tell. Index: webhook_deliveries_held.
 */
export async function releaseHeld(tx: Sql, headBlock: number, nowMs: number): Promise<void> {
  const now = new Date(nowMs)
  const rows = await tx<{ webhook: number }[]>`
    with released as (
      update webhook_deliveries d
         set state = case when held.is_wanted then 'pending' else 'cancelled' end,
             due_at = case when held.is_wanted then ${now}::timestamptz end,
             finished_at = case when held.is_wanted then null else ${now}::timestamptz end
        from (select h.webhook, h.event_id, w.polled_at is null as is_sent,
                     w.deleted_at is not null as is_deleted,
                     w.active and w.deleted_at is null
                       and h.block > w.from_seq >> 20 as is_wanted
                from webhook_deliveries h
                join webhooks w on w.id = h.webhook
               where h.state = 'held' and h.release_block <= ${headBlock}) held
       where d.webhook = held.webhook and d.event_id = held.event_id
      returning d.webhook, d.event_id, d.event_type, d.attempts, held.is_sent, held.is_wanted, held.is_deleted
    ), cancelled as (
      ${insertUnsent(tx, WEBHOOK_PAUSED, now)} from released where not is_wanted and not is_deleted)
    select distinct webhook from released where is_wanted and is_sent`
  await wakeLanes(
    tx,
    rows.map(({ webhook }) => webhook),
    nowMs,
  )
}

export type CancelledDelivery = { webhook: number; eventType: WebhookEventType; body: string }

/**
 * Deletes held deliveries about blocks above this one, which a reorganisation has reverted, and
 * returns them. The accounts may use their deliveries of the day again. Index: webhook_deliveries_held.
 */
export function cancelHeldAbove(tx: Sql, block: number): Promise<CancelledDelivery[]> {
  return tx<CancelledDelivery[]>`
    with cancelled as (
      delete from webhook_deliveries
       where state = 'held' and release_block > ${block} and block > ${block}
      returning webhook, event_type, body, created_at
    ), days as (
      update webhook_days day
         set deliveries = day.deliveries - returned.deliveries
        from (select w.account_id, (c.created_at at time zone 'UTC')::date as day, count(*) as deliveries
                from cancelled c
                join webhooks w on w.id = c.webhook
               group by 1, 2) returned
       where day.account_id = returned.account_id and day.day = returned.day)
    select webhook, event_type, body from cancelled`
}
