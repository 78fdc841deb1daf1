import { ApiError, badRequest, unavailable } from '../core/errors.js'
import type { Page } from '../core/page.js'
import { clampCount } from '../lib/clamp-count.js'
import { type Fragment, joinFragments, type Sql } from '../store/connection.js'
import { boundedPage, isAfterKey, type OrderColumn, orderedBy } from '../store/keyset.js'
import { revertedWallets, type SnapshotState } from './snapshot.js'

/*
 * Boards rank wallets by a sum over their positions. How the sums are made is the matter of each board. All are
 * snapshots, whose pages leave out the wallets that a reorganisation took counted facts from.
 */

/** The block and the reorganisation that each board is as of. */
export const BOARD_STATES = {
  leaderboards: (sql) => sql`select block, rewind from board_state`,
  builders: (sql) => sql`select block, rewind from builder_board_state`,
  combos: (sql) => sql`select ranked_block as block, ranked_rewind as rewind from combo_state`,
} as const satisfies Record<string, SnapshotState>

type Board = keyof typeof BOARD_STATES

/** The wallets that a board leaves out until its next refresh. */
export const unrankedWallets = (sql: Sql, board: Board): Fragment => revertedWallets(sql, BOARD_STATES[board])

/** Deletes the reverted positions that all boards have seen. */
export async function deleteSeenPositions(tx: Sql): Promise<void> {
  const states = Object.values(BOARD_STATES).map((state) => state(tx))
  await tx`
    delete from rewound_positions
     where rewind <= (select min(s.rewind) from (${joinFragments(tx, states, tx`union all`)}) s)`
}

type RankedWallet = {
  wallet: number
  address: string
  /** The value that the board is ordered by. */
  sortKey: bigint
  rank: number
  isGone: boolean
}

/** A row of a board: what it has of a wallet, and its rank. */
export type Ranked<Sums> = Sums & RankedWallet

/** `rows`: one for each wallet of the board. `summed`: the table expressions that they are read from, if any. */
type RankedRows = { board: Board; rows: Fragment; column: string; isAscending: boolean; summed?: Fragment }

/**
 * A page of a board. Rows before the page are read in the index alone; then the rows of the page are, by their
 * wallets. A cursor has the key of `rankKeyOf`. Index: that of the column.
 */
export async function selectRanked<Sums>(
  sql: Sql,
  { board, rows, column, isAscending, summed = sql`` }: RankedRows,
  page: Page,
): Promise<Ranked<Sums>[]> {
  const order: OrderColumn[] = [
    { column: `ranked.${column}`, type: 'bigint' },
    { column: 'ranked.wallet', type: 'integer' },
  ]
  const ranked = sql`
    select ranked.${sql(column)}, ranked.wallet
      from ${rows} ranked
     where ${isAfterKey(sql, order, page.after, isAscending)}
       and ranked.wallet not in (${unrankedWallets(sql, board)})
     ${orderedBy(sql, order, isAscending)}
    offset ${page.offset} limit ${page.limit}`
  const found = await sql<Omit<Ranked<Sums>, 'rank'>[]>`
    ${summed}
    select board.*, ranked.${sql(column)}::bigint as sort_key,
           '0x' || encode(w.address, 'hex') as address, w.id is null as is_gone
      from (${boundedPage(sql, ranked)}) ranked
      join ${rows} board on board.wallet = ranked.wallet
      left join wallets w on w.id = ranked.wallet
     ${orderedBy(sql, order, isAscending)}`
  return withRanks(found, page) as Ranked<Sums>[]
}

/** Numbers the rows of a page, from where the page before ended. */
export function withRanks<Row extends object>(rows: readonly Row[], page: Page): (Row & { rank: number })[] {
  const before = ranksBefore(page)
  return rows.map((row, index) => ({ ...row, rank: before + index + 1 }))
}

/** How many rows of a board are before a page. */
const ranksBefore = ({ after, offset }: Page): number => Number(after?.[2] ?? offset)

/** What a cursor remembers of a row. */
export const rankKeyOf = ({ sortKey, wallet, rank }: Omit<RankedWallet, 'address' | 'isGone'>) => [
  `${sortKey}`,
  wallet,
  rank,
]

/** The part of a page that lies within the ranks of its board. */
export const withinRanks = (page: Page, rankMax: number): Page => ({
  ...page,
  limit: Math.max(Math.min(page.limit, rankMax - ranksBefore(page)), 0),
})

type Depth = {
  limit?: number | undefined
  offset?: number | undefined
  limitMax: number
  rankMax: number
}

/** Refuses a page by offset that reaches beyond the last rank. */
export function checkDepth({ limit = 100, offset = 0, limitMax, rankMax }: Depth): void {
  const applied = clampCount(limit, limitMax)
  if (Math.max(offset, 0) + applied <= rankMax) return
  throw badRequest('leaderboard_offset_too_deep', {
    max_rank: rankMax,
    max_offset: rankMax - applied,
    limit: applied,
    offset,
  })
}

/**
 * Refuses a board that is not made yet with a 503, and with a 409 a cursor of an earlier snapshot, which is its
 * `until`.
 */
export function requireBoard<State extends object>(
  state: (State & { snapshot?: number }) | undefined,
  { until, refusal = 'leaderboard_unavailable' }: { until?: number | undefined; refusal?: string } = {},
): State {
  if (state === undefined) throw unavailable(refusal)
  if (until === undefined || until === state.snapshot) return state
  throw new ApiError(409, 'The leaderboard was made anew since the cursor was issued.', {
    hint: 'Start again without a cursor, at offset 0.',
  })
}
