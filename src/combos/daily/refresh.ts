import { endOfBlock } from '../../core/seq.js'
import { COMBO_ACTIONS } from '../../events/combo-actions.js'
import { hexToBytes } from '../../lib/hex.js'
import { lastReorg, type SnapshotState } from '../../lookups/snapshot.js'
import { refreshInSlices, type SnapshotSlice } from '../../lookups/snapshot-slice.js'
import type { Fragment, Pool, Sql } from '../../store/connection.js'
import { isBuy, isComboFill, isSell, isTakerOrder } from '../../store/sql-words.js'
import { NO_POSITION, REDEMPTION_KINDS } from '../redemptions/redemption-kind.js'

/** The block and the reorganisation that the days are as of. */
export const COMBO_DAYS: SnapshotState = (sql) =>
  sql`select head_block as block, rewind from combo_days_state`

/** Blocks that one transaction adds while the history is read. */
const SLICE_BLOCKS = 20_000

/** The counts of a day, as columns of combo_days. */
export const DAY_COUNTS = [
  'buy_fills',
  'sell_fills',
  'buy_shares',
  'sell_shares',
  'lifecycle',
  'prepares',
  'prepared',
  'splits',
  'merges',
  'redeems',
  'transfers',
  'full_redemptions',
  'partial_redemptions',
  'transformations',
] as const

/** Brings combo_days up to the head: what is final is added once, and the rest counted again each time. */
export async function refreshComboDays(pool: Pool, signal: AbortSignal): Promise<void> {
  await refreshInSlices(pool, { stateTable: 'combo_days_state', blocksMax: SLICE_BLOCKS, signal }, addSlice)
}

async function addSlice(tx: Sql, slice: SnapshotSlice): Promise<void> {
  const { epoch, isFirst, from, finalBlock, isLast, headBlock, headSec } = slice
  await tx`delete from combo_days where not is_final or ${isFirst}`
  await addDays(tx, { from, to: finalBlock, isFinal: true })
  await tx`
    update combo_days_state
       set epoch = ${epoch}, final_block = ${finalBlock},
           from_sec = (select time from blocks order by number limit 1)`
  if (!isLast) return
  await addDays(tx, { from: finalBlock, to: headBlock, isFinal: false })
  await tx`
    update combo_days_state
       set head_block = ${headBlock}, head_sec = ${headSec}, rewind = ${lastReorg(tx)}`
}

type Span = { from: number; to: number; isFinal: boolean }

async function addDays(tx: Sql, { from, to, isFinal }: Span): Promise<void> {
  if (to <= from) return
  const after = endOfBlock(from)
  const until = endOfBlock(to)
  const columns = tx.unsafe(DAY_COUNTS.join())
  const sums = tx.unsafe(DAY_COUNTS.map((column) => `coalesce(sum(${column}), 0)::bigint`).join())
  const added = tx.unsafe(
    DAY_COUNTS.map((column) => `${column} = combo_days.${column} + excluded.${column}`).join(),
  )
  await tx`
    insert into combo_days (day, is_final, ${columns})
    select b.time / 86400, ${isFinal}, ${sums}
      from (${countFacts(tx, after, until)}) facts
      join blocks b on b.number = facts.seq >> 20
     group by 1
    on conflict (day, is_final) do update set ${added}`
}

/** What each fact with `after` < seq <= `until` adds to its day. Indexes: primary keys. */
function countFacts(tx: Sql, after: number, until: number): Fragment {
  const within = (alias: string) => tx`${tx(alias)}.seq > ${after} and ${tx(alias)}.seq <= ${until}`
  const actions = (action: string) =>
    [...COMBO_ACTIONS].flatMap(([kind, done]) => (done === action ? [kind] : []))
  const isOneOf = (kinds: readonly string[]) => tx`(e.kind = any(${[...kinds]}::text[]))::integer`
  const transforms = [...REDEMPTION_KINDS.values()].filter(
    (kind) => kind !== 'positionRedeemed' && kind !== 'compressed',
  )
  const leavesNothing = tx`
    exists (select from tokens t where t.id = e.tokens[2] and t.token = ${hexToBytes(NO_POSITION)})`
  return tx`
    select f.seq, (${isBuy(tx, 'f')})::integer as buy_fills, (${isSell(tx, 'f')})::integer as sell_fills,
           case when ${isBuy(tx, 'f')} then f.shares end as buy_shares,
           case when ${isSell(tx, 'f')} then f.shares end as sell_shares,
           null::integer as lifecycle, null::integer as prepares, null::integer as prepared,
           null::integer as splits, null::integer as merges, null::integer as redeems,
           null::integer as transfers, null::integer as full_redemptions,
           null::integer as partial_redemptions, null::integer as transformations
      from fills f
     where ${within('f')} and ${isComboFill(tx, 'f')} and ${isTakerOrder(tx, 'f')}
    union all
    select c.seq, null, null, null, null, null, 1,
           (not exists (select from combos other where other.condition = c.condition and other.seq < c.seq))::integer,
           null, null, null, null, null, null, null
      from combos c
     where ${within('c')}
    union all
    select e.seq, null, null, null, null, 1, null, null, ${isOneOf(actions('Split'))},
           ${isOneOf(actions('Merge'))}, ${isOneOf(actions('Redeem'))}, null,
           (e.kind = 'positionRedeemed' or (e.kind = 'compressed' and ${leavesNothing}))::integer,
           (e.kind = 'compressed' and not ${leavesNothing})::integer, ${isOneOf(transforms)}
      from combo_events e
      join conditions c on c.id = e.condition and get_byte(c.condition, 0) = 3
     where ${within('e')} and e.kind = any(${[...COMBO_ACTIONS.keys()]}::text[])
    union all
    select x.seq, null, null, null, null, null, null, null, null, null, null, 1, null, null, null
      from transfers x
      join tokens t on t.id = x.token and get_byte(t.token, 0) = 3
     where ${within('x')} and not x.is_internal`
}
