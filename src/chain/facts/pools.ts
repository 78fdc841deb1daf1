import type { Sql } from '../../store/connection.js'
import type { Tape } from '../attribute/tape.js'

const KIND = 'fpmmCreation'

/** The automatic market makers that the logs so far have created, by address. */
export async function selectPools(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ pool: string }[]>`
    select '0x' || encode(substr(data, 13, 20), 'hex') as pool from raw_logs where kind = ${KIND}`
  return new Set(rows.map(({ pool }) => pool))
}

/** Those that this tape creates: the first word of the log's data. */
export function poolsOf({ rawLogs }: Tape): string[] {
  return rawLogs.filter(({ kind }) => kind === KIND).map(({ data }) => `0x${data.slice(26, 66)}`)
}
