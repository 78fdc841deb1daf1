import { readdirSync } from 'node:fs'
import { residentBytes } from '../../../bench/lib/processes.js'
import { createPool } from '../../../src/store/connection.js'
import type { Reader } from '../clients/reader.js'
import type { CommandRun } from '../commands.js'
import type { ServiceProcess } from '../service-process.js'

type LogLine = { level: string; msg: string; reason?: string; err?: { message?: string; stack?: string } }

const ERROR_LEVELS = new Set(['error', 'fatal'])

/** Lines with which the service logs faults that its code does not expect. Others have a reason that an operator can act on. */
export function checkLog({ lines, notices, roles }: ServiceProcess): string[] {
  const errors = lines.flatMap((line) => {
    if (!line.startsWith('{')) return /^\s+at |Error:/.test(line) ? [line] : []
    const { level, msg, reason, err } = JSON.parse(line) as LogLine
    const isUnexpected = err !== undefined || (ERROR_LEVELS.has(level) && reason === undefined)
    return isUnexpected ? [`${msg} ${err?.stack ?? ''}`] : []
  })
  return [...notices, ...new Set(errors)].map((text) => `log of ${roles}: ${text}`)
}

/** Requests that were answered are counted, but for those of a process that was killed soon after. */
export async function checkUsage(
  { counted, unanswered }: Reader,
  { url, key, kills }: { url: string; key: string; kills: number },
): Promise<string[]> {
  const reply = await fetch(`${url}/v1/usage`, { headers: { 'x-api-key': key } })
  const { meters } = (await reply.json()) as { meters: { meter: string; used: number }[] }
  const used = meters.find(({ meter }) => meter === 'api_requests')?.used ?? 0
  const fewest = counted - kills * COUNTED_IN_FLUSH
  const isRight = used >= fewest && used <= counted + unanswered
  return isRight ? [] : [`usage: ${used} requests, and not ${fewest} to ${counted + unanswered}`]
}

/** Requests of a reader in the two seconds that a process keeps counts for itself. */
const COUNTED_IN_FLUSH = 50

/** More than a process needs that has been through everything. */
const MEMORY_MB_MAX = 600
const FILES_MAX = 120

/** Memory, files and sockets that a process keeps though nothing happens any more. Linux alone says it. */
export function checkResources({ pid, roles }: ServiceProcess): string[] {
  if (pid === undefined || process.platform !== 'linux') return []
  const memoryMb = Math.round(residentBytes(pid) / 2 ** 20)
  const files = readdirSync(`/proc/${pid}/fd`).length
  return [
    ...(memoryMb > MEMORY_MB_MAX ? [`${roles} has ${memoryMb} MB of memory`] : []),
    ...(files > FILES_MAX ? [`${roles} has ${files} open files and sockets`] : []),
  ]
}

/** Connections to the database that services which have ended left behind. */
export async function checkConnections(url: string): Promise<string[]> {
  const sql = createPool({ url }, 1)
  try {
    const rows = await sql<{ query: string }[]>`
      select query from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`
    return rows.map(({ query }) => `a connection is left whose last query was ${query.slice(0, 100)}`)
  } finally {
    await sql.end()
  }
}

/** What `auspex audit --all --against-node` complains of. */
export async function checkAudit(run: (...args: string[]) => Promise<CommandRun>): Promise<string[]> {
  const { code, output } = await run('audit', '--all', '--against-node')
  return code === 0 ? [] : [`audit: ${output}`]
}
