import { PARTITION_BLOCKS } from '../../core/blocks.js'
import { LOGS_PER_BLOCK } from '../../core/seq.js'
import type { Pool, Sql } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'
import { transact } from '../../store/transaction.js'
import { indexesOn, type PartitionIndexes } from '../facts/fact-kind.js'
import { FACT_TABLES } from '../facts/registry.js'
import { selectLastBlockBefore } from '../queries.js'

/** The partitioned tables, and the indexes of each partition beside its primary key, by their names. */
const INDEXES: ReadonlyMap<string, PartitionIndexes> = new Map([
  ...FACT_TABLES.flatMap(({ table, partitionIndexes }): [string, PartitionIndexes][] =>
    partitionIndexes === undefined ? [] : [[table, partitionIndexes]],
  ),
  ['pnl', indexesOn('wallet')],
])

export const PARTITIONED_TABLES: readonly string[] = [...INDEXES.keys()]

/** How long `drop` may wait for its lock: new readers of the table queue up after that statement. */
const LOCK_WAIT_MS = 2_000
const DAY_SEC = 24 * 60 * 60

type Partition = { name: string; parent: string; number: number }

/**
 * Creates the partitions that rows of these blocks need. Best in a short transaction of its own: two
 * transactions that create partitions wait for each other. `bare`: without indexes, for
 * `buildIndexes` to add later; rows are written three times as fast.
 */
export async function ensurePartitions(
  tx: Sql,
  fromBlock: number,
  toBlock: number,
  { bare }: { bare: boolean },
): Promise<void> {
  const wanted = partitionsOf(fromBlock, toBlock)
  if ((await selectMissing(tx, wanted)).length === 0) return
  await tx`select pg_advisory_xact_lock(${LOCKS.partitions})`
  for (const partition of await selectMissing(tx, wanted)) {
    await createPartition(tx, partition)
    if (!bare) await createIndexes(tx, partition, { isFull: false })
    const { name, parent, number } = partition
    await tx`
      insert into partitions (name, parent, number, is_indexed)
      values (${name}, ${parent}, ${number}, ${!bare})`
  }
}

/** Partitions that are noted and not there are made again by `ensurePartitions`. */
export async function forgetLostPartitions(tx: Sql): Promise<void> {
  await tx`delete from partitions where to_regclass('public.' || name) is null`
}

/**
 * Builds the indexes that are missing, one partition after the other, each whole or not at all;
 * writers of that partition wait. `beforeBlock`: only where no row below this block is still to come.
 */
export async function buildIndexes(
  pool: Pool,
  { beforeBlock = Number.POSITIVE_INFINITY }: { beforeBlock?: number } = {},
): Promise<void> {
  const numberMax = Math.min(Math.floor(beforeBlock / PARTITION_BLOCKS) - 1, 2 ** 31 - 1)
  while (await transact(pool, (tx) => indexNext(tx, numberMax)));
}

/** Drops partitioned facts that are older than this many days, whole partitions only; 0 keeps all. */
export async function dropOldFacts(pool: Pool, nowMs: number, days: number): Promise<void> {
  if (days === 0) return
  const block = await selectLastBlockBefore(pool, Math.floor(nowMs / 1000) - days * DAY_SEC)
  if (block !== undefined) await dropOldPartitions(pool, block)
}

/** Drops the partitions that are wholly below this block, and notes from where on facts are kept. */
export async function dropOldPartitions(pool: Pool, beforeBlock: number): Promise<void> {
  const number = Math.floor(beforeBlock / PARTITION_BLOCKS)
  const old = await pool<Partition[]>`
    select name, parent, number from partitions where number < ${number} order by number, name`
  if (old.length === 0) return
  const keptFrom = number * PARTITION_BLOCKS
  await pool`
    update chain_state set kept_from = ${keptFrom} where coalesce(kept_from, 0) < ${keptFrom}`
  for (const { name } of old) {
    await transact(pool, async (tx) => {
      await tx.unsafe(`set local lock_timeout = ${LOCK_WAIT_MS}`)
      await tx.unsafe(`drop table if exists ${name}`)
      await tx`delete from partitions where name = ${name}`
    })
  }
}

function partitionsOf(fromBlock: number, toBlock: number): Partition[] {
  const partitions: Partition[] = []
  const last = Math.floor(toBlock / PARTITION_BLOCKS)
  for (let number = Math.floor(fromBlock / PARTITION_BLOCKS); number <= last; number++) {
    for (const parent of PARTITIONED_TABLES) {
      partitions.push({ name: `${parent}_p${number}`, parent, number })
    }
  }
  return partitions
}

async function selectMissing(tx: Sql, wanted: readonly Partition[]): Promise<Partition[]> {
  const names = wanted.map(({ name }) => name)
  const rows = await tx<{ name: string }[]>`
    select name from partitions where name = any(${names}::text[])`
  const known = new Set(rows.map(({ name }) => name))
  return wanted.filter(({ name }) => !known.has(name))
}

/** A table that is created first and attached then does not lock the readers of the others out. */
async function createPartition(tx: Sql, { name, parent, number }: Partition): Promise<void> {
  const from = number * PARTITION_BLOCKS * LOGS_PER_BLOCK
  const to = (number + 1) * PARTITION_BLOCKS * LOGS_PER_BLOCK
  await tx.unsafe(`create table ${name} (like ${parent} including all)`)
  await tx.unsafe(`alter table ${parent} attach partition ${name} for values from (${from}) to (${to})`)
}

/** `isFull`: hardly any row is still to come, so that the pages of the indexes need no room for more. */
async function createIndexes(
  tx: Sql,
  { name, parent }: Partition,
  { isFull }: { isFull: boolean },
): Promise<void> {
  const room = isFull ? 'with (fillfactor = 100)' : ''
  for (const [index, { on, where }] of Object.entries(INDEXES.get(parent) ?? {})) {
    const rows = where === undefined ? '' : `where ${where}`
    await tx.unsafe(`create index if not exists ${name}_${index} on ${name} ${on} ${room} ${rows}`)
  }
}

async function indexNext(tx: Sql, numberMax: number): Promise<boolean> {
  const [partition] = await tx<(Partition & { isLast: boolean })[]>`
    select name, parent, number, number = (select max(number) from partitions) as is_last
      from partitions
     where not is_indexed
       and number <= ${numberMax}
     order by number, name
     limit 1
       for update skip locked`
  if (partition === undefined) return false
  await tx`set local statement_timeout = 0`
  await createIndexes(tx, partition, { isFull: !partition.isLast })
  await tx`update partitions set is_indexed = true where name = ${partition.name}`
  return true
}
