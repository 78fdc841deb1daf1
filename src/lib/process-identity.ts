import { execFileSync, type StdioOptions } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const HAS_PROC = existsSync('/proc/self/stat')

/**
 * A text that names one process for all time: process ids are reused, an id together with its start
 * time is not. `undefined`: no such process.
 */
export function processIdentity(pid: number): string | undefined {
  const startedAt = HAS_PROC ? readProcStartTime(pid) : askPs(pid, 'lstart=')
  return startedAt === undefined ? undefined : `${pid}@${startedAt}`
}

/** Whether the process names `folder` on its command line or works in it. */
export function processUsesFolder(pid: number, folder: string): boolean {
  const command = commandOf(pid)
  return command !== undefined && (command.includes(folder) || worksIn(pid, folder))
}

/** Processes called `name` that work in `folder`, as far as this system lets us see. */
export function findProcesses(name: string, folder: string): number[] {
  if (!HAS_PROC) return []
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => commandOf(pid)?.includes(name) && worksIn(pid, folder))
}

function commandOf(pid: number): string | undefined {
  if (!HAS_PROC) return askPs(pid, 'command=')
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return undefined
  }
}

// Not every root may look: a container without the right to trace other users' processes cannot.
function worksIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder
  } catch {
    return false
  }
}

function readProcStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name may hold spaces and brackets: fields are counted after its closing bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state] = fields
    return state === 'Z' || state === 'X' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function askPs(pid: number, column: string): string | undefined {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore']
    const args = ['-p', String(pid), '-o', column]
    return execFileSync('ps', args, { encoding: 'utf8', stdio }).trim() || undefined
  } catch {
    return undefined
  }
}
