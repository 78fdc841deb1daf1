import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Config, LoadedConfig } from '../config/config.js'
import { DEMO_DATA_DIR } from '../config/service-address.js'
import { maskPassword } from '../config/setting.js'
import { readConfig } from '../config/setting-flags.js'
import { isOutage } from '../core/database-fault.js'
import { messageOf, OperatorError } from '../core/errors.js'
import { createLog } from '../lib/log.js'
import { createPool, type Pool, type Sql, type Target } from './connection.js'
import { findHolder, readServiceUpstreams } from './data-folder.js'
import { borrowDatabase } from './database.js'
import { findCluster } from './embedded/server-folders.js'
import { migrate, readMigrations } from './migrate.js'

export type WithDatabase = (
  command: Command,
  work: (pool: Pool, opened: { config: Config; target: Target }) => Promise<void>,
  options?: {
    /** For commands that only read: a demo of this folder will do when no service is here. */
    acceptsDemo?: boolean
  },
) => Promise<void>

/**
 * Opens the database, migrated, that a command's flags and the environment name. One that a service
 * has open already is shared.
 */
export const withDatabase: WithDatabase = async (command, work, { acceptsDemo = false } = {}) => {
  const given = readConfig(command)
  const loaded = acceptsDemo ? orDemo(given) : given
  const { config } = loaded
  const log = createLog('error', process.stderr)
  const options = { command: pathOf(command), isService: false, log }
  const database = await borrowDatabase(config, options)
  const { target } = database
  const pool = createPool(target, 2)
  try {
    if (config.databaseUrl !== undefined) await refuseEmpty(pool, config.databaseUrl)
    await migrate(pool, readMigrations())
    await work(pool, { config: borrowUpstreams(loaded), target })
  } catch (error) {
    if (!isOutage(error)) throw error
    throw new OperatorError(`The database does not answer: ${messageOf(error)}`)
  } finally {
    await pool.end({ timeout: 1 })
    await database.close()
  }
}

/** Unless a folder or database is named: the folder in which a service runs, else the first with a database. */
function orDemo(loaded: LoadedConfig): LoadedConfig {
  const { config, origins } = loaded
  if (origins.dataDir !== 'default' || config.databaseUrl !== undefined) return loaded
  const folders = [config.dataDir, resolve(DEMO_DATA_DIR)]
  const dataDir =
    folders.find((folder) => findHolder(folder)?.isService === true) ??
    folders.find((folder) => findCluster(folder) !== undefined) ??
    config.dataDir
  return { ...loaded, config: { ...config, dataDir } }
}

/** A command that shares the database of a service uses the upstreams and plans of the service, unless it has its own. */
function borrowUpstreams({ config, origins }: LoadedConfig): Config {
  if (config.databaseUrl !== undefined) return config
  const lent = readServiceUpstreams(config.dataDir)
  const dataApiUrl = origins.dataApiUrl === 'default' ? lent.dataApiUrl : undefined
  return {
    ...config,
    polygonUrl: config.polygonUrl ?? lent.polygonUrl,
    dataApiUrl: dataApiUrl ?? config.dataApiUrl,
    plansFile: config.plansFile ?? lent.plansFile,
  }
}

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
