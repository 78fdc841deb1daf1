import { CHAIN_ID } from '../core/blocks.js'
import { OperatorError } from '../core/errors.js'
import type { Sql } from './connection.js'

/**
 * Makes the database that of this dataset, for good, when it is of none yet. Throws when it is of
 * another: what the upstreams of two worlds say must not mix, and keys of one must not open the other.
 */
export async function claimDatabase(sql: Sql, name: string): Promise<void> {
  const wanted = { name, chainId: CHAIN_ID }
  await sql`insert into dataset ${sql(wanted)} on conflict do nothing`
  const [found = wanted] = await sql<(typeof wanted)[]>`select name, chain_id from dataset`
  if (found.name === wanted.name && found.chainId === wanted.chainId) return
  throw new OperatorError(
    `The database holds ${show(found)}, and this service reads ${show(wanted)}: the two must not mix.\n` +
      'Choose another folder with --data <folder>, or another database with DATABASE_URL.',
  )
}

/** A short text that differs from that of every other database, on this server and on others; standbys have that of their primary. */
export async function selectDatabaseId(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    select left(encode(sha256(convert_to(system_identifier || ' ' || oid, 'utf8')), 'hex'), 12) as id
      from pg_control_system(), pg_database
     where datname = current_database()`
  if (row === undefined) throw new Error('the database does not know itself')
  return row.id
}

const show = ({ name, chainId }: { name: string; chainId: number }): string =>
  `the dataset "${name}"${chainId === CHAIN_ID ? '' : ` of chain ${chainId}`}`
