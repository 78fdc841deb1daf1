import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../errors.js'
import { processIdentity, processUsesFolder } from '../../lib/process-identity.js'

// Lines of postmaster.pid, counted from 0, as PostgreSQL documents them.
const PID_LINE = 0
const STATUS_LINE = 7

/** The server that runs on this cluster now. A pid file proves nothing by itself: ids are reused. */
export function findPostmaster(clusterDir: string): number | undefined {
  const pid = Number(readPidFile(clusterDir)[PID_LINE])
  if (!Number.isInteger(pid) || pid <= 1) return undefined
  return processUsesFolder(pid, realpathSync(clusterDir)) ? pid : undefined
}

export function isReady(clusterDir: string): boolean {
  return readPidFile(clusterDir)[STATUS_LINE]?.trim() === 'ready'
}

/**
 * Ends a server that outlived the Auspex that started it, and clears away a pid file that no server
 * stands behind (PostgreSQL itself would refuse to start when a stranger now has that process id).
 */
export async function clearLeftovers(clusterDir: string): Promise<void> {
  const orphan = findPostmaster(clusterDir)
  if (orphan !== undefined) await endPostmaster(orphan)
  rmSync(join(clusterDir, 'postmaster.pid'), { force: true })
}

// Fast shutdown first; then without a checkpoint; then by force. Recovery mends the latter two.
const SHUTDOWN_STEPS = [
  { signal: 'SIGINT', patienceMs: 3_000 },
  { signal: 'SIGQUIT', patienceMs: 1_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const

/** Stops the server, politely first. Resolves when the process is gone. */
export async function endPostmaster(pid: number): Promise<void> {
  const identity = processIdentity(pid)
  const isGone = () => identity === undefined || processIdentity(pid) !== identity
  for (const { signal, patienceMs } of SHUTDOWN_STEPS) {
    if (isGone()) return
    process.kill(pid, signal)
    const deadline = Date.now() + patienceMs
    while (!isGone() && Date.now() < deadline) await sleep(10)
  }
  if (!isGone())
    throw new OperatorError(`The database process ${pid} does not end. Stop it by hand.`)
}

function readPidFile(clusterDir: string): string[] {
  try {
    return readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}
