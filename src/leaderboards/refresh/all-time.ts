import { isListed, unrealizedPnl } from '../../lookups/position-sql.js'
import type { Fragment, Sql } from '../../store/connection.js'
import { positionSums } from '../queries.js'
import { updateBoardPrices } from './board-prices.js'
import type { BoardStep } from './step.js'

/** The columns of `all_time_boards` that add up. */
export const ALL_TIME_SUMS = [
  'positions',
  'open_positions',
  'wins',
  'losses',
  'realized',
  'unrealized',
  'total',
  'profit',
  'loss',
  'gained',
  'lost',
  'bought',
]

/** Brings the boards of all time up to the block of the step; returns how many of their rows changed. */
export async function updateAllTime(step: BoardStep): Promise<number> {
  const { tx, isRebuild } = step
  const repriced = await updateBoardPrices(step)
  if (isRebuild) return insertAll(tx)
  await listChanges(tx, repriced)
  await writePositions(tx)
  return writeBoards(tx)
}

async function insertAll(tx: Sql): Promise<number> {
  await tx`
    insert into board_positions (wallet, token, realized, unrealized, bought, is_open)
    ${countedPositions(tx)}
     order by p.wallet, p.token`
  const { count } = await tx`
    insert into all_time_boards (scope, wallet, ${tx.unsafe(ALL_TIME_SUMS.join())})
    ${allTimeSums(tx)}`
  return count
}

/** The rows of the boards of all time: sums over the positions. */
export const allTimeSums = (sql: Sql): Fragment =>
  sumsByScope(
    sql,
    sql`(select p.*, t.scopes, 1 as sign
           from board_positions p
           join board_tokens t on t.token = p.token)`,
  )

/** What all positions `p` add to the boards. */
export const countedPositions = (sql: Sql): Fragment => sql`
  select ${countedPosition(sql)}
    from positions p
    join board_tokens price on price.token = p.token and price.scopes <> '{}'
   where ${isListed(sql, 'market')}`

/** What a position adds to the boards, at the price that they have for its token. */
const countedPosition = (sql: Sql): Fragment => sql`
  p.wallet, p.token, p.realized,
  case when p.balance > 0 then ${unrealizedPnl(sql)} else 0 end as unrealized,
  p.bought, p.balance > 0 as is_open`

/**
 * `board_changes` has each position that changed twice: with what it added so far (sign -1) in the scopes
 * that it was in, and with what it adds now (sign 1) in those that it is in. A position that is new or gone is
 * there once. Indexes: board_positions_token, board_positions_pkey, positions_pkey.
 */
async function listChanges(tx: Sql, repriced: readonly number[]): Promise<void> {
  await tx`
    create temp table board_changes on commit drop as
    with changed as materialized (
      select wallet, token from changed_positions
      union
      select wallet, token from board_positions where is_open and token = any(${[...repriced]}::integer[])
      union
      select wallet, token from board_positions where token in (select token from moved_tokens)
    ), before as (
      select p.wallet, p.token, p.realized, p.unrealized, p.bought, p.is_open,
             coalesce(m.old_scopes, t.scopes) as scopes
        from changed c
        join board_positions p on p.wallet = c.wallet and p.token = c.token
        left join board_tokens t on t.token = c.token
        left join moved_tokens m on m.token = c.token
    ), after as (
      select ${countedPosition(tx)}, price.scopes
        from changed c
        join positions p on p.wallet = c.wallet and p.token = c.token
        join board_tokens price on price.token = c.token and price.scopes <> '{}'
       where ${isListed(tx, 'market')}
    )
    select -1 as sign, gone.* from (table before except table after) gone
    union all
    select 1 as sign, come.* from (table after except table before) come`
  await tx`analyze board_changes`
}

async function writePositions(tx: Sql): Promise<void> {
  await tx`
    delete from board_positions p
     using (select wallet, token from board_changes group by wallet, token having max(sign) = -1) gone
     where p.wallet = gone.wallet and p.token = gone.token`
  await tx`
    insert into board_positions (wallet, token, realized, unrealized, bought, is_open)
    select wallet, token, realized, unrealized, bought, is_open
      from board_changes
     where sign = 1
     order by wallet, token
        on conflict (wallet, token) do update
       set realized = excluded.realized, unrealized = excluded.unrealized,
           bought = excluded.bought, is_open = excluded.is_open`
}

/**
 * Rows of wallets whose last position is gone are deleted. Nothing changes in the scopes that a token with
 * other tags stays in. Index: all_time_boards_pkey.
 */
async function writeBoards(tx: Sql): Promise<number> {
  const isNothing = ALL_TIME_SUMS.map((name) => `d.${name} = 0`).join(' and ')
  const { count } = await tx`
    merge into all_time_boards b
    using (${sumsByScope(tx, tx`board_changes`)}) d
       on b.scope = d.scope and b.wallet = d.wallet
     when matched and ${tx.unsafe(isNothing)} then do nothing
     when matched and b.positions + d.positions = 0 then delete
     when matched then
          update set ${tx.unsafe(ALL_TIME_SUMS.map((name) => `${name} = b.${name} + d.${name}`).join())}
     when not matched then
          insert (scope, wallet, ${tx.unsafe(ALL_TIME_SUMS.join())})
          values (d.scope, d.wallet, ${tx.unsafe(ALL_TIME_SUMS.map((name) => `d.${name}`).join())})`
  return count
}

/**
 * What these positions add to each board. A wallet often has several positions in the same scopes (both
 * outcomes, or markets of one event), which become one row before it is repeated for each scope.
 */
function sumsByScope(sql: Sql, positions: Fragment): Fragment {
  const sums = ALL_TIME_SUMS.map((name) => `sum(d.${name})::bigint as ${name}`)
  return sql`
    select scope, d.wallet, ${sql.unsafe(sums.join())}
      from (select p.wallet, p.scopes, ${positionSums(sql, sql`p.sign`)}
              from ${positions} p
             group by p.wallet, p.scopes) d
     cross join unnest(d.scopes) scope
     group by scope, d.wallet
     order by scope, d.wallet`
}
