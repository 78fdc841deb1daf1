import { setImmediate as turn } from 'node:timers/promises'
import { blockOf } from '../../core/seq.js'
import type { Entry } from '../entry.js'
import { fold } from '../fold.js'
import type { LedgerStore } from './ledger-store.js'

/** So many entries are folded before others get their turn. */
const AT_ONCE = 500

/** Folds entries that are loaded, block by block. */
export async function foldInTurns(
  ledger: LedgerStore,
  entries: readonly Entry[],
  isJournalled: (block: number) => boolean,
): Promise<void> {
  let block = Number.NaN
  let untilTurn = AT_ONCE
  for (const entry of entries) {
    const entryBlock = blockOf(entry.seq)
    if (entryBlock !== block) ledger.startBlock(entryBlock, isJournalled(entryBlock))
    block = entryBlock
    fold(ledger, entry)
    if (--untilTurn > 0) continue
    untilTurn = AT_ONCE
    await turn()
  }
}
