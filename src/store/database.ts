import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.js'
import { OperatorError } from '../core/errors.js'
import type { Log } from '../lib/log.js'
import { retry } from '../lib/timing.js'
import { createPool, type Target } from './connection.js'
import {
  FolderBusy,
  type FolderLock,
  findHolder,
  type LockOwner,
  lockDataFolder,
  prepareDataFolder,
} from './data-folder.js'
import { clearLeftovers, findSocketDir } from './embedded/postmaster.js'
import { type EmbeddedServer, type ServerSettings, startServer } from './embedded/server.js'
import { findCluster, prepareServerFolders, removeServerFolders } from './embedded/server-folders.js'

export type Database = {
  target: Target
  /** Rejects when the embedded server ended and could not be started again. */
  lost: Promise<never>
  close(): Promise<void>
}

type OpenOptions = LockOwner & {
  log: Log
  /** Throws away what the data folder holds. */
  fresh?: boolean
  settings?: ServerSettings
  /** Ends the wait for another process to leave the folder. */
  signal?: AbortSignal
}

type Location = Pick<Config, 'databaseUrl' | 'dataDir'>

const DATABASE = 'auspex'
const WAIT_MS_MAX = 30_000
const RESTART_DELAYS_MS = [500, 1_000, 2_000, 5_000, 10_000]

/** The database of a service: the given one, or an embedded server that runs as long as we do. */
export async function openDatabase(location: Location, options: OpenOptions): Promise<Database> {
  const { databaseUrl, dataDir } = location
  if (databaseUrl !== undefined) return leaveOpen({ url: databaseUrl })

  prepareDataFolder(dataDir)
  const lock = await takeFolder(dataDir, options)
  try {
    if (options.fresh === true) await discardCluster(dataDir)
    const database = await superviseServer(dataDir, options)
    return { ...database, close: () => database.close().finally(lock.release) }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * The database of a short command: that of a service on the same data folder when one runs. Only a
 * service makes a new one: a mistyped folder shall not look like one without data.
 */
export function borrowDatabase(location: Location, options: OpenOptions): Promise<Database> {
  // A service has just started, or is about to end: its database answers, or the folder is free, soon.
  return waitForFolder(
    () => !options.signal?.aborted,
    async () => {
      if (location.databaseUrl === undefined) refuseMissing(location.dataDir)
      const lent = location.databaseUrl === undefined ? findLent(location.dataDir) : undefined
      if (lent !== undefined && (await answers(lent))) return leaveOpen(lent)
      return await openDatabase(location, options)
    },
  )
}

function refuseMissing(dataDir: string): void {
  // A service that holds the folder is about to make its database.
  if (findCluster(dataDir) !== undefined || findHolder(dataDir) !== undefined) return
  throw new OperatorError(
    `There is no database in ${dataDir}.\n` +
      'Name the folder of a service with --data <folder> or AUSPEX_DATA; `auspex up` makes a new one.',
  )
}

/** Tries again for a while when another process holds the folder, as long as `isPassing` expects it to end. */
async function waitForFolder<T>(
  isPassing: (busy: FolderBusy) => boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + WAIT_MS_MAX
  while (true) {
    try {
      return await attempt()
    } catch (error) {
      const isWorthWaiting = error instanceof FolderBusy && isPassing(error)
      if (!isWorthWaiting || Date.now() > deadline) throw error
      await sleep(50)
    }
  }
}

/** The database of the service that holds the folder, if one does and has come so far. */
function findLent(dataDir: string): Target | undefined {
  const cluster = findHolder(dataDir)?.isService === true ? findCluster(dataDir) : undefined
  const socketDir = cluster === undefined ? undefined : findSocketDir(cluster)
  return socketDir === undefined ? undefined : { socketDir, database: DATABASE }
}

async function answers(target: Target): Promise<boolean> {
  const pool = createPool(target, 1)
  const rows = await pool`select 1`.catch(() => []).finally(() => pool.end({ timeout: 0 }))
  return rows.length > 0
}

/** Waits for a short command to finish with the folder; a service has it until it is stopped. */
const takeFolder = (dataDir: string, { command, isService, signal }: OpenOptions): Promise<FolderLock> =>
  waitForFolder(
    ({ holder }) => !holder.isService && !signal?.aborted,
    async () => lockDataFolder(dataDir, { command, isService }),
  )

async function discardCluster(dataDir: string): Promise<void> {
  const cluster = findCluster(dataDir)
  if (cluster !== undefined) await clearLeftovers(cluster, prepareServerFolders(dataDir).socketDir)
  removeServerFolders(dataDir)
}

/** Keeps an embedded server up: one that ends unasked (killed, out of memory) is started again. */
async function superviseServer(dataDir: string, { log, settings }: OpenOptions): Promise<Database> {
  let server = await startServer(dataDir, settings)
  await createDatabase(server)
  const closing = new AbortController()
  const watch = async (): Promise<void> => {
    while (true) {
      await server.exited
      if (closing.signal.aborted) return
      log.error('embedded database ended unasked, starting it again')
      server = await retry(RESTART_DELAYS_MS, closing.signal, () => startServer(dataDir, settings))
      if (closing.signal.aborted) return await server.stop()
    }
  }
  const watching = watch()
  const lost = watching.then(() => new Promise<never>(() => undefined))
  lost.catch(() => undefined)
  return {
    target: { socketDir: server.socketDir, database: DATABASE },
    lost,
    close: async () => {
      closing.abort()
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
