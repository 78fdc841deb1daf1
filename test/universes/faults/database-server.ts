import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../../src/core/errors.js'
import { findProcesses } from '../../../src/lib/process-identity.js'
import { pollUntil } from '../../../src/lib/timing.js'
import { createPool } from '../../../src/store/connection.js'
import { findPostmaster } from '../../../src/store/embedded/postmaster.js'
import { type EmbeddedServer, startServer } from '../../../src/store/embedded/server.js'
import { findCluster } from '../../../src/store/embedded/server-folders.js'
import { type Migration, migrate, readMigrations } from '../../../src/store/migrate.js'
import { findFreePort } from '../../free-port.js'

/** A PostgreSQL server of one universe, on a port of loopback that stays the same when it starts again. */
export type DatabaseServer = {
  readonly url: string
  readonly port: number
  /** False after `kill`, and after a full disk has ended it. */
  readonly isRunning: boolean
  /** Whether this process may make the disk of the server full: it has to be root on Linux for that. */
  readonly canFillDisk: boolean
  /** Starts it again after it ended. */
  start(): Promise<void>
  /** Ends all its processes with SIGKILL, and resolves when they are gone. */
  kill(): Promise<void>
  /** Stops its processes where they are: connections stay open, and nothing answers. */
  pause(): void
  resume(): void
  fillDisk(): void
  freeDisk(): void
  /** Ends it, and removes its folder. */
  remove(): Promise<void>
}

type DatabaseServerOptions = {
  /** Where the server lies. It is there, its parents are open to all users, and nothing else is in it. */
  folder: string
  /** What `createDatabaseTemplate` has made. */
  template: string
}

const DATABASE = 'auspex'
const PORT_ATTEMPTS = 3
const RESIZE_ATTEMPTS = 20
const END_MS_MAX = 10_000
const MIB = 1024 * 1024
/** Room for several times what a universe writes, so that only `fillDisk` makes it full. */
const DISK_BYTES = 1024 * MIB

/**
 * It may forget everything when the machine fails, but not when its processes do: a commit has reached the
 * system before it is acknowledged, and pages that a killed process has written in part are repaired.
 */
const SETTINGS = {
  fsync: 'off',
  shared_buffers: '32MB',
  max_wal_size: '128MB',
  min_wal_size: '32MB',
  // In the folder of the server: elsewhere, what a killed one has made would stay for ever.
  dynamic_shared_memory_type: 'mmap',
  listen_addresses: '127.0.0.1',
}

/** Fills `folder`, as `openDatabaseServer` wants it, with a server that has the schema and is down. */
export async function createDatabaseTemplate(
  folder: string,
  migrations: Migration[] = readMigrations(),
): Promise<void> {
  const server = await startServer(folder, { ...SETTINGS, listen_addresses: '' })
  try {
    const admin = createPool({ socketDir: server.socketDir, database: 'postgres' }, 1)
    await admin`create database ${admin(DATABASE)}`
    await admin.end()
    const sql = createPool({ socketDir: server.socketDir, database: DATABASE }, 1)
    await migrate(sql, migrations)
    await sql.end()
  } finally {
    await server.stop()
  }
}

/** Removes what a run that was killed has left of its server. */
export function removeDatabaseFolder(folder: string): void {
  for (const pid of processesOf(folder)) send(pid, 'SIGKILL')
  const sharedMemory = findSharedMemory(folder)
  if (sharedMemory !== undefined) execFileSync('ipcrm', ['-m', sharedMemory])
  if (isMounted(folder)) execFileSync('umount', ['--lazy', folder])
  rmSync(folder, { recursive: true, force: true })
}

/** Starts a server from a copy of the template. */
export async function openDatabaseServer({
  folder,
  template,
}: DatabaseServerOptions): Promise<DatabaseServer> {
  const canFillDisk = mountDisk(folder)
  let running: EmbeddedServer | undefined
  let starting: Promise<void> | undefined
  /** How often the disk was filled, and the end of the last time. */
  let fills = 0
  let whenFree = Promise.resolve()
  let onFree = (): void => undefined
  try {
    // The files keep their owner, who is not root.
    execFileSync('cp', ['-a', `${template}/.`, folder])
    const port = await startOnFreePort()
    return {
      url: `postgres://auspex@127.0.0.1:${port}/${DATABASE}`,
      port,
      canFillDisk,
      get isRunning() {
        return running !== undefined
      },
      start: () => start(port),
      kill: async () => {
        await endProcesses(folder)
        await running?.exited
      },
      pause: () => signalAll('SIGSTOP'),
      resume: () => signalAll('SIGCONT'),
      fillDisk: () => {
        resizeDisk(0)
        fills++
        whenFree = new Promise((resolve) => {
          onFree = resolve
        })
      },
      freeDisk: () => {
        resizeDisk(DISK_BYTES)
        onFree()
      },
      remove: async () => {
        signalAll('SIGCONT')
        await running?.stop()
        removeDatabaseFolder(folder)
      },
    }
  } catch (error) {
    removeDatabaseFolder(folder)
    throw error
  }

  /** Two steps may want it at the same time. */
  function start(port: number): Promise<void> {
    starting ??= startOnce(port).finally(() => {
      starting = undefined
    })
    return starting
  }

  async function startOnce(port: number): Promise<void> {
    if (running !== undefined) return
    await whenFree
    const fillsBefore = fills
    const tryOnce = () => startServer(folder, { ...SETTINGS, port })
    const server = await tryOnce().catch(async (error) => {
      if (fills === fillsBefore) throw error
      await whenFree
      return await tryOnce()
    })
    running = server
    server.exited.then(() => {
      running = undefined
    })
  }

  /** Another program may take the port between the look and the start. */
  async function startOnFreePort(attempt = 1): Promise<number> {
    const port = await findFreePort()
    try {
      await start(port)
      return port
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error
      return await startOnFreePort(attempt + 1)
    }
  }

  function signalAll(name: NodeJS.Signals): void {
    for (const pid of processesOf(folder)) send(pid, name)
  }

  /** Never below what is used: the kernel refuses that, and the server may write more after the look. */
  function resizeDisk(bytes: number, attempt = 1): void {
    if (!canFillDisk) throw new Error('the disk of this server cannot be made full')
    const { blocks, bfree, bsize } = statfsSync(folder)
    const size = Math.max(bytes, (blocks - bfree) * bsize)
    try {
      execFileSync('mount', ['-o', `remount,size=${size}`, folder], { stdio: 'pipe' })
    } catch (error) {
      if (attempt === RESIZE_ATTEMPTS) throw error
      resizeDisk(bytes, attempt + 1)
    }
  }
}

/** A file system in memory of a size that can be changed. `false`: this process may not mount one. */
function mountDisk(folder: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const options = `size=${DISK_BYTES},mode=755`
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'auspex-universe', folder], { stdio: 'ignore' })
    return true
  } catch {
    // The root of a container seldom may.
    return false
  }
}

const isMounted = (folder: string): boolean =>
  process.platform === 'linux' && readFileSync('/proc/mounts', 'utf8').includes(` ${folder} `)

const SHARED_MEMORY_LINE = 6

/** The id of the segment that the system keeps for a server that was killed. A server that ends well leaves none. */
function findSharedMemory(folder: string): string | undefined {
  const pidFile = join(findCluster(folder) ?? folder, 'postmaster.pid')
  if (!existsSync(pidFile)) return undefined
  return readFileSync(pidFile, 'utf8').split('\n')[SHARED_MEMORY_LINE]?.trim().split(/\s+/)[1]
}

/** The postmaster comes first: from then on there are no new ones. */
function processesOf(folder: string): number[] {
  const clusterDir = findCluster(folder)
  if (clusterDir === undefined) return []
  const postmaster = findPostmaster(clusterDir)
  const others = findProcesses('postgres', clusterDir)
  return [...new Set(postmaster === undefined ? others : [postmaster, ...others])]
}

async function endProcesses(folder: string): Promise<void> {
  const areGone = () => {
    const pids = processesOf(folder)
    for (const pid of pids) send(pid, 'SIGKILL')
    return pids.length === 0
  }
  if (!(await pollUntil(areGone, { everyMs: 5, timeoutMs: END_MS_MAX }))) {
    throw new Error(`processes of the database in ${folder} do not end`)
  }
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It ended between the look and the signal.
    if (codeOf(error) !== 'ESRCH') throw error
  }
}
