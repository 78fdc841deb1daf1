import {
  addPartitions,
  createShadowTables,
  insertProgress,
  moveProgress,
  selectProgress,
  useShadowTables,
} from '../../chain/backfill/shadow-tables.js'
import { eachEntries } from '../../chain/facts/entries.js'
import { IdRegistry } from '../../chain/ids/id-registry.js'
import { selectState } from '../../chain/queries.js'
import { seqOf } from '../../core/seq.js'
import type { Entry } from '../../ledger/entry.js'
import { LedgerStore } from '../../ledger/rows/ledger-store.js'
import { readAhead } from '../../lib/read-ahead.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'

/** A second ledger, which stands at the end of a day while the one in use goes on with the head. */
export const DAY_END_SCHEMA = 'auspex_day_end'

/** Tables to which a day only adds rows: the archive has them already, from the ledger in use. */
const ADDED_ONLY = ['pnl', 'undo', 'quarantine', 'minute_candles']

/**
 * Folds the stored facts into the second ledger, from where it stands up to this fact. Callers request the days in
 * their order; for an older day the ledger is folded from its beginning. `false`: the ledger begins later.
 */
export async function foldDayEnd(pool: Pool, toSeq: number): Promise<boolean> {
  const { ledgerFrom } = await selectState(pool)
  if (ledgerFrom === null || toSeq < seqOf(ledgerFrom, 0)) return false
  let doneSeq = await transact(pool, (tx) => begin(tx, ledgerFrom, toSeq))
  const ids = new IdRegistry()
  const ledger = new LedgerStore(ids)
  const book = async (entries: readonly Entry[], untilSeq: number) => {
    await transact(pool, async (tx) => {
      await useShadowTables(tx, DAY_END_SCHEMA)
      // Commits that are lost when the machine fails lose their progress too: these entries are folded again.
      await tx`set local synchronous_commit = off`
      await moveProgress(tx, doneSeq, untilSeq, DAY_END_SCHEMA)
      await ids.resolveEntries(tx, entries)
      await ledger.load(tx, entries)
      await ledger.foldEntries(entries, () => false)
      await ledger.write(tx)
      ledger.takeRefusals()
    })
    doneSeq = untilSeq
  }
  const range = { fromSeq: Math.max(seqOf(ledgerFrom, 0), doneSeq + 1), toSeq }
  for await (const entries of readAhead(eachEntries(pool, range))) {
    await book(entries, entries.at(-1)?.seq ?? doneSeq)
  }
  await transact(pool, async (tx) => {
    if (doneSeq < toSeq) await moveProgress(tx, doneSeq, toSeq, DAY_END_SCHEMA)
    await tx.unsafe(`truncate ${ADDED_ONLY.map((table) => `${DAY_END_SCHEMA}.${table}`).join(', ')}`)
  })
  return true
}

/** How far the ledger has come. One of another beginning, of another version or of a later day is made again. */
async function begin(tx: Sql, ledgerFrom: number, toSeq: number): Promise<number> {
  let doneSeq = await selectProgress(tx, ledgerFrom, DAY_END_SCHEMA)
  if (doneSeq === undefined || doneSeq > toSeq) {
    await createShadowTables(tx, DAY_END_SCHEMA)
    await insertProgress(tx, ledgerFrom, DAY_END_SCHEMA)
    // Of all positions, those that a day has changed.
    await tx.unsafe(`create index positions_last_sec on ${DAY_END_SCHEMA}.positions (last_sec)`)
    doneSeq = NOTHING_DONE
  }
  await addPartitions(tx, DAY_END_SCHEMA)
  return doneSeq
}

const NOTHING_DONE = -1
