import type { Page } from '../core/page.js'
import { unrankedWallets } from '../lookups/board.js'
import { type SeqRange, withinSeq } from '../lookups/seq-range.js'
import { isUnreverted } from '../lookups/snapshot.js'
import type { Fragment, Sql } from '../store/connection.js'
import { blockTime, hex } from '../store/sql-words.js'
import { COMBO_ACTIVITY } from './queries.js'

type ComboSort = 'total_pnl' | 'realized_pnl' | 'unrealized_pnl'

/** `undefined` as range: of all time. */
export type ComboBoardScope = { sort: ComboSort; range: SeqRange | undefined }

export type ComboRankRow = {
  rank: number
  address: string
  realized: bigint
  /** Null: of a part of the time, or a position has no price. */
  unrealized: bigint | null
  opened: number
  closed: number
  positions: number
  events: number
  /** Null: there was none. */
  lastSec: number | null
  isGone: boolean
}

const RANK_COLUMNS: Record<ComboSort, string> = {
  total_pnl: 'by_total',
  realized_pnl: 'by_realized',
  unrealized_pnl: 'by_unrealized',
}

/** Wallets by what combos earned them. */
export const selectComboRanks = (
  sql: Sql,
  { sort, range }: ComboBoardScope,
  page: Page,
): Promise<ComboRankRow[]> =>
  range === undefined ? selectRanks(sql, sort, page) : selectRanksWithin(sql, range, page)

/** Wallets that a reorganisation took trades from since are gone. Indexes: combo_ranks_<order>, combo_pnl_wallet. */
const selectRanks = (sql: Sql, sort: ComboSort, { limit, offset }: Page) => {
  const rank = sql(`r.${RANK_COLUMNS[sort]}`)
  return sql<ComboRankRow[]>`
    select ${rank} as rank, ${hex(sql, 'w.address')} as address, r.realized, r.unrealized,
           r.opened, greatest(r.positions - r.opened, 0) as closed, r.positions, closing.events,
           (select time from blocks
             where number = greatest(t.last_fill, coalesce(closing.last_seq, 0)) >> 20) as last_sec,
           w.id is null or t.wallet is null or r.wallet in (
             ${unrankedWallets(sql, 'combos')}
           ) as is_gone
      from combo_ranks r
      left join wallets w on w.id = r.wallet
      left join combo_totals t on t.wallet = r.wallet
     cross join lateral (${closings(sql, sql`p.wallet = r.wallet`)}) closing
     where ${rank} > ${offset}::bigint and ${rank} <= ${offset + limit}::bigint
     order by ${rank}`
}

/** Reads all closings of the range. Index: combo_pnl_pkey. */
const selectRanksWithin = (sql: Sql, range: SeqRange, { limit, offset }: Page) => sql<ComboRankRow[]>`
  with sums as materialized (
    select p.wallet, sum(p.amount)::bigint as realized
      from combo_pnl p
     where ${withinSeq(sql, 'p.seq', range)} and ${isHeld(sql)}
     group by p.wallet
  ), page as materialized (
    select s.*, w.address, row_number() over (order by s.realized desc, w.address)::integer as rank
      from sums s left join wallets w on w.id = s.wallet
     order by s.realized desc, w.address
    offset ${offset} limit ${limit}
  )
  select page.rank, ${hex(sql, 'page.address')} as address, page.realized,
         null as unrealized, touched.opened, touched.positions - touched.opened as closed,
         touched.positions, closing.events,
         ${blockTime(sql, 'closing.last_seq')} as last_sec,
         page.address is null as is_gone
    from page
   cross join lateral (
     ${closings(sql, sql`p.wallet = page.wallet and ${withinSeq(sql, 'p.seq', range)}`)}
   ) closing
   cross join lateral (
     select count(*)::integer as positions,
            (count(*) filter (where o.balance > 0))::integer as opened
       from (select distinct p.token from combo_pnl p
              where p.wallet = page.wallet and ${withinSeq(sql, 'p.seq', range)}
                and ${isHeld(sql)}) p
       join positions o on o.wallet = page.wallet and o.token = p.token
   ) touched
   order by page.rank`

/** Those that earned or lost nothing are no events. */
const closings = (sql: Sql, isWanted: Fragment): Fragment => sql`
  select (count(*) filter (where p.amount <> 0))::integer as events, max(p.seq) as last_seq
    from combo_pnl p
   where ${isWanted} and ${isHeld(sql)}`

/** Whether the row `p` was not reverted since. */
const isHeld = (sql: Sql): Fragment => isUnreverted(sql, sql`p.seq`, COMBO_ACTIVITY)

export type ComboStateRow = {
  headBlock: number
  headSec: number
  rankedBlock: number
  rankedSec: number
  eligible: number
  excluded: number
  incomplete: number
  unmarked: number
}

/** The blocks that the tables of combos are as of; `undefined`: they are not made yet. */
export async function selectComboState(sql: Sql): Promise<ComboStateRow | undefined> {
  const [row] = await sql<ComboStateRow[]>`
    select s.head_block, s.ranked_block, s.ranked_sec, s.eligible, s.excluded, s.incomplete,
           s.unmarked,
           (select time from blocks where number <= s.head_block order by number desc limit 1)
             as head_sec
      from combo_state s
     where s.head_block is not null and s.ranked_block is not null`
  return row
}

/** How many wallets closed something in the range. Index: combo_pnl_pkey. */
export async function selectRankedCount(sql: Sql, range: SeqRange): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(distinct wallet)::integer as count
      from combo_pnl p
     where ${withinSeq(sql, 'p.seq', range)} and ${isHeld(sql)}`
  return row?.count ?? 0
}
