import type { Config } from '../config.js'
import type { Log } from '../log.js'
import { createPool, type Target } from './connection.js'
import { findHolder, lockDataFolder, prepareDataFolder } from './data-folder.js'
import { prepareHome, removeHome } from './embedded/home.js'
import { type EmbeddedServer, startServer } from './embedded/server.js'
import type { ServerSettings } from './embedded/tuning.js'

export type Database = {
  target: Target
  /** Rejects when the embedded server ended and could not be started again. */
  lost: Promise<never>
  close(): Promise<void>
}

export type OpenOptions = {
  /** Named to whoever finds the data folder in use. */
  command: string
  log: Log
  /** Throws away what the data folder holds. */
  fresh?: boolean
  settings?: ServerSettings
}

type Location = Pick<Config, 'databaseUrl' | 'dataDir'>

const DATABASE = 'auspex'

/** The database of a service: the given one, or an embedded server that runs as long as we do. */
export async function openDatabase(location: Location, options: OpenOptions): Promise<Database> {
  const { databaseUrl, dataDir } = location
  if (databaseUrl !== undefined) return leaveOpen({ url: databaseUrl })

  prepareDataFolder(dataDir)
  const lock = lockDataFolder(dataDir, options.command)
  try {
    if (options.fresh === true) removeHome(dataDir)
    const database = await superviseServer(dataDir, options)
    return { ...database, close: () => database.close().finally(lock.release) }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The database of a short command: that of a service on the same data folder when one runs. */
export async function borrowDatabase(location: Location, options: OpenOptions): Promise<Database> {
  const isServed = location.databaseUrl === undefined && findHolder(location.dataDir) !== undefined
  if (!isServed) return await openDatabase(location, options)
  const { socketDir } = prepareHome(location.dataDir)
  return leaveOpen({ socketDir, database: DATABASE })
}

/** Keeps an embedded server up: one that ends unasked (killed, out of memory) is started again. */
async function superviseServer(dataDir: string, { log, settings }: OpenOptions): Promise<Database> {
  let server = await startServer(dataDir, settings)
  await createDatabase(server)
  let closing = false
  const watch = async (): Promise<void> => {
    while (true) {
      await server.exited
      if (closing) return
      log.error('embedded database ended unasked, starting it again')
      server = await startServer(dataDir, settings)
      if (closing) return await server.stop()
    }
  }
  const watching = watch()
  const lost = watching.then(() => new Promise<never>(() => undefined))
  lost.catch(() => undefined)
  return {
    target: { socketDir: server.socketDir, database: DATABASE },
    lost,
    close: async () => {
      closing = true
      await server.stop()
      await watching.catch(() => undefined)
    },
  }
}

async function createDatabase(server: EmbeddedServer): Promise<void> {
  const pool = createPool({ socketDir: server.socketDir, database: 'postgres' }, 1)
  try {
    const found = await pool`select 1 from pg_database where datname = ${DATABASE}`
    if (found.length === 0) await pool`create database ${pool(DATABASE)}`
  } catch (error) {
    await server.stop()
    throw error
  } finally {
    await pool.end()
  }
}

function leaveOpen(target: Target): Database {
  return { target, lost: new Promise(() => undefined), close: async () => undefined }
}
