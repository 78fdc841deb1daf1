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

const show = ({ name, chainId }: { name: string; chainId: number }): string =>
  `the dataset "${name}"${chainId === CHAIN_ID ? '' : ` of chain ${chainId}`}`
