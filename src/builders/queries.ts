import type { Page } from '../core/page.js'
import { hexToBytes } from '../lib/hex.js'
import { withRanks } from '../lookups/board.js'
import type { Fragment, Sql } from '../store/connection.js'
import { isAfterKey, type OrderColumn, orderedBy } from '../store/keyset.js'
import { blockTime, hex } from '../store/sql-words.js'

export const BUILDER_SORTS = ['fills', 'volume', 'fees'] as const
export type BuilderSort = (typeof BUILDER_SORTS)[number]

/** A builder with its figures; `fills` null: it has a profile alone. */
export type BuilderFigures = {
  code: string
  name: string | null
  logo: string | null
  verified: boolean | null
  externalRank: number | null
  externalVolume: string | null
  externalActiveUsers: number | null
  fills: number | null
  buyShares: bigint | null
  sellShares: bigint | null
  buyUsd: bigint | null
  sellUsd: bigint | null
  fees: bigint | null
  firstSec: number | null
  lastSec: number | null
  /** Of the last booked block: the figures are complete up to there. */
  headSec: number | null
}

/** `sortKey`: the value that the list is ordered by. */
type BuilderRow = BuilderFigures & { rank: number; sortKey: bigint }

const builderColumns = (sql: Sql): Fragment => sql`
  ${hex(sql, 'coalesce(p.code, b.code)')} as code, p.name, p.logo, p.verified,
  p.external_rank, p.external_volume::text, p.external_active_users,
  t.fills, t.buy_shares, t.sell_shares, t.buy_usd, t.sell_usd, t.fees,
  ${blockTime(sql, 't.first_seq')} as first_sec,
  ${blockTime(sql, 't.last_seq')} as last_sec,
  (select block_time from chain_state) as head_sec`

const allBuilders = (sql: Sql): Fragment => sql`
  builder_totals t
  join builders b on b.id = t.builder
  full join builder_profiles p on p.code = b.code`

/** Builders with a profile alone come last. */
const SORT_KEYS: Record<BuilderSort, string> = {
  fills: 'coalesce(t.fills, -1)',
  volume: 'coalesce(t.buy_shares + t.sell_shares, -1)',
  fees: 'coalesce(t.fees, -1)',
}

/**
 * Builders by a figure, the largest first. There are some thousand, so that all of them are read and
 * sorted. A rank is the position in the list, which a cursor continues.
 */
export async function selectBuilders(
  sql: Sql,
  { sort }: { sort: BuilderSort },
  page: Page,
): Promise<BuilderRow[]> {
  const order: OrderColumn[] = [
    { column: 'sort_key', type: 'bigint' },
    { column: 'code', type: 'text' },
  ]
  const rows = await sql<Omit<BuilderRow, 'rank'>[]>`
    select *
      from (select ${sql.unsafe(SORT_KEYS[sort])}::bigint as sort_key, ${builderColumns(sql)}
              from ${allBuilders(sql)}) builders
     where ${isAfterKey(sql, order, page.after, false)}
     ${orderedBy(sql, order, false)}
    offset ${page.offset} limit ${page.limit}`
  return withRanks(rows, page)
}

/** One builder by its code. Indexes: primary and unique keys. */
export async function selectBuilder(sql: Sql, code: string): Promise<BuilderFigures> {
  const [row] = await sql<BuilderFigures[]>`
    select ${builderColumns(sql)}
      from (select ${hexToBytes(code)}::bytea as code) wanted
      left join builders b on b.code = wanted.code
      left join builder_totals t on t.builder = b.id
      left join builder_profiles p on p.code = wanted.code`
  if (row === undefined) throw new Error('one code gives one row')
  return row
}

/** Which days; both ends are included, in days since the epoch. */
export type DayScope = {
  /** `undefined`: of all builders. */
  builder: number | undefined
  fromDay: number
  toDay: number
  isAscending: boolean
}

export type BuilderDayRow = {
  day: number
  fills: number
  buyShares: bigint
  sellShares: bigint
  fees: bigint
  wallets: number
  newWallets: number
}

export type NamedBuilderDayRow = BuilderDayRow & {
  builder: number
  code: string
  name: string | null
  isGone: boolean
}

const BY_DAY: OrderColumn[] = [{ column: 'day', type: 'integer' }]

/** Sums over the builders of each day. Index: builder_days_pkey, or builder_days_day for all builders. */
export function selectDays(sql: Sql, scope: DayScope, page: Page): Promise<BuilderDayRow[]> {
  return sql<BuilderDayRow[]>`
    select day, sum(fills)::integer as fills, sum(buy_shares)::bigint as buy_shares,
           sum(sell_shares)::bigint as sell_shares, sum(fees)::bigint as fees,
           sum(wallets)::integer as wallets, sum(new_wallets)::integer as new_wallets
      from builder_days
     where ${isOfDays(sql, scope)} and ${isAfterKey(sql, BY_DAY, page.after, scope.isAscending)}
     group by day
     ${orderedBy(sql, BY_DAY, scope.isAscending)}
    offset ${page.offset} limit ${page.limit}`
}

const BY_DAY_AND_BUILDER: OrderColumn[] = [
  { column: 'day', type: 'integer' },
  { column: 'builder', type: 'integer' },
]

/** A row for each builder and day. Index: builder_days_day. */
export function selectDaysOfBuilders(sql: Sql, scope: DayScope, page: Page): Promise<NamedBuilderDayRow[]> {
  const order = BY_DAY_AND_BUILDER
  return sql<NamedBuilderDayRow[]>`
    select d.*, ${hex(sql, 'b.code')} as code, p.name, b.id is null as is_gone
      from (select *
              from builder_days
             where ${isOfDays(sql, scope)} and ${isAfterKey(sql, order, page.after, scope.isAscending)}
             ${orderedBy(sql, order, scope.isAscending)}
            offset ${page.offset} limit ${page.limit}) d
      left join builders b on b.id = d.builder
      left join builder_profiles p on p.code = b.code
     ${orderedBy(sql, order, scope.isAscending)}`
}

const isOfDays = (sql: Sql, { builder, fromDay, toDay }: DayScope): Fragment => sql`
  day between ${fromDay} and ${toDay}
  ${builder === undefined ? sql`` : sql`and builder = ${builder}`}`
