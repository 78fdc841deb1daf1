import { LOGS_PER_BLOCK } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { FACT_TABLES } from '../facts/registry.js'

/**
 * A digest of all facts of a block: the exclusive or of a hash of each row. The writers store it with the facts,
 * so that a row that is changed, deleted or added later is found without a node. PostgreSQL keeps its hashes the
 * same across versions, because partitions by hash depend on them.
 */

/**
 * What a conversion returned is charged again when an older block states the fee of its market. A column that a table
 * gets after a release belongs here too: the digests of the blocks before it were made without it.
 */
const OWN_ROWS: Readonly<Record<string, string>> = {
  conversions: 'row(seq, amount, wallet, market, index_set, given, taken, tx_hash)',
}

/** The statement that gives `block` and `digest` of the blocks of the parameters $1 to $2 that have facts. */
export const DIGESTS_SQL = `
  select block, bit_xor(hash) as digest
    from (${FACT_TABLES.map(toHashes).join('\n          union all')}) as facts
   group by block`

function toHashes({ table, columns }: (typeof FACT_TABLES)[number]): string {
  const [orderColumn = ''] = columns
  const [block, within] =
    orderColumn === 'seq'
      ? [
          `(seq / ${LOGS_PER_BLOCK})::integer`,
          `seq >= $1::bigint * ${LOGS_PER_BLOCK} and seq < ($2::bigint + 1) * ${LOGS_PER_BLOCK}`,
        ]
      : [orderColumn, `${orderColumn} between $1::integer and $2::integer`]
  // Not the whole row: it may have columns of a newer version, which this one does not write.
  const row = OWN_ROWS[table] ?? `row(${columns.join(', ')})`
  // Which entries the ledger refuses is decided again when it is rebuilt.
  const isFact = table === 'quarantine' ? " and reason <> 'out_of_range'" : ''
  return `
          select ${block} as block, hash_record_extended(${row}, hashtext('${table}')) as hash
            from public.${table} as stored where ${within}${isFact}`
}

/** Of blocks whose facts are written in the same transaction. Indexes: primary keys. */
export async function insertDigests(tx: Sql, { fromBlock, toBlock }: BlockRange): Promise<void> {
  await tx.unsafe(`insert into fact_digests ${DIGESTS_SQL}`, [fromBlock, toBlock])
}

/** The same for blocks whose facts were replaced. */
export async function replaceDigests(tx: Sql, range: BlockRange): Promise<void> {
  const { fromBlock, toBlock } = range
  await tx`delete from fact_digests where block between ${fromBlock} and ${toBlock}`
  await insertDigests(tx, range)
}

/** Whether each block has the digest of its stored facts, and no other block has one. */
export async function areDigestsRight(tx: Sql, { fromBlock, toBlock }: BlockRange): Promise<boolean> {
  const [row] = await tx.unsafe<{ differs: boolean }[]>(
    `select exists (
       select from (${DIGESTS_SQL}) as derived
         full join (select * from fact_digests where block between $1 and $2) as kept using (block)
        where derived.digest is distinct from kept.digest) as differs`,
    [fromBlock, toBlock],
  )
  return row?.differs === false
}

export async function deleteDigestsFrom(tx: Sql, fromBlock: number): Promise<void> {
  await tx`delete from fact_digests where block >= ${fromBlock}`
}
