import { seqOf } from '../../core/seq.js'
import { type Fragment, joinFragments, type Sql, withoutPreparedPlan } from '../../store/connection.js'
import { PERIOD_DAYS } from '../schemas.js'
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
 * Each row that changes is found once, by its key, and written once, by its ctid: no other transaction writes
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

const ROLLING_DAYS = Object.values(PERIOD_DAYS)
const DAY_SEC = 86_400

/** A window begins with `firstBlock`; on the boards it still begins with `countedFrom`. */
type RollingWindow = { days: number; firstBlock: number; countedFrom: number }

type WindowRow = { days: number; firstBlock: number | null; countedFrom: number | null }

/** Index: blocks_time. */
async function selectRollingWindows(step: BoardStep): Promise<RollingWindow[]> {
  const { tx, block, blockTime, keptFrom } = step
  const rows = await tx<WindowRow[]>`
    select d.days, (w.first_seq >> 20)::integer as counted_from,
           (select number from blocks
             where time > ${blockTime}::integer - d.days * ${DAY_SEC}::integer
             order by time, number limit 1) as first_block
      from unnest(${ROLLING_DAYS}::integer[]) d (days)
      left join rolling_windows w on w.days = d.days
     order by d.days`
  return rows.map(({ days, firstBlock, countedFrom }) => {
    const from = Math.max(firstBlock ?? block + 1, keptFrom)
    return { days, firstBlock: from, countedFrom: countedFrom ?? from }
  })
}

/** Blocks from the first up to the one before the end; none, if the end is not above. */
type Blocks = { first: number; end: number }

/**
 * Rows of `pnl` that come onto the boards of the last days (sign 1) and that go (-1): what is new, what has left
 * a window or is in it again because a reorganisation took the head back, what reorganisations took out, and all
 * rows of tokens that count in other scopes, which go and come.
 */
function rollingEvents(step: BoardStep, windows: readonly RollingWindow[]): Fragment {
  const { tx, isRebuild, heldBlock, block } = step
  const heldEnd = heldBlock + 1
  const events = windows.flatMap(({ days, firstBlock, countedFrom }) => {
    if (isRebuild) return bookedIn(step, days, 1, { first: firstBlock, end: block + 1 })
    const added = { first: Math.max(firstBlock, heldEnd), end: block + 1 }
    const left = { first: countedFrom, end: Math.min(firstBlock, heldEnd) }
    const back = { first: firstBlock, end: Math.min(countedFrom, heldEnd) }
    const stayed = { first: Math.max(firstBlock, countedFrom), end: heldEnd }
    return [
      bookedIn(step, days, 1, added),
      bookedIn(step, days, -1, left),
      bookedIn(step, days, 1, back),
      rewoundIn(step, days, countedFrom),
      movedIn(step, days, stayed),
    ]
  })
  return joinFragments(tx, events, tx`union all`)
}

/** Index: the primary key of each partition. */
const bookedIn = ({ tx }: BoardStep, days: number, sign: number, { first, end }: Blocks) => tx`
  select ${days}::integer as days, ${sign}::integer as sign, wallet, token, amount
    from pnl
   where seq >= ${seqOf(first, 0)} and seq < ${seqOf(end, 0)}`

/**
 * A row that a reorganisation took out was on the boards if its block was, and if no reorganisation before had
 * taken that block out. Index: rewound_pnl_pkey.
 */
const rewoundIn = ({ tx, fromBlock, fromRewind }: BoardStep, days: number, countedFrom: number) => tx`
  select ${days}::integer as days, -1 as sign, p.wallet, p.token, p.amount
    from (select id, least(${fromBlock}::integer, min(to_block) over (
                   order by id rows between unbounded preceding and 1 preceding)) as last_block
            from rewinds
           where id > ${fromRewind}) r
    join rewound_pnl p on p.rewind = r.id
   where p.seq >= ${seqOf(countedFrom, 0)} and p.seq >> 20 <= r.last_block`

/**
 * The events of a token are found by the wallets that have it: `offset 0` keeps the planner from reading
 * whole windows. Indexes: positions_token, and the wallets of each partition.
 */
const movedIn = ({ tx }: BoardStep, days: number, { first, end }: Blocks) => tx`
  select ${days}::integer as days, sign.sign, e.wallet, m.token, e.amount
    from moved_tokens m
   cross join lateral (
     select s.wallet, p.amount
       from positions s
      cross join lateral (
        select amount
          from pnl
         where wallet = s.wallet and token = s.token
           and seq >= ${seqOf(first, 0)} and seq < ${seqOf(end, 0)}
        offset 0
      ) p
      where s.token = m.token
     offset 0
   ) e
   cross join (values (1), (-1)) sign (sign)`
