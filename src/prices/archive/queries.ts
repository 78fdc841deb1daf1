import assert from 'node:assert/strict'
import type { Sql } from '../../store/connection.js'
import { rowsAs } from '../../store/sql-words.js'
import type { Seconds } from '../../upstreams/prices/source.js'
import { BLOCK_SEC, COLUMN_BYTES, type Quote, type TickBlock, tickBlockOf } from '../fast/tick-block.js'
import { monthOfBlock } from './month.js'

export type StreamPrice = { stream: number; sec: number; price: number }
export type StreamTick = StreamPrice & Quote
export type BlockKey = { stream: number; block: number }
export type BlockRow = BlockKey & { columns: Uint8Array }
export type TickState = { packedUntil: number; revision: number }

/** A second of a stream that is there already stays as it is. */
export async function insertTicks(sql: Sql, ticks: readonly StreamTick[]): Promise<void> {
  await sql`
    insert into live_ticks (stream, sec, price, bid, ask)
    select * from unnest(
      ${ticks.map(({ stream }) => stream)}::smallint[],
      ${ticks.map(({ sec }) => sec)}::int[],
      ${ticks.map(({ price }) => price)}::float8[],
      ${ticks.map(({ bid }) => bid)}::float8[],
      ${ticks.map(({ ask }) => ask)}::float8[])
    on conflict (stream, sec) do nothing`
}

export type LiveTicks = TickState & { ticks: StreamTick[] }

/**
 * Ticks that are not in blocks yet, from `fromSec` to `toSec`, in no order. To be read before the
 * blocks: a tick that is packed in between is then found twice rather than not at all.
 */
export async function selectLive(
  sql: Sql,
  streams: readonly number[],
  { fromSec, toSec }: Seconds,
): Promise<LiveTicks> {
  const rows = await sql<(TickState & (StreamTick | { stream: null }))[]>`
    select s.packed_until, s.revision, l.stream, l.sec, l.price, l.bid, l.ask
      from tick_state s
      left join live_ticks l
        on l.stream = any(${[...streams]}::smallint[])
       and l.sec between ${fromSec} and ${toSec}`
  const [state] = rows
  assert(state !== undefined, 'the tick archive has a state')
  const ticks = rows.filter((row) => row.stream !== null)
  return { packedUntil: state.packedUntil, revision: state.revision, ticks }
}

/** What a price alone needs of a block. */
const prices = (sql: Sql) => sql`substring(columns from 1 for ${COLUMN_BYTES}) as columns`

/**
 * The months of these blocks, as constants: a plan that is made once for any time would look at every
 * month that there is, and get slower with each.
 */
function inMonths(sql: Sql, fromBlock: number, toBlock: number) {
  const from = monthOfBlock(fromBlock).fromBlock
  const until = monthOfBlock(toBlock).untilBlock
  return sql.unsafe(`block >= ${from} and block < ${until}`)
}

/** Blocks of these streams, `fromBlock` to `toBlock` included; empty ones are absent. Primary key. */
export function selectBlocks(
  sql: Sql,
  streams: readonly number[],
  fromBlock: number,
  toBlock: number,
  { pricesAlone = false }: { pricesAlone?: boolean } = {},
): Promise<BlockRow[]> {
  return sql<BlockRow[]>`
    select stream, block, ${pricesAlone ? prices(sql) : sql`columns`}
      from tick_blocks
     where stream = any(${[...streams]}::smallint[])
       and block between ${fromBlock} and ${toBlock}
       and ${inMonths(sql, fromBlock, toBlock)}
     order by block, stream`
}

/** The newest tick of each stream that is not in a block yet and not after that second. */
export function selectLastLive(sql: Sql, streams: readonly number[], atSec: number) {
  return sql<StreamPrice[]>`
    select l.*
      from unnest(${[...streams]}::smallint[]) as asked (stream)
      cross join lateral (
        select stream, sec, price
          from live_ticks
         where stream = asked.stream and sec <= ${atSec}
         order by sec desc
         limit 1
      ) l`
}

/**
 * The prices of the two newest blocks of each stream within the span: the tick looked for is in the first one, or in the second if the first has only later
 * ones. Primary key.
 */
export function selectLastBlocks(sql: Sql, streams: readonly number[], { fromSec, toSec }: Seconds) {
  const fromBlock = tickBlockOf(fromSec)
  const toBlock = tickBlockOf(toSec)
  return sql<BlockRow[]>`
    select b.*
      from unnest(${[...streams]}::smallint[]) as asked (stream)
      cross join lateral (
        select stream, block, ${prices(sql)}
          from tick_blocks
         where stream = asked.stream
           and block between ${fromBlock} and ${toBlock}
           and ${inMonths(sql, fromBlock, toBlock)}
         order by block desc
         limit 2
      ) b`
}

export async function lockArchiveState(tx: Sql): Promise<TickState> {
  const [state] = await tx<TickState[]>`
    select packed_until, revision from tick_state for update`
  assert(state !== undefined, 'the tick archive has a state')
  return state
}

export async function updateState(tx: Sql, { packedUntil, revision }: TickState): Promise<void> {
  await tx`update tick_state set packed_until = ${packedUntil}, revision = ${revision}`
}

/** Live ticks before that second, the oldest of each stream first. Primary key. */
export function selectOldLive(tx: Sql, beforeSec: number, limit: number): Promise<StreamTick[]> {
  return tx<StreamTick[]>`
    select stream, sec, price, bid, ask
      from live_ticks
     where sec < ${beforeSec}
     order by stream, sec
     limit ${limit}`
}

export async function deleteLive(tx: Sql, ticks: readonly StreamTick[]): Promise<void> {
  await tx`
    delete from live_ticks l
     using ${rowsAs(tx, 'moved', ticks, { stream: 'smallint', sec: 'int' })}
     where l.stream = moved.stream and l.sec = moved.sec`
}

export function selectBlocksByKey(tx: Sql, keys: readonly BlockKey[]): Promise<BlockRow[]> {
  return tx<BlockRow[]>`
    select b.stream, b.block, b.columns
      from ${rowsAs(tx, 'asked', keys, { stream: 'smallint', block: 'int' })}
      join tick_blocks b on b.stream = asked.stream and b.block = asked.block`
}

export type FilledBlock = BlockKey & { ticks: TickBlock }

export async function upsertBlocks(tx: Sql, rows: readonly FilledBlock[]): Promise<void> {
  await tx`
    insert into tick_blocks (stream, block, columns)
    select * from unnest(
      ${rows.map(({ stream }) => stream)}::smallint[],
      ${rows.map(({ block }) => block)}::int[],
      ${tx.array(rows.map(({ ticks }) => ticks.toBytes()))})
    on conflict (stream, block) do update set columns = excluded.columns`
}

/** Adds the seconds that blocks got to those that are counted already. */
export async function addToHours(tx: Sql, rows: readonly (BlockKey & { added: number })[]) {
  await tx`
    insert into tick_hours as h (stream, hour, seconds)
    select stream, block / ${3600 / BLOCK_SEC}::int, sum(added)
      from unnest(
        ${rows.map(({ stream }) => stream)}::smallint[],
        ${rows.map(({ block }) => block)}::int[],
        ${rows.map(({ added }) => added)}::int[]) as filled (stream, block, added)
     group by 1, 2
    on conflict (stream, hour) do update set seconds = h.seconds + excluded.seconds`
}

/** Of these streams from that hour on, in blocks and not, the latter up to that second. Primary keys. */
export function selectHours(
  sql: Sql,
  streams: readonly number[],
  { fromHour, toSec }: { fromHour: number; toSec: number },
) {
  return sql<{ stream: number; hour: number; seconds: number }[]>`
    select stream, hour, sum(seconds)::int as seconds
      from (
        select stream, hour, seconds
          from tick_hours
         where stream = any(${[...streams]}::smallint[]) and hour >= ${fromHour}
        union all
        select stream, sec / 3600, count(*)
          from live_ticks
         where sec between ${fromHour * 3600} and ${toSec}
         group by 1, 2
      ) counted
     group by stream, hour
     order by stream, hour`
}

/** The hour in which each stream begins; streams without ticks are absent. */
export function selectFirstHours(sql: Sql, streams: readonly number[]) {
  return sql<{ stream: number; hour: number }[]>`
    select asked.stream, f.hour
      from unnest(${[...streams]}::smallint[]) as asked (stream)
      cross join lateral (
        select least(
          (select hour from tick_hours where stream = asked.stream order by hour limit 1),
          (select sec / 3600 from live_ticks where stream = asked.stream order by sec limit 1)
        ) as hour
      ) f
     where f.hour is not null
     order by asked.stream`
}

export type GapRow = {
  upstream: string
  /** null: all streams of the upstream. */
  stream: number | null
  fromSec: number
  toSec: number
  reason: string
}

/** A gap that another process has inserted stays as it is. */
export async function insertGap(sql: Sql, gap: GapRow): Promise<void> {
  await sql`insert into tick_gaps ${sql(gap)} on conflict do nothing`
}

/** Gaps that reach into these seconds or beyond, the newest first. Index: tick_gaps_to_sec. */
export function selectGaps(sql: Sql, sinceSec: number, limit: number): Promise<GapRow[]> {
  return sql<GapRow[]>`
    select upstream, stream, from_sec, to_sec, reason
      from tick_gaps
     where to_sec >= ${sinceSec}
     order by to_sec desc, from_sec desc
     limit ${limit}`
}
