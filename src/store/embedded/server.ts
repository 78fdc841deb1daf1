import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  fchownSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { totalmem } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { OperatorError } from '../../core/errors.js'
import { pollUntil } from '../../lib/timing.js'
import { type Binaries, prepareBinaries } from './binaries.js'
import { clearLeftovers, endPostmaster, isReady } from './postmaster.js'
import { prepareServerFolders, type ServerFolders } from './server-folders.js'

export type EmbeddedServer = {
  socketDir: string
  /** Resolves when the server process has ended, by `stop` or by itself. */
  exited: Promise<void>
  stop(): Promise<void>
}

export const SUPERUSER = 'auspex'

const run = promisify(execFile)

const START_MS_MAX = 60_000
const MIB = 1024 * 1024

export type ServerSettings = Record<string, string | number>

/**
 * Starts an embedded PostgreSQL below `dataDir`, which the caller has locked. It listens on a Unix
 * socket in a folder that only its user can enter, so it asks for no password.
 */
export async function startServer(
  dataDir: string,
  extraSettings: ServerSettings = {},
  startMsMax = START_MS_MAX,
): Promise<EmbeddedServer> {
  const folders = prepareServerFolders(dataDir)
  const binaries = prepareBinaries(folders.user, folders.copyDir)
  if (existsSync(folders.clusterDir)) await clearLeftovers(folders.clusterDir, folders.socketDir)
  else await createCluster(binaries, folders)

  const settings = { ...tuneServer(availableMemory()), ...extraSettings }
  const child = launch(binaries, folders, settings)
  const exited = once(child, 'exit').then(() => releaseWatchdog(child))
  await waitUntilReady(child, folders, startMsMax)
  return {
    socketDir: folders.socketDir,
    exited,
    stop: async () => {
      if (child.pid !== undefined && !hasEnded(child)) await endPostmaster(child.pid)
      await exited
    },
  }
}

async function createCluster({ initdb }: Binaries, folders: ServerFolders): Promise<void> {
  // An initdb that is killed leaves an unusable folder: the cluster gets its name at the end.
  removeUnfinishedClusters(folders.clusterDir)
  const newClusterDir = `${folders.clusterDir}.new.${process.pid}`
  const args = ['-D', newClusterDir, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8']
  args.push('--locale-provider=builtin', '--locale=C.UTF-8', '--no-instructions')
  await run(initdb, args, { ...folders.user, env: serverEnv() }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      const reason = `${error.stderr ?? ''}${error.stdout ?? ''}`.trim() || error.message
      throw new OperatorError(`The embedded database cannot be created in ${folders.clusterDir}:\n${reason}`)
    },
  )
  renameSync(newClusterDir, folders.clusterDir)
}

function removeUnfinishedClusters(clusterDir: string): void {
  const folder = dirname(clusterDir)
  const unfinished = readdirSync(folder).filter((name) => name.startsWith(`${basename(clusterDir)}.new`))
  for (const name of unfinished) rmSync(join(folder, name), { recursive: true, force: true })
}

// The server replaces the shell, so that it is a direct child of this process. The watchdog behind it
// reads from our pipe: a line means a normal end; a closed pipe without one means that Auspex was
// killed, and then the watchdog stops the database. It is forked twice because PostgreSQL treats the
// death of an unknown child as a crash.
const WATCHDOG = `exec 3<&0
( ( read -r line <&3 || kill -INT $$ ) </dev/null >/dev/null 2>&1 & )
exec "$@" </dev/null 3<&-`

function launch({ postgres }: Binaries, folders: ServerFolders, settings: ServerSettings): ChildProcess {
  // The setting takes a list: quoted, a comma in the path stays part of the path.
  const socketDir = `"${folders.socketDir.replaceAll('"', '""')}"`
  const args = [postgres, '-D', folders.clusterDir, '-k', socketDir, '-c', 'listen_addresses=']
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  const logFd = openLog(folders)
  try {
    return spawn('/bin/sh', ['-c', WATCHDOG, 'sh', ...args], {
      ...folders.user,
      // A session of its own: Ctrl-C in the terminal must reach us alone, we stop the database last.
      detached: true,
      stdio: ['pipe', logFd, logFd],
      env: serverEnv(),
    })
  } finally {
    closeSync(logFd)
  }
}

function releaseWatchdog(child: ChildProcess): void {
  child.stdin?.on('error', () => undefined)
  child.stdin?.end('\n')
}

async function waitUntilReady(
  child: ChildProcess,
  folders: ServerFolders,
  startMsMax: number,
): Promise<void> {
  const isDecided = () => isReady(folders.clusterDir) || hasEnded(child)
  const isInTime = await pollUntil(isDecided, { everyMs: 10, timeoutMs: startMsMax })
  if (isReady(folders.clusterDir)) return
  if (isInTime) {
    throw new OperatorError(`The embedded database did not start:\n${readLogTail(folders.logFile)}`)
  }
  if (child.pid !== undefined) await endPostmaster(child.pid)
  throw new OperatorError(
    `The embedded database was not ready after ${startMsMax / 1000} s; see ${folders.logFile}`,
  )
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

function openLog({ logFile, user }: ServerFolders): number {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > 16 * MIB) renameSync(logFile, `${logFile}.old`)
  // Never through a link: the folder belongs to the server's user, and we may be root.
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants
  const fd = openSync(logFile, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
  if (user !== undefined) fchownSync(fd, user.uid, user.gid)
  writeSync(fd, `--- start ${new Date().toISOString()}\n`)
  return fd
}

function readLogTail(logFile: string): string {
  const text = readFileSync(logFile, 'utf8')
  return text.slice(text.lastIndexOf('--- start')).trim().split('\n').slice(-12).join('\n')
}

// The server gets no variable of ours: no secret, and no PG* that changes what it does.
const serverEnv = () => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' })

function availableMemory(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

/**
 * Settings for a server that shares the machine with Auspex. `memoryBytes` is what the machine, or
 * the container around us, may use.
 */
export function tuneServer(memoryBytes: number): ServerSettings {
  const memoryMb = Math.max(256, Math.floor(memoryBytes / MIB))
  const share = (fraction: number, minMb: number, maxMb: number) =>
    `${Math.round(Math.min(maxMb, Math.max(minMb, memoryMb * fraction)))}MB`
  return {
    shared_buffers: share(0.15, 32, 8192),
    effective_cache_size: share(0.5, 128, 65_536),
    maintenance_work_mem: share(0.04, 16, 1024),
    work_mem: share(0.002, 4, 64),
    // More than AUSPEX_DATABASE_CONNECTIONS may ask for.
    max_connections: 250,
    // A query of fills locks every partition and each of its indexes: a thousand with 100 partitions.
    max_locks_per_transaction: 256,
    max_wal_size: share(0.25, 256, 8192),
    min_wal_size: '80MB',
    checkpoint_timeout: '15min',
    random_page_cost: 1.1,
    // Queries are short and many; compiling them costs more than it saves.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_min_messages: 'warning',
  }
}
