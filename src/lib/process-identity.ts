import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'

const HAS_PROC = existsSync('/proc/self/stat')

/**
 * A text that names one process for all time: process ids are reused, an id together with its start
 * time is not. `undefined`: no such process.
 */
export function processIdentity(pid: number): string | undefined {
  const startedAt = HAS_PROC ? readProcStartTime(pid) : askPs(pid, 'lstart=')
  return startedAt === undefined ? undefined : `${pid}@${startedAt}`
}

/** Whether the process works in `folder` or names it on its command line. */
export function processUsesFolder(pid: number, folder: string): boolean {
  if (!HAS_PROC) return askPs(pid, 'command=')?.includes(folder) ?? false
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
    const args = ['-p', String(pid), '-o', column]
    const answer = execFileSync('ps', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return answer.trim() || undefined
  } catch {
    return undefined
  }
}
