import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { LOGS_PER_BLOCK } from '../../core/seq.js'
import { lastReorg } from '../../lookups/snapshot.js'
import type { Sql } from '../../store/connection.js'
import { hex, rowsDigest } from '../../store/sql-words.js'
import { type StatsPeriod, startHourOf } from './period.js'
import { sumTotals } from './queries.js'
import { conditionTokens, eventTokens, requestedConditions, statsColumns, statsOf } from './sums.js'

/**
 * The statistics of all markets and events in a period. The first snapshot, and the first after the
 * ledger was rebuilt, computes every condition. The next ones compute those whose numbers may differ:
 * markets with a trade since the one before, and markets with a trade in the hours that have left
 * the period. Rows that stay the same are not written.
 */
export async function refreshSnapshot(
  sql: Sql,
  period: StatsPeriod,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const head = await selectHead(sql)
  if (head === undefined) return
  const asOfSec = Math.floor(nowMs / 1000)
  const window = { period, startHour: startHourOf(period, asOfSec) }
  const before = await selectSnapshot(sql, period)
  // Rows change from here on, one statement after the other, until the digests are those of the new ones.
  await sql`
    update stats_snapshots set markets_digest = null, events_digest = null where period = ${period}`
  const changed =
    before === undefined || before.epoch !== head.epoch
      ? allConditions(sql)
      : changedConditions(sql, window, before)
  for await (const conditions of changed) {
    if (signal.aborted) return
    await refreshMarkets(sql, window, conditions)
  }
  for (const events of split(await selectChangedEvents(sql, period), EVENTS_PER_STATEMENT)) {
    if (signal.aborted) return
    await refreshEvents(sql, window, events)
  }
  await upsertSnapshot(sql, { ...window, asOfSec, ...head })
}

const CONDITIONS_PER_STATEMENT = 500
const EVENTS_PER_STATEMENT = 50

type Window = { period: StatsPeriod; startHour: number }
/** `rewind`: the last reorganisation. */
type Head = { block: number; blockTime: number; epoch: number; rewind: bigint }
type Snapshot = Omit<Head, 'rewind'> & { startHour: number }

async function selectHead(sql: Sql): Promise<Head | undefined> {
  const [row] = await sql<Head[]>`
    select block, block_time, epoch, ${lastReorg(sql)} as rewind
      from chain_state where block is not null`
  return row
}

async function selectSnapshot(sql: Sql, period: StatsPeriod): Promise<Snapshot | undefined> {
  const [row] = await sql<Snapshot[]>`
    select start_hour, block, block_time, epoch from stats_snapshots where period = ${period}`
  return row
}

/** Every condition of the chain, by id, and those that only the catalogue states. */
async function* allConditions(sql: Sql): AsyncGenerator<string[]> {
  const [{ last = 0 } = {}] = await sql<{ last: number }[]>`
    select coalesce(max(id), 0) as last from conditions`
  for (let from = 0; from <= last; from += CONDITIONS_PER_STATEMENT) {
    yield toTexts(
      await sql<ConditionRow[]>`
        select ${hex(sql, 'condition')} as condition from conditions
         where id between ${from} and ${from + CONDITIONS_PER_STATEMENT - 1}`,
    )
  }
  const stated = await sql<ConditionRow[]>`
    select distinct ${hex(sql, 'm.condition')} as condition
      from tokens t
      join token_totals s on s.token = t.id
      join market_tokens mt on mt.token = t.token
      join markets m on m.id = mt.market
     where t.condition is null and m.condition is not null`
  yield* split(toTexts(stated), CONDITIONS_PER_STATEMENT)
}

/**
 * The conditions whose numbers may differ from those of the snapshot. Blocks near its head may have
 * been replaced since: trades that they had count as changes too. Index: hour_candles_hour.
 */
async function* changedConditions(
  sql: Sql,
  { period, startHour }: Window,
  before: Snapshot,
): AsyncGenerator<string[]> {
  const since = Math.floor(before.blockTime / 3_600) - 1
  const seqMin = (before.block - REORG_BLOCKS_MAX) * LOGS_PER_BLOCK
  const rows = await sql<ConditionRow[]>`
    with traded as (
      select distinct token from hour_candles
       where hour >= ${since} or (hour >= ${before.startHour} and hour < ${startHour})
    )
    select ${hex(sql, 'coalesce(c.condition, m.condition)')} as condition
      from traded
      join tokens t on t.id = traded.token
      left join conditions c on c.id = t.condition
      left join market_tokens mt on mt.token = t.token and t.condition is null
      left join markets m on m.id = mt.market
     where coalesce(c.condition, m.condition) is not null
     union
    select ${hex(sql, 'condition')} from market_stats
     where period = ${period} and last_seq >= ${seqMin}`
  yield* split(toTexts(rows), CONDITIONS_PER_STATEMENT)
}

async function refreshMarkets(
  sql: Sql,
  { period, startHour }: Window,
  conditions: readonly string[],
): Promise<void> {
  const requested = requestedConditions(sql, conditions)
  await sql`
    with fresh as materialized (
      ${statsOf(sql, conditionTokens(sql, requested), startHour)}
    ), gone as (
      delete from market_stats s
       where s.period = ${period} and s.condition in (${requested})
         and not exists (select from fresh where fresh.subject = s.condition)
    )
    insert into market_stats as s (period, condition, ${statsColumns(sql)})
    select ${period}, subject, ${statsColumns(sql)} from fresh
        on conflict (period, condition) do update set ${replaceChanged(sql)}`
}

/**
 * Events whose sums are not those of their markets: a market was traded, or the catalogue has a new
 * one. Index: markets_condition.
 */
async function selectChangedEvents(sql: Sql, period: StatsPeriod): Promise<number[]> {
  const rows = await sql<{ event: number }[]>`
    with sums as (
      select m.event, sum(s.trades) as trades, sum(s.volume) as volume,
             min(s.first_seq) as first_seq, max(s.last_seq) as last_seq
        from market_stats s
        join (select distinct event, condition from markets where event is not null) m
          on m.condition = s.condition
       where s.period = ${period}
       group by m.event
    ), stored as (
      select event, trades, volume, first_seq, last_seq from event_stats where period = ${period}
    )
    select coalesce(sums.event, stored.event) as event
      from sums full join stored on stored.event = sums.event
     where (sums.trades, sums.volume, sums.first_seq, sums.last_seq)
           is distinct from (stored.trades, stored.volume, stored.first_seq, stored.last_seq)`
  return rows.map(({ event }) => event)
}

async function refreshEvents(
  sql: Sql,
  { period, startHour }: Window,
  events: readonly number[],
): Promise<void> {
  await sql`
    with fresh as materialized (
      ${statsOf(sql, eventTokens(sql, events), startHour)}
    ), gone as (
      delete from event_stats s
       where s.period = ${period} and s.event = any(${[...events]}::integer[])
         and not exists (select from fresh where fresh.subject = s.event)
    )
    insert into event_stats as s (period, event, ${statsColumns(sql)})
    select ${period}, subject, ${statsColumns(sql)} from fresh
        on conflict (period, event) do update set ${replaceChanged(sql)}`
}

/** The end of an upsert into `s` that leaves equal rows alone. */
const replaceChanged = (sql: Sql) => sql`
  trades = excluded.trades, traders = excluded.traders, volume = excluded.volume,
  shares = excluded.shares, buy_volume = excluded.buy_volume, fees = excluded.fees,
  first_seq = excluded.first_seq, last_seq = excluded.last_seq
  where (s.trades, s.traders, s.volume, s.shares, s.buy_volume, s.fees, s.first_seq, s.last_seq)
        is distinct from
        (excluded.trades, excluded.traders, excluded.volume, excluded.shares, excluded.buy_volume,
         excluded.fees, excluded.first_seq, excluded.last_seq)`

async function upsertSnapshot(sql: Sql, window: Window & Head & { asOfSec: number }): Promise<void> {
  const { period, startHour, asOfSec, block, blockTime, epoch, rewind } = window
  await sql`
    with counted as materialized (
      select condition as subject, volume, trades from market_stats where period = ${period}
    )
    insert into stats_snapshots
           (period, as_of, start_hour, block, block_time, epoch, rewind, markets_digest,
            events_digest, markets, resolved_markets, volume, trades)
    select ${period}, ${asOfSec}::integer, ${startHour}::integer, ${block}::integer,
           ${blockTime}::integer, ${epoch}::integer, ${rewind}::bigint,
           (select ${rowsDigest(sql)} from market_stats as stored where period = ${period}),
           (select ${rowsDigest(sql)} from event_stats as stored where period = ${period}), totals.*
      from (${sumTotals(sql)}) totals
        on conflict (period) do update
       set as_of = excluded.as_of, start_hour = excluded.start_hour, block = excluded.block,
           block_time = excluded.block_time, epoch = excluded.epoch, rewind = excluded.rewind,
           markets_digest = excluded.markets_digest, events_digest = excluded.events_digest,
           markets = excluded.markets,
           resolved_markets = excluded.resolved_markets, volume = excluded.volume,
           trades = excluded.trades`
}

type ConditionRow = { condition: string }

const toTexts = (rows: readonly ConditionRow[]): string[] => rows.map(({ condition }) => condition)

function* split<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}
