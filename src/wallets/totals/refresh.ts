import { endOfBlock, seqOf } from '../../core/seq.js'
import { lastReorg, type SnapshotState } from '../../lookups/snapshot.js'
import { refreshInSlices, type SnapshotSlice } from '../../lookups/snapshot-slice.js'
import type { Pool, Sql } from '../../store/connection.js'
import { isOfUser } from '../../store/sql-words.js'

/** The block and the reorganisation that the totals are as of. */
export const CHAIN_TOTALS: SnapshotState = (sql) => sql`select head_block as block, rewind from chain_totals`

/** Blocks whose redemptions one transaction counts while the history is read. */
const SLICE_BLOCKS = 200_000

/**
 * Brings the totals up to the head. Redemptions of final blocks are counted once; the sums over wallets are made again
 * each time, in one scan of wallet_totals.
 */
export async function refreshChainTotals(pool: Pool, signal: AbortSignal): Promise<void> {
  await refreshInSlices(pool, { stateTable: 'chain_totals', blocksMax: SLICE_BLOCKS, signal }, addSlice)
}

async function addSlice(tx: Sql, slice: SnapshotSlice): Promise<void> {
  const { epoch, isFirst, from, finalBlock, isLast, headBlock, headSec } = slice
  const counted = await countRedemptions(tx, from, finalBlock)
  await tx`
    update chain_totals
       set epoch = ${epoch}, final_block = ${finalBlock},
           final_redemptions = ${counted} + ${isFirst ? tx`0` : tx`final_redemptions`}`
  if (!isLast) return

  const recent = await countRedemptions(tx, finalBlock, headBlock)
  await tx`
    update chain_totals
       set head_block = ${headBlock}, head_sec = ${headSec}, rewind = ${lastReorg(tx)},
           redemptions = final_redemptions + ${recent}, wallets = sums.wallets, fills = sums.fills,
           positions = sums.positions, realized = sums.realized, profit = sums.profit, loss = sums.loss,
           bought = sums.bought
      from (select count(*) as wallets, coalesce(sum(fills), 0)::bigint as fills,
                   coalesce(sum(positions), 0)::bigint as positions,
                   coalesce(sum(realized), 0)::bigint as realized,
                   coalesce(sum(profit), 0)::bigint as profit, coalesce(sum(loss), 0)::bigint as loss,
                   coalesce(sum(bought), 0)::bigint as bought
              from wallet_totals) sums`
}

/** Of the blocks after the first up to the last, those that a wallet wanted. Index: redemptions_pkey. */
async function countRedemptions(tx: Sql, first: number, last: number): Promise<bigint> {
  const [row] = await tx<{ redemptions: bigint }[]>`
    select count(*) as redemptions
      from redemptions
     where seq between ${seqOf(first + 1, 0)} and ${endOfBlock(last)}
       and ${isOfUser(tx)}`
  return row?.redemptions ?? 0n
}
