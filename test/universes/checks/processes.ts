import type { Reader } from '../clients/reader.js'
import type { CommandRun } from '../commands.js'
import type { ServiceProcess } from '../service-process.js'

type LogLine = { level: number; msg: string; err?: { message?: string; stack?: string } }

const ERROR_LEVEL = 50

/** Lines with which the service logs faults that its code does not expect. */
export function checkLog({ lines, notices, roles }: ServiceProcess): string[] {
  const errors = lines.flatMap((line) => {
    if (!line.startsWith('{')) return /^\s+at |Error:/.test(line) ? [line] : []
    const { level, msg, err } = JSON.parse(line) as LogLine
    return level >= ERROR_LEVEL ? [`${msg} ${err?.stack ?? ''}`] : []
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

/** What `auspex audit --all --against-node` complains of. */
export async function checkAudit(run: (...args: string[]) => Promise<CommandRun>): Promise<string[]> {
  const { code, output } = await run('audit', '--all', '--against-node')
  return code === 0 ? [] : [`audit: ${output}`]
}
