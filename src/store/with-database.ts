import type { Command } from 'commander'
import type { Config } from '../config/config.js'
import { maskPassword } from '../config/setting.js'
import { readConfig } from '../config/setting-flags.js'
import { messageOf, OperatorError } from '../core/errors.js'
import { createLog } from '../lib/log.js'
import { createPool, isOutage, type Pool, type Sql, type Target } from './connection.js'
import { findLentNode } from './data-folder.js'
import { borrowDatabase } from './database.js'
import { migrate, readMigrations } from './migrate.js'

export type WithDatabase = (
  command: Command,
  work: (pool: Pool, opened: { config: Config; target: Target }) => Promise<void>,
) => Promise<void>

/**
 * Opens the database, migrated, that a command's flags and the environment name. One that a service
 * has open already is shared.
 */
export const withDatabase: WithDatabase = async (command, work) => {
  const { config } = readConfig(command)
  const log = createLog('error', process.stderr)
  const options = { command: pathOf(command), isService: false, log }
  const database = await borrowDatabase(config, options)
  const { target } = database
  const pool = createPool(target, 2)
  try {
    if (config.databaseUrl !== undefined) await refuseEmpty(pool, config.databaseUrl)
    await migrate(pool, readMigrations())
    await work(pool, { config: { ...config, polygonUrl: chooseNode(config) }, target })
  } catch (error) {
    if (!isOutage(error)) throw error
    throw new OperatorError(`The database does not answer: ${messageOf(error)}`)
  } finally {
    await pool.end({ timeout: 1 })
    await database.close()
  }
}

/** Without a node of its own a command asks that of the service whose database it shares. */
const chooseNode = ({ polygonUrl, databaseUrl, dataDir }: Config): string | undefined =>
  polygonUrl ?? (databaseUrl === undefined ? findLentNode(dataDir) : undefined)

/** Only a service makes the tables of a new database: the URL may be mistyped. */
async function refuseEmpty(sql: Sql, url: string): Promise<void> {
  const [row] = await sql<{ isEmpty: boolean }[]>`
    select to_regclass('schema_migrations') is null as is_empty`
  if (row?.isEmpty !== true) return
  throw new OperatorError(
    `The database ${maskPassword(url)} is empty: no service has run on it yet.\n` +
      'Name another one, or start `auspex up` on it first.',
  )
}

/** `auspex keys create` */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
