import type { Sql } from '../../store/connection.js'
import { LOGS_PER_BLOCK } from '../seq.js'
import { lockNames, NAME_TABLES } from './name-queries.js'
import { FACT_TABLES } from './write-tape.js'

/**
 * Takes back every fact from this `seq` on, which is the start of a block, and whatever was named or
 * told by these facts. Comes before the ledger is taken back, which forgets the journal.
 */
export async function cutFacts(tx: Sql, fromSeq: number): Promise<void> {
  if (fromSeq % LOGS_PER_BLOCK !== 0) throw new Error(`${fromSeq} is not the start of a block`)
  const fromBlock = fromSeq / LOGS_PER_BLOCK
  await lockNames(tx)
  await restoreTokens(tx, fromBlock)
  for (const { table, columns } of FACT_TABLES) {
    const [place] = columns
    const from = place === 'seq' ? fromSeq : fromBlock
    await tx.unsafe(`delete from ${table} where ${place} >= $1`, [from])
  }
  await tx`delete from quarantine where seq >= ${fromSeq}`
  for (const table of NAME_TABLES) {
    await tx.unsafe(`delete from ${table} where since >= $1`, [fromSeq])
  }
}

/** Of all images of a row the earliest is what it was before the first of these blocks. */
async function restoreTokens(tx: Sql, fromBlock: number): Promise<void> {
  await tx`
    update tokens
       set condition = nullif(earliest.image[1], -1), outcome = nullif(earliest.image[2], -1)
      from (select distinct on (key) key, image
              from undo
             where state = 'tokens' and block >= ${fromBlock}
             order by key, block) as earliest
     where tokens.id = earliest.key[1]`
  await tx`delete from undo where state = 'tokens' and block >= ${fromBlock}`
}
