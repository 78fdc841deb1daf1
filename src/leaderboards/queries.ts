import type { Page } from '../core/page.js'
import { revertedWallets } from '../lookups/snapshot.js'
import { isNamedTag, tagSlug } from '../lookups/tag-filter.js'
import type { Fragment, Sql } from '../store/connection.js'
import { boundedPage, isBehind, type OrderColumn, orderedBy } from '../store/keyset.js'
import { hex } from '../store/sql-words.js'

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
  isGone: boolean
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
  selectRanked(sql, column, page, {
    board: sql`(select * from all_time_boards where scope = ${scope})`,
  })

/**
 * A page of the board of these tokens, at the state and the prices of the boards: all their positions
 * are summed up for each page. Index: board_positions_token.
 */
export const selectMarketBoard = (
  sql: Sql,
  { tokens, column }: { tokens: readonly number[]; column: AllTimeColumn },
  page: Page,
): Promise<AllTimeRow[]> =>
  selectRanked(sql, column, page, {
    board: sql`summed`,
    summed: sql`
      with summed as materialized (
        select p.wallet, ${positionSums(sql, sql`1`)}
          from board_positions p
         where p.token = any(${[...tokens]}::integer[])
         group by p.wallet
      )`,
  })

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

type RankedFrom = { board: Fragment; summed?: Fragment }

/**
 * Without the wallets that a reorganisation took counted trades from since the last refresh. Rows in front of the page
 * are read in the index alone; then the rows of the page are, by their wallets.
 */
async function selectRanked<Row extends { rank: number }>(
  sql: Sql,
  column: AllTimeColumn,
  page: Page,
  { board, summed = sql`` }: RankedFrom,
): Promise<Row[]> {
  const isAscending = column === 'loss' || column === 'lost'
  const order: OrderColumn[] = [
    { column: `ranked.${column}`, type: 'bigint' },
    { column: 'ranked.wallet', type: 'integer' },
  ]
  const ranked = sql`
    select ranked.${sql(column)}, ranked.wallet
      from ${board} ranked
     where ${isBehind(sql, order, page.after, isAscending)}
       and ranked.wallet not in (
         ${revertedWallets(sql, sql`select block, rewind from board_state`)})
     ${orderedBy(sql, order, isAscending)}
    offset ${page.offset} limit ${page.limit}`
  const rows = await sql<Row[]>`
    ${summed}
    select board.*, ranked.${sql(column)}::bigint as sort_key,
           ${hex(sql, 'w.address')} as address, w.id is null as is_gone
      from (${boundedPage(sql, ranked)}) ranked
      join ${board} board on board.wallet = ranked.wallet
      left join wallets w on w.id = ranked.wallet
     ${orderedBy(sql, order, isAscending)}`
  const before = ranksBefore(page)
  return rows.map((row, index) => ({ ...row, rank: before + index + 1 }))
}

/** How many rows of a board are in front of a page. */
export const ranksBefore = ({ after, offset }: Page): number => Number(after?.[2] ?? offset)

/** What the P&L events of a wallet within a rolling board add up to. */
export type RollingRow = {
  wallet: number
  address: string
  wins: number
  losses: number
  realized: bigint
  profit: bigint
  loss: bigint
  sortKey: bigint
  rank: number
  isGone: boolean
}

/** A page of a rolling board, as of the boards of all time. Index: rolling_boards_realized. */
export const selectRollingBoard = (
  sql: Sql,
  { days, scope }: { days: number; scope: number },
  page: Page,
): Promise<RollingRow[]> =>
  selectRanked(sql, 'realized', page, {
    board: sql`(select * from rolling_boards where days = ${days} and scope = ${scope})`,
  })

/** Which state of the boards this is, and the moment that they speak of. */
export type BoardSnapshot = { snapshot: number; asOfSec: number }

/** `undefined`: the boards are not made yet. */
export async function selectBoardSnapshot(sql: Sql): Promise<BoardSnapshot | undefined> {
  const [row] = await sql<BoardSnapshot[]>`
    select snapshot, block_time as as_of_sec from board_state where block is not null`
  return row
}

/**
 * The slug of the tag that a text names: that slug itself, else the same in other letters or with a
 * space for `-`, else that of a label. Of several slugs the one with most markets.
 * Indexes: tags_plain_slug, tags_plain_label, tag_counts_pkey.
 */
export async function selectTagSlug(sql: Sql, text: string): Promise<string | undefined> {
  const [found] = await sql<{ slug: string }[]>`
    with named as materialized (
      select ${tagSlug(sql)} as slug from tags where ${isNamedTag(sql, text)}
    )
    select n.slug
      from named n
      left join tag_counts c on c.slug = n.slug
     order by n.slug = ${text} desc,
              lower(replace(n.slug, '-', ' ')) = lower(replace(${text}::text, '-', ' ')) desc,
              c.markets desc nulls last, n.slug
     limit 1`
  return found?.slug
}

export type ScopeKind = 'category' | 'tag'

/** The id of a scope; `undefined`: no wallet has ever traded in it. Index: board_scopes_kind_value_key. */
export async function selectScopeId(sql: Sql, kind: ScopeKind, value: string): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    select id from board_scopes where kind = ${kind} and value = ${value}`
  return row?.id
}

/** `query`: small letters that the name of the scope has, whatever the case of its own. */
export type ScopeSearch = { days: number; kind: ScopeKind; query: string }

export type ScopeRow = { value: string; wallets: number }

/** The scopes with a wallet in the period, those of most wallets first. Index: rolling_scopes_pkey. */
export const selectScopes = (sql: Sql, search: ScopeSearch, page: Page): Promise<ScopeRow[]> =>
  sql<ScopeRow[]>`
    select s.value, r.wallets
      from ${foundScopes(sql, search)}
     order by r.wallets desc, s.value
    offset ${page.offset} limit ${page.limit}`

export async function countScopes(sql: Sql, search: ScopeSearch): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from ${foundScopes(sql, search)}`
  return row?.count ?? 0
}

// `strpos` knows no wildcards.
const foundScopes = (sql: Sql, { days, kind, query }: ScopeSearch): Fragment => sql`
  rolling_scopes r
  join board_scopes s on s.id = r.scope
 where r.days = ${days} and r.wallets > 0 and s.kind = ${kind}
   and strpos(lower(s.value), ${query}) > 0`
