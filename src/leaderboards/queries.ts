import type { Page } from '../core/page.js'
import { type Ranked, selectRanked, unrankedWallets } from '../lookups/board.js'
import { isNamedTag, tagSlug } from '../lookups/tag-filter.js'
import type { Fragment, Sql } from '../store/connection.js'

/** What the listed positions of a wallet within a board of all time add up to. Amounts are whole millionths. */
export type AllTimeRow = Ranked<{
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
}>

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

/** A page of the board of a scope. Index: `all_time_boards_` and the column. */
export const selectAllTimeBoard = (
  sql: Sql,
  { scope, column }: { scope: number; column: AllTimeColumn },
  page: Page,
): Promise<AllTimeRow[]> =>
  selectOrdered(sql, column, page, {
    rows: sql`(select * from all_time_boards where scope = ${scope})`,
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
  selectOrdered(sql, column, page, {
    rows: sql`summed`,
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

function selectOrdered<Sums>(
  sql: Sql,
  column: AllTimeColumn,
  page: Page,
  from: { rows: Fragment; summed?: Fragment },
): Promise<Ranked<Sums>[]> {
  const isAscending = column === 'loss' || column === 'lost'
  return selectRanked(sql, { board: 'leaderboards', column, isAscending, ...from }, page)
}

/** What the P&L events of a wallet within a rolling board add up to. */
export type RollingRow = Ranked<{
  wins: number
  losses: number
  realized: bigint
  profit: bigint
  loss: bigint
}>

/** A page of a rolling board, as of the boards of all time. Index: rolling_boards_realized. */
export const selectRollingBoard = (
  sql: Sql,
  { days, scope }: { days: number; scope: number },
  page: Page,
): Promise<RollingRow[]> =>
  selectOrdered(sql, 'realized', page, {
    rows: sql`(select * from rolling_boards where days = ${days} and scope = ${scope})`,
  })

/** A wallet on a board over all markets. */
export type WalletRank = { rank: number; value: bigint }

/**
 * The rank of a wallet by this column; `undefined`: it is not among the first `rankMax`. Those before it are counted in
 * the index of the column.
 */
export async function selectWalletRank(
  sql: Sql,
  board: { days: number } | 'all',
  { wallet, rankMax }: { wallet: number; rankMax: number },
): Promise<WalletRank | undefined> {
  const column = sql(board === 'all' ? 'total' : 'realized')
  const rows =
    board === 'all'
      ? sql`(select * from all_time_boards where scope = 0)`
      : sql`(select * from rolling_boards where days = ${board.days} and scope = 0)`
  const unranked = unrankedWallets(sql, 'leaderboards')
  const [row] = await sql<WalletRank[]>`
    select own.${column}::bigint as value,
           1 + (select count(*)::integer
                  from (select from ${rows} other
                         where (other.${column}, other.wallet) > (own.${column}, own.wallet)
                           and other.wallet not in (${unranked})
                         limit ${rankMax}) above) as rank
      from ${rows} own
     where own.wallet = ${wallet} and own.wallet not in (${unranked})`
  return row === undefined || row.rank > rankMax ? undefined : row
}

/** The number of this state of the boards, and the time that it is as of. */
type BoardSnapshot = { snapshot: number; asOfSec: number }

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
