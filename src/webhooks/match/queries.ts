import type { Sql } from '../../store/connection.js'
import { WEBHOOK_EVENT_TYPE_NAMES, type WebhookEventType } from '../event-types.js'
import type { WebhookFilters } from '../filters.js'
import type { IndexedWebhook } from './webhook-index.js'

export type MatchState = {
  /** Up to here the facts are matched; null: the matcher has not begun. */
  seq: number | null
  /** The last reorganisation that the matcher has seen, and the last one that there was. */
  rewind: number
  lastRewind: number
  /** The lowest block that reorganisations went back to which the matcher has not seen; null: there are none. */
  rewindBlock: number | null
  /** The last block of the facts; null: nothing is booked. */
  headBlock: number | null
  headTimeSec: number | null
  /** Of the newest change of a webhook. */
  revision: number
}

export async function selectMatchState(sql: Sql): Promise<MatchState> {
  const [row] = await sql<MatchState[]>`
    select c.seq::float8, c.rewind::float8, s.block as head_block, s.block_time as head_time_sec,
           r.revision::float8,
           coalesce((select max(id) from rewinds), 0)::float8 as last_rewind,
           (select min(to_block) from rewinds where id > c.rewind) as rewind_block
      from webhook_cursor c, chain_state s, webhooks_revision r`
  if (row === undefined) throw new Error('the cursor of the matcher is missing')
  return row
}

/** Locks the cursor. `false`: it is not where it was read, or blocks were reverted since. */
export async function lockCursor(
  tx: Sql,
  { seq, rewind, lastRewind }: Pick<MatchState, 'seq' | 'rewind' | 'lastRewind'>,
): Promise<boolean> {
  const rows = await tx`
    select from webhook_cursor
     where seq is not distinct from ${seq} and rewind = ${rewind}
       and ${lastRewind} >= coalesce((select max(id) from rewinds), 0)
       for update`
  return rows.length > 0
}

export async function updateCursor(
  tx: Sql,
  { seq, rewind }: Pick<MatchState, 'seq' | 'rewind'>,
): Promise<void> {
  await tx`update webhook_cursor set seq = ${seq}, rewind = ${rewind}`
}

/** The fill that is this many after a seq; `undefined`: there are fewer. Index: the primary key of each partition. */
export async function selectFillAfter(
  sql: Sql,
  { afterSeq, toSeq, fills }: { afterSeq: number; toSeq: number; fills: number },
): Promise<number | undefined> {
  const [row] = await sql<{ seq: number }[]>`
    select seq::float8 from fills where seq > ${afterSeq} and seq <= ${toSeq}
     order by fills.seq offset ${fills} limit 1`
  return row?.seq
}

/** The first block with facts that is not older than a time; `undefined`: all are. Index: blocks_time. */
export async function selectBlockSince(sql: Sql, timeSec: number): Promise<number | undefined> {
  const [row] = await sql<{ number: number }[]>`
    select number from blocks where time >= ${timeSec} order by time, number limit 1`
  return row?.number
}

/**
 * Webhooks that began above this `seq` begin here: what comes again in other blocks came after them.
 * Their rows are locked first, because a change of one waits for the revision with its row locked.
 */
export async function lowerFromSeq(tx: Sql, seq: number): Promise<void> {
  await tx`select from webhooks where from_seq > ${seq} order by id for no key update`
  await tx`update webhooks set from_seq = ${seq} where from_seq > ${seq}`
}

export type ChangedWebhook = IndexedWebhook & { isActive: boolean; revision: number }

type WebhookRow = Omit<ChangedWebhook, 'eventTypes' | 'filters' | 'activeSinceMs'> & {
  eventTypes: string[]
  filters: string
  activeSince: Date
}

/** Webhooks that changed after a revision, in its order. Index: webhooks_by_revision. */
export async function selectChangedWebhooks(
  sql: Sql,
  afterRevision: number,
  limit: number,
): Promise<ChangedWebhook[]> {
  // As text, because the driver would rename the keys of an object.
  const rows = await sql<WebhookRow[]>`
    select id, name as public_id, account_id, event_types, filters::text, from_seq::float8, active_since,
           active and deleted_at is null as is_active, revision::float8
      from webhooks
     where revision > ${afterRevision}
     order by webhooks.revision
     limit ${limit}`
  return rows.map(({ eventTypes, filters, activeSince, ...row }) => ({
    ...row,
    eventTypes: WEBHOOK_EVENT_TYPE_NAMES.filter((type) => eventTypes.includes(type)),
    filters: JSON.parse(filters) as WebhookFilters,
    activeSinceMs: activeSince.getTime(),
  })) satisfies (ChangedWebhook & { eventTypes: readonly WebhookEventType[] })[]
}
