import type { Sql } from '../../store/connection.js'
import { TWIN_SCHEMA } from './twin-tables.js'

const PROGRESS = `${TWIN_SCHEMA}.progress`

/** Notes that the tables are there and nothing is in them. */
export async function insertProgress(tx: Sql, fromBlock: number): Promise<void> {
  await tx.unsafe(
    `create table ${PROGRESS} as
     select ${fromBlock}::integer as ledger_from, max(version) as schema_version,
            -1::bigint as done_seq
       from schema_migrations`,
  )
}

/**
 * How far a ledger from this block on has come. `undefined`: none was begun, or for another block,
 * or by a build whose tables were different.
 */
export async function selectProgress(tx: Sql, fromBlock: number): Promise<number | undefined> {
  const [found] = await tx<{ isThere: boolean }[]>`
    select to_regclass(${PROGRESS}) is not null as is_there`
  if (found?.isThere !== true) return undefined
  const [row] = await tx.unsafe<{ doneSeq: number }[]>(
    `select done_seq::float8 as done_seq
       from ${PROGRESS}
      where ledger_from = $1
        and schema_version = (select max(version) from schema_migrations)`,
    [fromBlock],
  )
  return row?.doneSeq
}

/** Throws when somebody else has moved it. */
export async function moveProgress(tx: Sql, fromSeq: number, toSeq: number): Promise<void> {
  const { count } = await tx.unsafe(`update ${PROGRESS} set done_seq = $1 where done_seq = $2`, [
    toSeq,
    fromSeq,
  ])
  if (count !== 1) throw new Error('somebody else makes the ledger anew')
}
