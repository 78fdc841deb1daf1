import type { Page } from '../core/page.js'
import type { Fragment, Sql } from '../store/connection.js'
import { isBehind, type OrderColumn, orderedBy } from '../store/keyset.js'

/** What the listed positions of a wallet within a board of all time add up to. Amounts are whole millionths. */
export type AllTimeRow = {
  wallet: number
  address: string
  positions: number
  openPositions: number
  wins: number
  losses: number
  realized: bigint
  unrealized: bigint
  total: bigint
  /** Over the positions whose P&L, the unrealized part included, is more and less than nothing. */
  profit: bigint
  loss: bigint
  /** The same of what is realized. */
  gained: bigint
  lost: bigint
  /** Shares ever bought. */
  bought: bigint
  /** The value that the board is ordered by. */
  sortKey: bigint
  rank: number
}

/** What a board of all time can be ordered by: its largest first, of losses the most negative. */
export type AllTimeColumn =
  | 'total'
  | 'realized'
  | 'unrealized'
  | 'profit'
  | 'loss'
  | 'gained'
  | 'lost'
  | 'bought'
  | 'wins'
  | 'positions'

/**
 * A page of the board of a scope. Its key is the value, the wallet and the rank of the row before.
 * Index: `all_time_boards_` and the column.
 */
export const selectAllTimeBoard = (
  sql: Sql,
  { scope, column }: { scope: number; column: AllTimeColumn },
  page: Page,
): Promise<AllTimeRow[]> =>
  selectRanked(sql, column, page, sql`(select * from all_time_boards where scope = ${scope})`)

/**
 * A page of the board of these tokens, at the state and the prices of the boards: all their positions
 * are summed up for each page. Index: board_positions_token.
 */
export const selectMarketBoard = (
  sql: Sql,
  { tokens, column }: { tokens: readonly number[]; column: AllTimeColumn },
  page: Page,
): Promise<AllTimeRow[]> =>
  selectRanked(
    sql,
    column,
    page,
    sql`(select p.wallet, ${positionSums(sql, sql`1`)}
           from board_positions p
          where p.token = any(${[...tokens]}::integer[])
          group by p.wallet)`,
  )

/**
 * The columns of a board of all time, over positions `p` as `board_positions` has them; each counts `sign`
 * times.
 */
export const positionSums = (sql: Sql, sign: Fragment): Fragment => sql`
  sum(${sign})::integer as positions,
  sum(${sign} * p.is_open::integer)::integer as open_positions,
  sum(${sign} * (p.realized + p.unrealized > 0)::integer)::integer as wins,
  sum(${sign} * (p.realized + p.unrealized < 0)::integer)::integer as losses,
  sum(${sign} * p.realized)::bigint as realized,
  sum(${sign} * p.unrealized)::bigint as unrealized,
  sum(${sign} * (p.realized + p.unrealized))::bigint as total,
  sum(${sign} * greatest(p.realized + p.unrealized, 0))::bigint as profit,
  sum(${sign} * least(p.realized + p.unrealized, 0))::bigint as loss,
  sum(${sign} * greatest(p.realized, 0))::bigint as gained,
  sum(${sign} * least(p.realized, 0))::bigint as lost,
  sum(${sign} * p.bought)::bigint as bought`

async function selectRanked(
  sql: Sql,
  column: AllTimeColumn,
  page: Page,
  board: Fragment,
): Promise<AllTimeRow[]> {
  const isAscending = column === 'loss' || column === 'lost'
  const order: OrderColumn[] = [
    { column: `board.${column}`, type: 'bigint' },
    { column: 'board.wallet', type: 'integer' },
  ]
  const rows = await sql<Omit<AllTimeRow, 'rank'>[]>`
    select board.*, board.${sql(column)}::bigint as sort_key,
           '0x' || encode(w.address, 'hex') as address
      from (select *
              from ${board} board
             where ${isBehind(sql, order, page.after, isAscending)}
             ${orderedBy(sql, order, isAscending)}
            offset ${page.offset} limit ${page.limit}) board
      join wallets w on w.id = board.wallet
     ${orderedBy(sql, order, isAscending)}`
  const before = Number(page.after?.[2] ?? page.offset)
  return rows.map((row, index) => ({ ...row, rank: before + index + 1 }))
}
