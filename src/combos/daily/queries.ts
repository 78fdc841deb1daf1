import type { Sql } from '../../store/connection.js'
import { DAY_COUNTS } from './refresh.js'

/** Numbers of days since 1970, both included. */
export type DayRange = { first: number; last: number }

/** `headBlock` null: the days are not counted yet. */
type StateRow = { fromSec: number; headBlock: number | null; headSec: number }

/** One row. */
export const selectComboDaysState = (sql: Sql) => sql<StateRow[]>`
  select from_sec, head_block, head_sec from combo_days_state`

type CamelCase<Text extends string> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Text
/** Shares are millionths. */
export type ComboDayRow = Record<CamelCase<(typeof DAY_COUNTS)[number]>, bigint> & { day: number }

/** A row for each day of the range, counted or not. Index: combo_days_pkey. */
export const selectComboDays = (sql: Sql, { first, last }: DayRange) => sql<ComboDayRow[]>`
  select day, ${sql.unsafe(DAY_COUNTS.map((column) => `coalesce(sum(${column}), 0)::bigint as ${column}`).join())}
    from generate_series(${first}::integer, ${last}::integer) day
    left join combo_days using (day)
   group by day
   order by day`
