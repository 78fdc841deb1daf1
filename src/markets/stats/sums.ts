import { COMBO_MODULE } from '../../core/structured-id.js'
import type { Fragment, Sql } from '../../store/connection.js'
import { selectBytes } from '../../store/sql-words.js'

/*
 * Parts of statements that the lists and the snapshot share. The tokens that count for a market or an
 * event are rows (subject, token): `subject` is a condition or the id of an event.
 */

const COLUMNS = 'trades, traders, volume, shares, buy_volume, fees, first_seq, last_seq'

export const statsColumns = (sql: Sql): Fragment => sql.unsafe(COLUMNS) as unknown as Fragment

/**
 * The tokens of conditions. The chain states the condition of most tokens, the catalogue that of some
 * others. Indexes: conditions_condition_key, tokens_condition, markets_condition, tokens_token_key.
 */
export const conditionTokens = (sql: Sql, conditions: Fragment): Fragment => sql`
  select c.condition as subject, t.id as token
    from conditions c
    join tokens t on t.condition = c.id
   where c.condition in (${conditions}) and not ${isComboToken(sql)}
   union
  select m.condition, t.id
    from markets m
    join tokens t on t.token = any(m.tokens) and t.condition is null
   where m.condition in (${conditions}) and not ${isComboToken(sql)}`

/**
 * The tokens of those conditions whose tokens are all stated by logs, up to this block: nothing that the catalogue
 * says, or a later log, changes what counts for them.
 */
export const chainTokens = (sql: Sql, block: number): Fragment => sql`
  select c.condition as subject, t.id as token
    from conditions c
    join tokens t on t.condition = c.id
   where not ${isComboToken(sql)}
     and not exists (select from tokens late where late.condition = c.id and late.stated_in > ${block})
     and not exists (select from markets m
                       join tokens unstated on unstated.token = any(m.tokens)
                      where m.condition = c.condition and unstated.condition is null)`

/** What `isCombo` of core/structured-id.ts says. */
const isComboToken = (sql: Sql): Fragment => sql`
  (get_byte(t.token, 0) = ${COMBO_MODULE}::integer
   and substr(t.token, 20, 8) = '\\x0000000000000000'::bytea)`

/** Ids of conditions, from hex text. */
export const requestedConditions = (sql: Sql, conditions: readonly string[]): Fragment =>
  sql`${selectBytes(sql, conditions)}`

/** Index: markets_event, beside those of the conditions. */
export const eventTokens = (sql: Sql, events: readonly number[]): Fragment => {
  const ids = [...events]
  const conditions = sql`select m.condition from markets m where m.event = any(${ids}::integer[])`
  return sql`
    select distinct m.event as subject, ct.token
      from markets m
      join (${conditionTokens(sql, conditions)}) ct on ct.subject = m.condition
     where m.event = any(${ids}::integer[])`
}

/**
 * Sums by subject, of those with a trade, without traders. `tokens` has the subject's other tokens too:
 * the orders that were met may have traded them alone.
 * Indexes: hour_candles_pkey or token_totals_pkey.
 */
export const sumsOf = (sql: Sql, tokens: Fragment, startHour: number): Fragment => sql`
  select o.subject, array_agg(distinct o.token) as tokens,
         sum(s.trades)::integer as trades, sum(s.volume)::bigint as volume,
         sum(s.shares)::bigint as shares, sum(s.buy_volume)::bigint as buy_volume,
         sum(s.fees)::bigint as fees, min(s.first_seq) as first_seq, max(s.last_seq) as last_seq
    from (${tokens}) o
    left join ${
      startHour === 0
        ? sql`token_totals s on s.token = o.token`
        : sql`hour_candles s on s.token = o.token and s.hour >= ${startHour}`
    }
   group by o.subject
  having count(s.token) > 0`

/**
 * Sums with the wallets that have a fill since the first hour: the period ends now, so the time of a
 * wallet's last fill says whether it has. Index: positions_token_filled.
 */
export const statsOf = (sql: Sql, tokens: Fragment, startHour: number): Fragment => sql`
  select s.subject, s.trades,
         (select count(distinct p.wallet)::integer
            from positions p
           where p.token = any(s.tokens) and p.filled_sec >= ${Math.max(startHour * 3_600, 1)})
           as traders,
         s.volume, s.shares, s.buy_volume, s.fees, s.first_seq, s.last_seq
    from (${sumsOf(sql, tokens, startHour)}) s`
