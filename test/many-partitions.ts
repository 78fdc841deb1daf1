import { ensurePartitions } from '../src/chain/write/partitions.js'
import { PARTITION_BLOCKS } from '../src/core/blocks.js'
import { LOGS_PER_BLOCK } from '../src/core/seq.js'
import type { Pool } from '../src/store/connection.js'

/** A block takes about two seconds. */
const PARTITION_SEC = PARTITION_BLOCKS * 2
const PARTITION_SEQ = PARTITION_BLOCKS * LOGS_PER_BLOCK

/** The columns of facts beside `seq`. Hashes are others in each partition, as they would be. */
const TABLES: Readonly<Record<string, { columns: string; hashes: readonly string[] }>> = {
  fills: {
    columns: 'usd, shares, fee, wallet, taker, exchange, token, builder, flags',
    hashes: ['order_hash', 'tx_hash'],
  },
  splits: { columns: 'amount, wallet, condition, flags, tokens', hashes: ['tx_hash'] },
  redemptions: {
    columns: 'payout, wallet, condition, flags, tokens, amounts',
    hashes: ['tx_hash'],
  },
  conversions: {
    columns: 'amount, received, cash, wallet, market, index_set, given, taken',
    hashes: ['tx_hash'],
  },
  fees: { columns: 'amount, wallet, token, kind', hashes: ['tx_hash'] },
  flows: { columns: 'amount, from_wallet, to_wallet, asset, ramp, kind', hashes: ['tx_hash'] },
}

/**
 * Repeats the facts of a short history in this many partitions below it, as if the same had happened
 * every six days. The ledger stays as it is.
 */
export async function repeatInPartitions(sql: Pool, count: number): Promise<void> {
  const [{ first = 0, last = 0 } = {}] = await sql<{ first: number; last: number }[]>`
    select min(number) as first, max(number) as last from blocks`
  await ensurePartitions(sql, first - count * PARTITION_BLOCKS, last, { bare: false })
  const copies = sql`generate_series(1, ${count}::bigint) as copy`
  await sql`
    insert into blocks (number, time, hash)
    select number - copy * ${PARTITION_BLOCKS}, time - copy * ${PARTITION_SEC}, hash
      from blocks, ${copies}`
  for (const [table, { columns, hashes }] of Object.entries(TABLES)) {
    const rehashed = hashes.map((hash) => `sha256(${hash} || int8send(copy))`)
    await sql`
      insert into ${sql(table)} (seq, ${sql.unsafe([columns, ...hashes].join())})
      select seq - copy * ${PARTITION_SEQ}, ${sql.unsafe([columns, ...rehashed].join())}
        from ${sql(table)}, ${copies}`
  }
  await sql`update tokens set since = since - ${count}::bigint * ${PARTITION_SEQ}`
  await sql`vacuum analyze`
  // As if each partition were full: of small ones PostgreSQL rightly reads every row.
  await sql`
    update pg_class set reltuples = reltuples * 1000
     where oid in (select inhrelid from pg_inherits)
        or oid in (select indexrelid from pg_index where indrelid in (select inhrelid from pg_inherits))
        or relname in ('blocks', 'wallets', 'tokens', 'conditions', 'conversions', 'positions',
                        'all_time_boards', 'rolling_boards')`
}
