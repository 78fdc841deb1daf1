import { once } from 'node:events'
import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { codeOf, OperatorError } from '../../core/errors.js'
import { findProcesses, processIdentity, processUsesFolder } from '../../lib/process-identity.js'
import { pollUntil } from '../../lib/timing.js'

// Lines of postmaster.pid, counted from 0, as PostgreSQL documents them.
const PID_LINE = 0
const SOCKET_DIR_LINE = 4
const STATUS_LINE = 7

/** The server that runs on this cluster now. A pid file proves nothing by itself: ids are reused. */
export function findPostmaster(clusterDir: string): number | undefined {
  const pid = Number(readPidFile(clusterDir)[PID_LINE])
  if (!Number.isInteger(pid) || pid <= 1) return undefined
  return processUsesFolder(pid, realpathSync(clusterDir)) ? pid : undefined
}

/** Where the server that runs on this cluster listens, or will listen once it is ready. */
export const findSocketDir = (clusterDir: string): string | undefined =>
  readPidFile(clusterDir)[SOCKET_DIR_LINE] || undefined

export function isReady(clusterDir: string): boolean {
  return readPidFile(clusterDir)[STATUS_LINE]?.trim() === 'ready'
}

/**
 * Ends a server that outlived the Auspex that started it, and removes a pid file without a server
 * (PostgreSQL refuses to start when another program now has that process id).
 */
export async function clearLeftovers(clusterDir: string, socketDir: string): Promise<void> {
  const orphan = findPostmaster(clusterDir)
  if (orphan !== undefined) await endPostmaster(orphan)
  // A busy backend survives a postmaster that was killed, and keeps the next one from starting.
  for (const backend of findProcesses('postgres', realpathSync(clusterDir))) signal(backend, 'SIGKILL')
  if (await accepts(socketDir)) {
    throw new OperatorError(
      `The database in ${clusterDir} is served by a process that cannot be seen from here, in another ` +
        'container perhaps.\nStop that one first: two servers on the same files would destroy them.',
    )
  }
  rmSync(join(clusterDir, 'postmaster.pid'), { force: true })
}

/** Whether a server answers on the socket in this folder. */
async function accepts(socketDir: string): Promise<boolean> {
  const socket = connect(join(socketDir, '.s.PGSQL.5432'))
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

// Fast shutdown first; then without a checkpoint; then by force. Recovery repairs what the latter two leave.
const SHUTDOWN_STEPS = [
  { name: 'SIGINT', patienceMs: 2_000 },
  { name: 'SIGQUIT', patienceMs: 400 },
  { name: 'SIGKILL', patienceMs: 5_000 },
] as const

/** Stops the server, politely first. Resolves when the process is gone. */
export async function endPostmaster(pid: number): Promise<void> {
  const identity = processIdentity(pid)
  const isGone = () => identity === undefined || processIdentity(pid) !== identity
  for (const { name, patienceMs } of SHUTDOWN_STEPS) {
    if (isGone()) return
    signal(pid, name)
    if (await pollUntil(isGone, { everyMs: 10, timeoutMs: patienceMs })) return
  }
  throw new OperatorError(`The database process ${pid} does not end. Stop it by hand.`)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It ended between the look and the signal.
    if (codeOf(error) !== 'ESRCH') throw error
  }
}

function readPidFile(clusterDir: string): string[] {
  try {
    return readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}
