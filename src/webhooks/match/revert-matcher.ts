import type { Sql } from '../../store/connection.js'
import { cancelHeldAbove } from '../deliver/release.js'
import { restoreBaselines } from './baselines.js'
import { forgetOrdersAbove } from './order-complete.js'
import { lockCursor, lowerFromSeq, type MatchState, updateCursor } from './queries.js'
import { endOfBlock } from './step-range.js'

/**
 * Takes the matcher back to where blocks were reverted: held deliveries about the blocks above were never
 * sent and are deleted, and values go back to where they were before them. What was sent stays sent: its
 * row says so when the same transaction comes again. `false`: another process did it.
 */
export async function revertMatcher(tx: Sql, state: MatchState): Promise<boolean> {
  if (!(await lockCursor(tx, state))) return false
  const { seq, rewindBlock, lastRewind } = state
  if (rewindBlock !== null) {
    const endSeq = endOfBlock(rewindBlock)
    await forgetOrdersAbove(tx, endSeq)
    await restoreBaselines(tx, await cancelHeldAbove(tx, rewindBlock))
    // Last: requests that change a webhook wait from here on, and may hold what the statements above wait for.
    await lowerFromSeq(tx, endSeq)
    await updateCursor(tx, {
      seq: seq === null ? null : Math.min(seq, endSeq),
      rewind: lastRewind,
    })
  }
  return true
}
