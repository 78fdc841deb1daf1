import { randomBytes } from 'node:crypto'
import { createPool } from '../src/store/connection.js'
import { migrate, readMigrations } from '../src/store/migrate.js'
import type { TestDatabase } from './database.js'

type Node = { host: string; port: number; isCoordinator: boolean }

/**
 * A database of its own, migrated, on all nodes of the cluster whose coordinator the URL names: a database there that knows
 * the coordinator and its workers.
 */
export async function createCitusDatabase(
  clusterUrl: string,
  { hasWorkers = true }: { hasWorkers?: boolean } = {},
): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const nodes = await selectNodes(clusterUrl)
  const atNode = (node: Node, database: string) => {
    const url = new URL(clusterUrl)
    url.host = `${node.host}:${node.port}`
    url.pathname = `/${database}`
    return url.href
  }
  const runOn = async (node: Node, database: string, statement: string) => {
    const pool = createPool({ url: atNode(node, database) }, 1)
    await pool.unsafe(statement)
    await pool.end()
  }
  const everywhere = (database: string, statement: string) =>
    Promise.all(nodes.map((node) => runOn(node, database, statement)))

  await everywhere('postgres', `create database ${name}`)
  await everywhere(name, 'create extension citus')
  const target = {
    url: nodes.filter(({ isCoordinator }) => isCoordinator).map((node) => atNode(node, name))[0] ?? '',
  }
  const sql = createPool(target, 8)
  if (hasWorkers) {
    for (const { host, port, isCoordinator } of nodes) {
      if (isCoordinator) await sql`select citus_set_coordinator_host(${host}, ${port})`
      else await sql`select citus_add_node(${host}, ${port})`
    }
  }
  await migrate(sql, readMigrations())
  return {
    target,
    sql,
    control: sql,
    drop: async () => {
      await sql.end({ timeout: 1 })
      await everywhere('postgres', `drop database ${name} with (force)`)
    },
  }
}

async function selectNodes(clusterUrl: string): Promise<Node[]> {
  const pool = createPool({ url: clusterUrl }, 1)
  const nodes = await pool<Node[]>`
    select nodename as host, nodeport as port, groupid = 0 as is_coordinator
      from pg_dist_node
     order by groupid`
  await pool.end()
  return nodes
}
