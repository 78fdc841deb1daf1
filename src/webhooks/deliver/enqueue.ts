import type { Plans } from '../../accounts/plans.js'
import type { Sql } from '../../store/connection.js'
import { countDeliveries, lockAllowances } from './allowance.js'
import type { DeliveryDraft } from './delivery.js'
import { wakeLanes } from './lanes.js'

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
      const draft = chunk[Number(row.refusedPlace ?? 0n) - 1]
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
  refusedPlace: bigint | null
}

/** Up to two rows for each webhook that had something new: of what was inserted, and of what was refused. */
function insertDeliveries(tx: Sql, { drafts, left, nowMs }: Insert) {
  const now = new Date(nowMs)
  return tx<InsertedRow[]>`
    with fresh as (
      select draft.*,
             row_number() over (partition by w.account_id order by draft.place) as nth
        from unnest(${drafts.map(({ webhook }) => webhook.id)}::int[],
                    ${drafts.map(({ eventId }) => eventId)}::uuid[],
                    ${drafts.map(({ eventType }) => eventType)}::text[],
                    ${drafts.map(({ block }) => block)}::int[],
                    ${drafts.map(({ confirmations }) => confirmations)}::int[],
                    ${drafts.map(({ body }) => body)}::text[],
                    ${drafts.map(({ webhook }) => left.get(webhook.accountId) ?? null)}::int[])
             with ordinality
             as draft (webhook, event_id, event_type, block, confirmations, body, allowed, place)
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
       order by place
      on conflict (webhook, event_id) do nothing
      returning webhook, state)
    select sum.webhook, sum.inserted, sum.is_due and w.polled_at is null as is_due,
           null::bigint as refused_place
      from (select webhook, count(*)::int as inserted, bool_or(state = 'pending') as is_due
              from inserted group by webhook) sum
      join webhooks w on w.id = sum.webhook
    union all
    select webhook, 0, false, min(place) from fresh where nth > allowed group by webhook`
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
      insert into webhook_lanes as lane (webhook, limit_noted_at)
      select webhook, ${now} from refused order by webhook
      on conflict (webhook) do update set limit_noted_at = excluded.limit_noted_at
       where lane.limit_noted_at is null
          or lane.limit_noted_at <= ${new Date(nowMs - LIMIT_NOTE_MS)}
          or lane.limit_noted_at > ${now}
      returning webhook)
    insert into webhook_attempts
           (webhook, event_id, event_type, attempt, success, latency_ms, error, attempted_at)
    select webhook, event_id, event_type, 0, false, 0, ${OVER_LIMIT}, ${now}
      from refused join noted using (webhook)`
}
