import { seqOf } from '../../core/seq.js'
import { type Fragment, planAnew, type Sql } from '../../store/connection.js'
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

/** Of each event the wallet, the token and the amount, of each board what the events change. */
const sumDeltas = (step: BoardStep, windows: readonly RollingWindow[]): Fragment => {
  const { tx } = step
  return tx`
    select days, scope, wallet, sum(wins)::integer as wins, sum(losses)::integer as losses,
           sum(profit + loss)::bigint as realized, sum(profit)::bigint as profit,
           sum(loss)::bigint as loss
      from (select days, wallet, token, sign,
                   sign * count(*) filter (where amount > 0) as wins,
                   sign * count(*) filter (where amount < 0) as losses,
                   sign * coalesce(sum(amount) filter (where amount > 0), 0) as profit,
                   sign * coalesce(sum(amount) filter (where amount < 0), 0) as loss
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
  const { count } = await planAnew(tx`
    insert into rolling_boards (days, scope, wallet, wins, losses, realized, profit, loss)
    select * from (${sumDeltas(step, windows)}) deltas order by days, scope, wallet`)
  await tx`
    insert into rolling_scopes (days, scope, wallets)
    select days, scope, count(*) from rolling_boards group by days, scope`
  return count
}

/** Each row that changes is written once. Index: rolling_boards_pkey. */
async function changeBoards(step: BoardStep, windows: readonly RollingWindow[]): Promise<number> {
  const { tx } = step
  await planAnew(tx`
    create temp table changed_boards on commit drop as
    select d.days, d.scope, d.wallet, b.wallet is null as is_new,
           coalesce(b.wins, 0) + d.wins as wins, coalesce(b.losses, 0) + d.losses as losses,
           coalesce(b.realized, 0) + d.realized as realized,
           coalesce(b.profit, 0) + d.profit as profit, coalesce(b.loss, 0) + d.loss as loss
      from (select * from (${sumDeltas(step, windows)}) deltas
             where (wins, losses, profit, loss) <> (0, 0, 0, 0)
             order by days, scope, wallet) d
      left join rolling_boards b on b.days = d.days and b.scope = d.scope and b.wallet = d.wallet`)
  const { count: removed } = await tx`
    delete from rolling_boards b
     using changed_boards c
     where c.wins + c.losses = 0
       and b.days = c.days and b.scope = c.scope and b.wallet = c.wallet`
  const { count: updated } = await tx`
    update rolling_boards b
       set wins = c.wins, losses = c.losses, realized = c.realized, profit = c.profit, loss = c.loss
      from changed_boards c
     where c.wins + c.losses > 0 and not c.is_new
       and b.days = c.days and b.scope = c.scope and b.wallet = c.wallet`
  const { count: added } = await tx`
    insert into rolling_boards (days, scope, wallet, wins, losses, realized, profit, loss)
    select days, scope, wallet, wins, losses, realized, profit, loss
      from changed_boards
     where is_new`
  await countWallets(tx)
  return removed + updated + added
}

async function countWallets(tx: Sql): Promise<void> {
  await tx`
    insert into rolling_scopes as s (days, scope, wallets)
    select days, scope, count(*) filter (where is_new) - count(*) filter (where wins + losses = 0)
      from changed_boards
     where is_new or wins + losses = 0
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
