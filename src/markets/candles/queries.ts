import { parseTokenId } from '../../core/ids.js'
import { hexToBytes } from '../../lib/hex.js'
import type { TokenMarket } from '../../lookups/market-block.js'
import type { Fragment, Sql } from '../../store/connection.js'
import { hex } from '../../store/sql-words.js'
import type { TokenCandle } from './candle.js'
import type { CandleWindow } from './window.js'

/** Which tokens have a series: one, all of a condition, or all of the markets with a slug. */
export type SeriesSubject = { token_id: string } | { condition_id: string } | { slug: string }

/** `id` null: the catalogue has the token, and the chain has not named it yet. */
export type SeriesToken = TokenMarket & { id: number | null }

/** A condition has 256 outcomes at most. */
const SERIES_MAX = 300

/**
 * The tokens of a subject by outcome; none: the subject is unknown. Indexes: tokens_token_key,
 * tokens_condition, markets_condition, markets_slug, market_tokens_pkey.
 */
export function selectSeriesTokens(sql: Sql, subject: SeriesSubject): Promise<SeriesToken[]> {
  return sql<SeriesToken[]>`
    select t.id, ${hex(sql, 'given.token')} as token,
           ${hex(sql, 'coalesce(m.condition, c.condition)')} as condition,
           m.question, m.slug, m.image, e.id as event_id, e.slug as event_slug,
           coalesce(mt.outcome, t.outcome) as outcome_index, m.outcomes[mt.outcome + 1] as outcome
      from (${tokensOf(sql, subject)}) given
      left join tokens t on t.token = given.token
      left join conditions c on c.id = t.condition
      left join market_tokens mt on mt.token = given.token
      left join markets m on m.id = mt.market
      left join events e on e.id = m.event
     where t.id is not null or mt.token is not null
     order by outcome_index nulls last, given.token
     limit ${SERIES_MAX}`
}

function tokensOf(sql: Sql, subject: SeriesSubject): Fragment {
  if ('token_id' in subject) {
    // A number that is too large for a token id has no bytes, and no token has none.
    return sql`select ${hexToBytes(parseTokenId(subject.token_id) ?? '0x')}::bytea as token`
  }
  const isMarket =
    'slug' in subject ? sql`m.slug = ${subject.slug}` : sql`m.condition = ${hexToBytes(subject.condition_id)}`
  const isCondition =
    'slug' in subject
      ? sql`c.condition in (select m.condition from markets m where ${isMarket})`
      : sql`c.condition = ${hexToBytes(subject.condition_id)}`
  // Tokens of other collateral share the condition without an outcome; few of them are ever traded.
  return sql`
    select t.token
      from conditions c
      join tokens t on t.condition = c.id
     where ${isCondition}
       and (t.outcome is not null or exists (select from token_totals s where s.token = t.id))
     union
    select unnest(m.tokens) from markets m where ${isMarket}`
}

type CandleRow = Omit<TokenCandle, 'first' | 'last'> & {
  firstSeq: number
  lastSeq: number
  firstSec: number
  lastSec: number
}

/**
 * The candles of tokens in a window, oldest first. Buckets of a quarter of an hour and less are made of
 * minutes, longer ones of hours, so that no token takes more than 24,000 rows. Indexes: primary keys
 * of minute_candles and hour_candles, blocks_pkey.
 */
export async function selectCandles(
  sql: Sql,
  tokens: readonly number[],
  window: CandleWindow,
): Promise<TokenCandle[]> {
  const { table, unit, first, last, perBucket } = unitsOf(sql, window)
  const rows = await sql<CandleRow[]>`
    with buckets as (
      select token, ${unit} / ${perBucket}::integer as bucket, sum(trades)::integer as trades,
             coalesce((array_agg(open order by ${unit}) filter (where shares > 0))[1], 0) as open,
             coalesce(max(high) filter (where shares > 0), 0) as high,
             coalesce(min(low) filter (where shares > 0), 0) as low,
             coalesce((array_agg(close order by ${unit} desc) filter (where shares > 0))[1], 0)
               as close,
             sum(volume)::bigint as volume, sum(shares)::bigint as shares,
             sum(buy_volume)::bigint as buy_volume,
             min(first_seq) as first_seq, max(last_seq) as last_seq
        from ${table}
       where token = any(${[...tokens]}::integer[])
         and ${unit} between ${first} and ${last}
       group by token, bucket
    )
    select b.token, b.bucket * ${window.seconds}::integer as time_sec, b.trades, b.open, b.high,
           b.low, b.close, b.volume, b.shares, b.buy_volume,
           b.first_seq::float8, b.last_seq::float8,
           first_block.time as first_sec, last_block.time as last_sec
      from buckets b
      join blocks first_block on first_block.number = b.first_seq >> 20
      join blocks last_block on last_block.number = b.last_seq >> 20
     order by b.token, b.bucket`
  return rows.map(({ firstSeq, lastSeq, firstSec, lastSec, ...candle }) => ({
    ...candle,
    first: { seq: firstSeq, timeSec: firstSec },
    last: { seq: lastSeq, timeSec: lastSec },
  }))
}

/** What a token has on both sides of a window. `closeBefore` null: there was no price before it. */
type WindowSides = {
  token: number
  hasOlder: boolean
  hasNewer: boolean
  closeBefore: bigint | null
}

/** One probe of the primary key for each side and the price. */
export function selectWindowSides(
  sql: Sql,
  tokens: readonly number[],
  window: CandleWindow,
): Promise<WindowSides[]> {
  const { table, unit, first, last } = unitsOf(sql, window)
  return sql<WindowSides[]>`
    select given.token,
           exists (select from ${table} where token = given.token and ${unit} < ${first})
             as has_older,
           exists (select from ${table} where token = given.token and ${unit} > ${last})
             as has_newer,
           (select close from ${table}
             where token = given.token and ${unit} < ${first} and shares > 0
             order by ${unit} desc limit 1) as close_before
      from unnest(${[...tokens]}::integer[]) as given (token)`
}

/** The table that a window is read from, and the window in the table's unit of time. */
function unitsOf(sql: Sql, { firstSec, lastSec, seconds }: CandleWindow) {
  const isOfMinutes = seconds < 3_600
  const unitSec = isOfMinutes ? 60 : 3_600
  return {
    table: isOfMinutes ? sql`minute_candles` : sql`hour_candles`,
    unit: isOfMinutes ? sql`minute` : sql`hour`,
    first: firstSec / unitSec,
    last: (lastSec + seconds) / unitSec - 1,
    perBucket: seconds / unitSec,
  }
}
