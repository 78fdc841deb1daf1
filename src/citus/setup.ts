import { OperatorError } from '../core/errors.js'
import { selectLiveProcesses } from '../status/processes/queries.js'
import type { Pool, Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'

type DistributedTable = {
  /** The wallet whose hash says which shard a row is in. */
  by: string
  /** The primary key has to contain it. In the schema of one server it would cost four bytes a row for nothing. */
  primaryKey: readonly string[]
}

/**
 * Spread over the workers by wallet, with the same shards. All other tables stay on the coordinator: docs/scaling.md has
 * the statements that Citus refuses for them, or answers by reading all that a wallet has.
 */
const DISTRIBUTED: Readonly<Record<string, DistributedTable>> = {
  fees: { by: 'wallet', primaryKey: ['seq', 'wallet'] },
  // Of both wallets, the one that received: a list of deposits is then read from one shard.
  flows: { by: 'to_wallet', primaryKey: ['seq', 'to_wallet'] },
  transfers: { by: 'to_wallet', primaryKey: ['seq', 'sub', 'to_wallet'] },
}

/** Settings of Citus that every connection to the database gets. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Of a join with a table of the coordinator the rows of the workers are fetched, which a range of `seq` or a wallet
  // bounds. The other way all wallets or tokens would be sent to each worker.
  'citus.local_table_join_policy': 'prefer-distributed',
  // One connection for each worker in a transaction: a rebuild of the ledger reads facts and changes the schema in one.
  'citus.multi_shard_modify_mode': 'sequential',
}

export type CitusSetup = { distributed: readonly string[]; workers: number; shards: number }

/**
 * Distributes the tables of a migrated database without facts, all of them or none. `undefined`: they are distributed
 * already, and nothing is done. Throws where the database, its cluster or a running service does not allow it.
 */
export async function setupCitus(pool: Pool): Promise<CitusSetup | undefined> {
  const workers = await requireCluster(pool)
  return transact(pool, async (tx) => {
    await tx`set local statement_timeout = 0`
    // A service that starts meanwhile waits.
    await tx`lock table chain_state, partitions in access exclusive mode`
    if (await isDistributed(tx)) return undefined
    await refuseFacts(tx)
    const database = await selectName(tx)
    for (const [name, value] of Object.entries(SETTINGS)) {
      await tx.unsafe(`alter database ${database} set ${name} = '${value}'`)
      // Connections that are open do not get it.
      await tx.unsafe(`set local ${name} = '${value}'`)
    }
    for (const [table, { by, primaryKey }] of Object.entries(DISTRIBUTED)) {
      await tx.unsafe(`alter table ${table} drop constraint ${table}_pkey`)
      await tx.unsafe(`alter table ${table} add primary key (${primaryKey.join(', ')})`)
      await tx`select create_distributed_table(${table}::regclass, ${by})`
    }
    return { distributed: Object.keys(DISTRIBUTED), workers, shards: await countShards(tx) }
  })
}

/** How many workers there are. Throws unless this is the coordinator of a cluster with some. */
async function requireCluster(sql: Sql): Promise<number> {
  const [extension] = await sql`select from pg_extension where extname = 'citus'`
  if (extension === undefined) {
    throw new OperatorError(
      'The database does not have the extension citus.\n' +
        'Run `create extension citus` in a database of this name on the coordinator and on each worker.',
    )
  }
  const [cluster] = await sql<{ isCoordinator: boolean; isKnown: boolean; workers: number }[]>`
    select citus_is_coordinator() as is_coordinator,
           exists (select from pg_dist_node where groupid = 0) as is_known,
           (select count(*)::integer from citus_get_active_worker_nodes()) as workers`
  if (cluster === undefined || cluster.workers === 0) {
    throw new OperatorError(
      'The cluster has no workers.\n' +
        "Run `select citus_add_node('<host>', <port>)` on the coordinator for each of them.",
    )
  }
  if (!cluster.isCoordinator) {
    throw new OperatorError('This database is a worker of Citus: name the one of the coordinator.')
  }
  if (!cluster.isKnown) {
    throw new OperatorError(
      'The workers do not know the coordinator.\n' +
        "Run `select citus_set_coordinator_host('<its host>', <its port>)` on the coordinator.",
    )
  }
  return cluster.workers
}

async function isDistributed(sql: Sql): Promise<boolean> {
  const [row] = await sql`select from pg_dist_partition where logicalrelid = 'transfers'::regclass`
  return row !== undefined
}

/** A table with rows is locked while its rows move, for days at the size that needs Citus: facts come after the setup. */
async function refuseFacts(sql: Sql): Promise<void> {
  const running = await selectLiveProcesses(sql)
  if (running.length > 0) {
    throw new OperatorError('A service runs on this database: stop it first, on all machines.')
  }
  const [facts] = await sql`
    select from chain_state where block is not null
    union all
    select from partitions`
  if (facts !== undefined) {
    throw new OperatorError(
      'The database has facts already.\n' +
        'Use a new one: start `auspex up` on it once without AUSPEX_POLYGON_URL, which makes the tables.',
    )
  }
}

async function selectName(sql: Sql): Promise<string> {
  const [row] = await sql<{ name: string }[]>`select quote_ident(current_database()) as name`
  return row?.name ?? ''
}

async function countShards(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer from pg_dist_shard where logicalrelid = 'transfers'::regclass`
  return row?.count ?? 0
}
