import type { Page } from '../../core/page.js'
import { type Ranked, selectRanked, withRanks } from '../../lookups/board.js'
import { isListed, unrealizedPnl } from '../../lookups/position-sql.js'
import { lastReorg, transactRefresh } from '../../lookups/snapshot.js'
import type { Fragment, Pool, Sql } from '../../store/connection.js'
import { hex, isBuy, isMarketFill, isSell, rowsDigest } from '../../store/sql-words.js'

/** A wallet on the board of a builder. P&L is that of all its trades. */
export type BoardRow = Ranked<BoardSums>

type BoardSums = {
  fills: number
  activeDays: number
  firstSec: number
  lastSec: number
  buyVolume: bigint
  sellVolume: bigint
  fees: bigint
  realized: bigint
  /** null: only boards of all time are valued. */
  unrealized: bigint | null
  total: bigint | null
}

/** What callers may order a board by, and its column. */
export const BOARD_SORTS = {
  pnl: 'total',
  realized_pnl: 'realized',
  total_pnl: 'total',
  unrealized_pnl: 'unrealized',
  volume: 'volume',
  trades: 'fills',
  fees: 'fees',
  active_days: 'active_days',
  recent: 'last_sec',
} as const

export type BoardSort = keyof typeof BOARD_SORTS

export type BoardScope = {
  builder: number
  column: (typeof BOARD_SORTS)[BoardSort]
  isAscending: boolean
  /** The first fill that counts; `undefined`: the board of all time. */
  sinceSeq: number | undefined
  withPnl: boolean
}

/** Which state of the boards of all time this is. */
export type BoardState = { snapshot: number; blockTime: number | null; takenAt: Date }

/** `undefined`: they are not made yet. */
export async function selectBoardState(sql: Sql): Promise<BoardState | undefined> {
  const [state] = await sql<BoardState[]>`
    select snapshot, block_time, taken_at from builder_board_state where taken_at is not null`
  return state
}

/** A page of a board. Indexes of those of all time: `builder_board_` and the column. */
export async function selectBoard(sql: Sql, scope: BoardScope, page: Page): Promise<BoardRow[]> {
  const { builder, column, isAscending, sinceSeq } = scope
  if (sinceSeq !== undefined) {
    return withRanks(await selectRollingBoard(sql, { ...scope, sinceSeq }, page), page)
  }
  const rows = sql`(select * from builder_board where builder = ${builder})`
  return await selectRanked<BoardSums>(sql, { board: 'builders', rows, column, isAscending }, page)
}

/**
 * All fills since the time are read. P&L is what the wallets realized since then, combos left out.
 * Indexes of each partition: builder of fills, wallet of pnl; positions_pkey.
 */
function selectRollingBoard(
  sql: Sql,
  { builder, column, isAscending, sinceSeq, withPnl }: BoardScope & { sinceSeq: number },
  page: Page,
): Promise<Omit<BoardRow, 'rank'>[]> {
  const realized = withPnl
    ? sql`(select coalesce(sum(p.amount), 0)::bigint
             from pnl p
             join positions s on s.wallet = p.wallet and s.token = p.token
            where p.wallet = traded.wallet and p.seq >= ${sinceSeq} and s.is_combo = 0)`
    : sql`0::bigint`
  return sql<Omit<BoardRow, 'rank'>[]>`
    select ranked.*, ranked.${sql(column)}::bigint as sort_key,
           ${hex(sql, 'w.address')} as address, w.id is null as is_gone
      from (select traded.*, traded.buy_volume + traded.sell_volume as volume,
                   ${realized} as realized, null::bigint as unrealized, null::bigint as total
              from (${tradedSince(sql, builder, sinceSeq)}) traded) ranked
      left join wallets w on w.id = ranked.wallet
     order by ranked.${sql(column)} ${isAscending ? sql`asc` : sql`desc`}, ranked.wallet
    offset ${page.offset} limit ${page.limit}`
}

const tradedSince = (sql: Sql, builder: number, sinceSeq: number): Fragment => sql`
  select f.wallet, count(*)::integer as fills,
         count(distinct b.time / 86400)::integer as active_days,
         min(b.time) as first_sec, max(b.time) as last_sec,
         coalesce(sum(f.shares) filter (where ${isBuy(sql, 'f')}), 0)::bigint as buy_volume,
         coalesce(sum(f.shares) filter (where ${isSell(sql, 'f')}), 0)::bigint as sell_volume,
         sum(f.fee)::bigint as fees
    from fills f
    join blocks b on b.number = f.seq >> 20
   where f.builder = ${builder} and ${isMarketFill(sql, 'f')} and f.seq >= ${sinceSeq}
   group by f.wallet`

/** How many wallets traded through a builder. Indexes as above. */
export async function countTraders(
  sql: Sql,
  { builder, sinceSeq }: Pick<BoardScope, 'builder' | 'sinceSeq'>,
): Promise<number> {
  const [row] =
    sinceSeq === undefined
      ? await sql<{ count: number }[]>`
          select wallets as count from builder_totals where builder = ${builder}`
      : await sql<{ count: number }[]>`
          select count(distinct wallet)::integer as count
            from fills
           where builder = ${builder} and ${isMarketFill(sql)} and seq >= ${sinceSeq}`
  return row?.count ?? 0
}

/**
 * Refreshes the boards of all time. Rows that did not change are not written, and the snapshot moves
 * only when some did: a caller may page through a snapshot until then.
 */
export async function refreshBoard(pool: Pool, nowMs: number): Promise<void> {
  await transactRefresh(pool, 'builder_board_state', async (tx) => {
    const removed = await tx`
      delete from builder_board board
       where not exists (select from builder_wallets b
                          where b.builder = board.builder and b.wallet = board.wallet)`
    const written = await tx`
      insert into builder_board (builder, wallet, fills, active_days, first_sec, last_sec, buy_volume,
                                 sell_volume, volume, fees, realized, unrealized, total)
      select b.builder, b.wallet, b.fills, b.active_days, b.first_sec, b.last_sec, b.buy_shares,
             b.sell_shares, b.buy_shares + b.sell_shares, b.fees, coalesce(t.realized, 0),
             coalesce(marks.unrealized, 0), coalesce(t.realized, 0) + coalesce(marks.unrealized, 0)
        from builder_wallets b
        left join wallet_totals t on t.wallet = b.wallet
        left join (${openValues(tx)}) marks on marks.wallet = b.wallet
          on conflict (builder, wallet) do update
         set fills = excluded.fills, active_days = excluded.active_days,
             first_sec = excluded.first_sec, last_sec = excluded.last_sec,
             buy_volume = excluded.buy_volume, sell_volume = excluded.sell_volume,
             volume = excluded.volume, fees = excluded.fees, realized = excluded.realized,
             unrealized = excluded.unrealized, total = excluded.total
       where builder_board is distinct from excluded`
    const moves = removed.count + written.count > 0 ? 1 : 0
    await tx`
      update builder_board_state
         set snapshot = builder_board_state.snapshot + ${moves}, taken_at = ${new Date(nowMs)},
             block = c.block, block_time = c.block_time, rewind = ${lastReorg(tx)},
             digest = (select ${rowsDigest(tx)} from builder_board as stored)
        from chain_state c`
  })
}

/** What the open positions of wallets that use builders would earn at today's prices. */
const openValues = (sql: Sql): Fragment => sql`
  select p.wallet, sum(${unrealizedPnl(sql)})::bigint as unrealized
    from (select distinct wallet from builder_wallets) cohort
    join positions p on p.wallet = cohort.wallet
    join token_prices price on price.token = p.token
   where ${isListed(sql, 'market')} and p.balance > 0
   group by p.wallet`

/** The times of the first and of the last booked block; null before the first one. */
export async function selectLedgerStart(
  sql: Sql,
): Promise<{ startSec: number | null; headSec: number | null }> {
  const [row] = await sql<{ startSec: number | null; headSec: number | null }[]>`
    select block_time as head_sec,
           (select time from blocks where number >= ledger_from order by number limit 1) as start_sec
      from chain_state`
  return row ?? { startSec: null, headSec: null }
}
