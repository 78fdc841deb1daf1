import { LOGS_PER_BLOCK } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import { lockNames, NAME_TABLES, untellTokens } from '../ids/name-queries.js'
import { FACT_TABLES } from './write-tape.js'

/**
 * Takes back every fact from this `seq` on, which is the start of a block, and whatever was named or
 * told by these facts. Comes before the ledger is taken back, which forgets the journal. Returns how
 * many rows of the quarantine went with them.
 */
export async function cutFacts(tx: Sql, fromSeq: number): Promise<number> {
  if (fromSeq % LOGS_PER_BLOCK !== 0) throw new Error(`${fromSeq} is not the start of a block`)
  const fromBlock = fromSeq / LOGS_PER_BLOCK
  await lockNames(tx)
  await untellTokens(tx, fromBlock)
  for (const { table, columns } of FACT_TABLES) {
    const [place] = columns
    const from = place === 'seq' ? fromSeq : fromBlock
    await tx.unsafe(`delete from ${table} where ${place} >= $1`, [from])
  }
  const { count } = await tx`delete from quarantine where seq >= ${fromSeq}`
  for (const table of NAME_TABLES) {
    await tx.unsafe(`delete from ${table} where since >= $1`, [fromSeq])
  }
  return count
}
