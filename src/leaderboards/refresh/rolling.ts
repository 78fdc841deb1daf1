import { seqOf } from '../../core/seq.js'
import { type Fragment, type Sql, withoutPreparedPlan } from '../../store/connection.js'
import { type RollingWindow, rollingEvents, selectRollingWindows } from './rolling-events.js'
import type { BoardStep } from './step.js'

/** Brings the boards of the last days up to the block of the step; returns how many of their rows changed. */
export async function updateRolling(step: BoardStep): Promise<number> {
  const { tx, isRebuild } = step
  const windows = await selectRollingWindows(step)
  const changed = await (isRebuild ? insertBoards(step, windows) : changeBoards(step, windows))
  await moveWindows(tx, windows)
  return changed
}

/** What the events change on each board. Those of a wallet in one token become one row before it is repeated for each scope. */
const sumDeltas = (step: BoardStep, windows: readonly RollingWindow[]): Fragment => {
  const { tx } = step
  return tx`
    select days, scope, wallet,
           sum_bigint(wins)::integer as wins, sum_bigint(losses)::integer as losses,
           sum_bigint(profit) as profit, sum_bigint(loss) as loss
      from (select days, wallet, token, sign,
                   sign * count(*) filter (where amount > 0) as wins,
                   sign * count(*) filter (where amount < 0) as losses,
                   sign * sum_bigint(amount) filter (where amount > 0) as profit,
                   sign * sum_bigint(amount) filter (where amount < 0) as loss
              from (${rollingEvents(step, windows)}) events
             where amount <> 0
             group by days, wallet, token, sign) sums
      left join board_tokens b on b.token = sums.token
      left join moved_tokens m on m.token = sums.token
     -- What was counted before was counted where the token was then.
     cross join lateral unnest(
       case when sign < 0 and m.token is not null then m.old_scopes else b.scopes end) scope
     group by days, scope, wallet`
}

async function insertBoards(step: BoardStep, windows: readonly RollingWindow[]): Promise<number> {
  const { tx } = step
  const { count } = await withoutPreparedPlan(tx`
    insert into rolling_boards (days, scope, wallet, wins, losses, realized, profit, loss)
    select days, scope, wallet, wins, losses, profit + loss, profit, loss
      from (${sumDeltas(step, windows)}) deltas
     order by days, scope, wallet`)
  await tx`
    insert into rolling_scopes (days, scope, wallets)
    select days, scope, count(*) from rolling_boards group by days, scope`
  return count
}

/**
 * Each row that changes is found once, by its key, and written once, by its place: no other transaction writes
 * these tables. Index: rolling_boards_pkey.
 */
async function changeBoards(step: BoardStep, windows: readonly RollingWindow[]): Promise<number> {
  const { tx } = step
  await withoutPreparedPlan(tx`
    create temp table changed_boards on commit drop as
    select d.days, d.scope, d.wallet, b.ctid as place,
           coalesce(b.wins, 0) + d.wins as wins, coalesce(b.losses, 0) + d.losses as losses,
           coalesce(b.profit, 0) + d.profit as profit, coalesce(b.loss, 0) + d.loss as loss
      from (select * from (${sumDeltas(step, windows)}) deltas
             where (wins, losses, profit, loss) <> (0, 0, 0, 0)
             order by days, scope, wallet) d
      left join rolling_boards b on b.days = d.days and b.scope = d.scope and b.wallet = d.wallet`)
  const { count: removed } = await tx`
    delete from rolling_boards b
     using changed_boards c
     where b.ctid = c.place and c.wins + c.losses = 0`
  const { count: updated } = await tx`
    update rolling_boards b
       set wins = c.wins, losses = c.losses, realized = c.profit + c.loss, profit = c.profit,
           loss = c.loss
      from changed_boards c
     where b.ctid = c.place and c.wins + c.losses > 0`
  const { count: added } = await tx`
    insert into rolling_boards (days, scope, wallet, wins, losses, realized, profit, loss)
    select days, scope, wallet, wins, losses, profit + loss, profit, loss
      from changed_boards
     where place is null`
  await countWallets(tx)
  return removed + updated + added
}

async function countWallets(tx: Sql): Promise<void> {
  await tx`
    insert into rolling_scopes as s (days, scope, wallets)
    select days, scope,
           count(*) filter (where place is null) - count(*) filter (where wins + losses = 0)
      from changed_boards
     where place is null or wins + losses = 0
     group by days, scope
    on conflict (days, scope) do update set wallets = s.wallets + excluded.wallets`
  await tx`delete from rolling_scopes where wallets = 0`
}

async function moveWindows(tx: Sql, windows: readonly RollingWindow[]): Promise<void> {
  await tx`delete from rolling_windows`
  await tx`
    insert into rolling_windows (days, first_seq)
    select * from unnest(${windows.map(({ days }) => days)}::integer[],
                         ${windows.map(({ firstBlock }) => seqOf(firstBlock, 0))}::bigint[])`
}
