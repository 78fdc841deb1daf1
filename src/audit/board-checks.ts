import { seqOf } from '../core/seq.js'
import { ALL_TIME_SUMS, allTimeSums, countedPositions } from '../leaderboards/refresh/all-time.js'
import { BOARD_STATES } from '../lookups/board.js'
import { hasUnseenReorg } from '../lookups/snapshot.js'
import type { Sql } from '../store/connection.js'
import { compareTable } from './compare.js'
import { count, type Finding, Tally } from './finding.js'

type BoardRow = { block: number | null; isOfLedger: boolean; isJournalled: boolean }

/**
 * Both leaderboards as of the block that they stand at, computed again from the ledger: what each position adds, the
 * sums of all time, and those of the last days. Left out: positions that changed since, by the journal. Boards that a
 * refresh is about to change, because the ledger was rebuilt or their blocks were reverted, are checked in a later run.
 */
export async function checkBoards(sql: Sql): Promise<Finding> {
  const [state] = await sql<BoardRow[]>`
    select s.block, s.epoch = c.epoch as is_of_ledger, s.block >= u.block as is_journalled
      from board_state s, chain_state c, undo_floor u`
  const tally = new Tally()
  const leave = (why: string) => tally.toFinding(sql, 'leaderboards', `nothing: ${why}`)
  if (state?.block == null) return leave('they are not made yet')
  if (!state.isOfLedger || (await hasUnseenReorg(sql, BOARD_STATES.leaderboards)))
    return leave('they are being refreshed')
  await compareTable(sql, ALL_TIME, { only: sql`true`, derived: allTimeSums(sql) }, tally)
  if (state.isJournalled) await comparePositions(sql, state.block, tally)
  await compareRolling(sql, state.block, tally)
  return tally.toFinding(sql, 'leaderboards', `${count(tally.rows, 'row')} as of block ${state.block}`)
}

const ALL_TIME = { name: 'all_time_boards', keys: ['scope', 'wallet'], values: ALL_TIME_SUMS }
const POSITIONS = {
  name: 'board_positions',
  keys: ['wallet', 'token'],
  values: ['realized', 'unrealized', 'bought', 'is_open'],
}
const ROLLING = {
  name: 'rolling_boards',
  keys: ['days', 'scope', 'wallet'],
  values: ['wins', 'losses', 'realized', 'profit', 'loss'],
}
const ROLLING_SCOPES = { name: 'rolling_scopes', keys: ['days', 'scope'], values: ['wallets'] }

/** Index: undo_pkey. */
async function comparePositions(sql: Sql, block: number, tally: Tally): Promise<void> {
  const only = sql`
    (wallet, token) not in (select key[1]::integer, key[2]::integer from undo
                             where block > ${block} and state = 'positions')`
  const derived = sql`select * from (${countedPositions(sql)}) as counted where ${only}`
  await compareTable(sql, POSITIONS, { only, derived }, tally)
}

async function compareRolling(sql: Sql, block: number, tally: Tally): Promise<void> {
  const derived = sql`
    select days, scope, wallet,
           (count(*) filter (where amount > 0))::integer as wins,
           (count(*) filter (where amount < 0))::integer as losses,
           sum(amount)::bigint as realized,
           coalesce(sum(amount) filter (where amount > 0), 0)::bigint as profit,
           coalesce(sum(amount) filter (where amount < 0), 0)::bigint as loss
      from rolling_windows w
      join pnl p on p.seq >= w.first_seq and p.seq < ${seqOf(block + 1, 0)} and p.amount <> 0
      join board_tokens b on b.token = p.token
     cross join unnest(b.scopes) as scope
     group by days, scope, wallet`
  await compareTable(sql, ROLLING, { only: sql`true`, derived }, tally)
  const counted = sql`
    select days, scope, count(*)::integer as wallets from rolling_boards group by days, scope`
  await compareTable(sql, ROLLING_SCOPES, { only: sql`true`, derived: counted }, tally)
}
