import type { Sql } from '../store/connection.js'
import { type DayManifest, readDays, readTableManifest } from './manifest.js'
import type { ArchiveStore } from './store/archive-store.js'
import { findFileProblem } from './verify-files.js'

type VerifyOptions = {
  store: ArchiveStore
  /** The database that the archive is of; `undefined`: only the files are compared with their manifests. */
  sql?: Sql | undefined
  signal: AbortSignal
  onDay?: ((progress: { done: number; total: number; day: string }) => void) | undefined
}

export type VerifyResult = { days: number; files: number; bytes: number; problems: string[] }

/** Reads every file of the archive, and says what is not as its manifests, or the facts of the database, have it. */
export async function verifyArchive({ store, sql, signal, onDay }: VerifyOptions): Promise<VerifyResult> {
  const result: VerifyResult = { days: 0, files: 0, bytes: 0, problems: [] }
  const days = await readDays(store)
  for (const day of days) {
    onDay?.({ done: result.days, total: days.length, day: day.day })
    for (const { table, rows, manifest: path } of day.tables) {
      signal.throwIfAborted()
      const manifest = await readTableManifest(store, path)
      if (manifest === undefined) {
        result.problems.push(`${path} is missing`)
        continue
      }
      if (manifest.rows !== rows)
        result.problems.push(`${path} has ${manifest.rows} rows of ${table}, not ${rows}`)
      for (const file of manifest.files) {
        const problem = await findFileProblem(store, file)
        if (problem !== undefined) result.problems.push(`${file.path} ${problem}`)
        result.files++
        result.bytes += file.bytes
      }
    }
    if (sql !== undefined && (await differs(sql, day))) {
      result.problems.push(
        `${day.day}: the database has other facts since then, as after a repair; remove _days/${day.day}.json ` +
          `and the folders day=${day.day}, and archive it again`,
      )
    }
    result.days++
  }
  return result
}

/** Digests stay when the retention drops facts. */
async function differs(sql: Sql, { first_block, last_block, digest }: DayManifest): Promise<boolean> {
  const [row] = await sql<{ digest: bigint | null }[]>`
    select bit_xor(digest) as digest from fact_digests where block between ${first_block} and ${last_block}`
  return String(row?.digest ?? 0n) !== digest
}
