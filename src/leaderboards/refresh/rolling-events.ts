import { seqOf } from '../../core/seq.js'
import { type Fragment, joinFragments } from '../../store/connection.js'
import { PERIOD_DAYS } from '../schemas.js'
import type { BoardStep } from './step.js'

const ROLLING_DAYS = Object.values(PERIOD_DAYS)
const DAY_SEC = 86_400

/** A window begins with `firstBlock`; on the boards it still begins with `countedFrom`. */
export type RollingWindow = { days: number; firstBlock: number; countedFrom: number }

type WindowRow = { days: number; firstBlock: number | null; countedFrom: number | null }

/** Index: blocks_time. */
export async function selectRollingWindows(step: BoardStep): Promise<RollingWindow[]> {
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
export function rollingEvents(step: BoardStep, windows: readonly RollingWindow[]): Fragment {
  const { tx, isRebuild, heldBlock, block } = step
  const heldEnd = heldBlock + 1
  const parts = windows.flatMap(({ days, firstBlock, countedFrom }) => {
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
  return joinFragments(tx, parts, tx`union all`)
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
