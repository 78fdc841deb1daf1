import { OperatorError } from '../core/errors.js'
import type { Pool, Sql } from '../store/connection.js'
import { LOCKS } from '../store/locks.js'
import { hex } from '../store/sql-words.js'
import { reserveSession } from './archive-pool.js'
import { type ArchiveDay, selectFinalDays } from './days.js'
import {
  ARCHIVE_FORMAT,
  type DayManifest,
  dayManifestPath,
  readDayManifest,
  readTableManifest,
  type TableManifest,
  tableManifestPath,
  writeManifest,
} from './manifest.js'
import type { ArchiveStore } from './store/archive-store.js'
import type { ArchiveTable } from './tables/archive-table.js'
import { openTables } from './tables/registry.js'
import { type FileLimits, isWritten, writeTable } from './write-table.js'

export type ArchiveOptions = {
  /** With three connections or more. */
  pool: Pool
  store: ArchiveStore
  dataset: string
  /** What is about to be written, and how much of it was so far. */
  onProgress?: ((progress: ArchiveProgress) => void) | undefined
  limits?: FileLimits | undefined
}

export type ArchiveProgress = { done: number; total: number; day: string; table: string; bytes: number }

/** What a run has written; `days`: that are archived whole now, `lastDay` the newest of them. */
export type ArchiveResult = {
  days: number
  lastDay: string | undefined
  daysWritten: number
  files: number
  rows: number
  bytes: number
}

/**
 * Archives every day that is final and is not in the archive yet. What is there already is not written again: a run
 * that was interrupted goes on with the table at which it was.
 */
export async function runArchive(options: ArchiveOptions, signal: AbortSignal): Promise<ArchiveResult> {
  const { pool, store } = options
  return await withArchiveLock(pool, async () => {
    await store.removeUnfinished()
    const days = await selectFinalDays(pool)
    const result = {
      days: days.length,
      lastDay: days.at(-1)?.day,
      daysWritten: 0,
      files: 0,
      rows: 0,
      bytes: 0,
    }
    const state = await readArchiveState(pool)
    const missing: ArchiveDay[] = []
    for (const day of days) {
      const written = await readDayManifest(store, day.day)
      if (written !== undefined) refuseOther(written, options)
      if (written === undefined || !isWhole(written, day, state)) missing.push(day)
    }
    const tables = await openTables(pool)
    const newest = days.at(-1)?.day
    const done = { tables: 0, total: missing.length * tables.length }
    for (const day of missing) {
      const wanted = tables.filter(({ follows }) => follows !== 'catalogue' || day.day === newest)
      const manifests: TableManifest[] = []
      for (const table of wanted) {
        signal.throwIfAborted()
        const onBytes = (bytes: number) => {
          result.bytes += bytes
          const at = { done: done.tables, total: done.total, day: day.day, table: table.name }
          options.onProgress?.({ ...at, bytes: result.bytes })
        }
        onBytes(0)
        const { manifest, isNew } = await ensureTable(table, day, { ...options, state, signal, onBytes })
        manifests.push(manifest)
        done.tables++
        if (!isNew) continue
        result.files += manifest.files.length
        result.rows += manifest.rows
      }
      const manifest = await describeDay(pool, day, state, manifests)
      await writeManifest(store, dayManifestPath(day.day), manifest)
      result.daysWritten++
    }
    return result
  })
}

type EnsureOptions = ArchiveOptions & {
  state: ArchiveState
  signal: AbortSignal
  onBytes: (bytes: number) => void
}

async function ensureTable(table: ArchiveTable, day: ArchiveDay, options: EnsureOptions) {
  const { pool, store, state, signal, onBytes, limits = {} } = options
  const { schema, ledgerFrom } = state
  const written = await readTableManifest(store, tableManifestPath(table.name, day.day))
  if (written !== undefined && isWritten(written, table, day, ledgerFrom)) {
    return { manifest: written, isNew: false }
  }
  const write = { pool, store, schema, ledgerFrom, signal, limits, onBytes }
  return { manifest: await writeTable(table, day, write), isNew: true }
}

type ArchiveState = {
  dataset: string
  schema: number
  ledgerFrom: number
  firstBlock: number | null
  firstHash: string | null
}

async function readArchiveState(sql: Sql): Promise<ArchiveState> {
  const [row] = await sql<ArchiveState[]>`
    select coalesce((select name from dataset), '') as dataset,
           (select max(version) from schema_migrations) as schema,
           coalesce(ledger_from, 0) as ledger_from,
           first_block, ${hex(sql, 'first_hash')} as first_hash
      from chain_state`
  if (row === undefined) throw new Error('chain_state has lost its row')
  return row
}

/** Facts that the retention has dropped since stay in the archive. */
const isWhole = (written: DayManifest, day: ArchiveDay, { ledgerFrom }: ArchiveState): boolean =>
  written.first_block <= day.fromBlock &&
  written.last_block === day.toBlock &&
  written.ledger_from === ledgerFrom

function refuseOther(written: DayManifest, { store, dataset }: ArchiveOptions): void {
  if (written.dataset === dataset) return
  throw new OperatorError(
    `${store.location} holds the dataset "${written.dataset}", and this database the dataset "${dataset}".\n` +
      'Name another folder or another prefix: the two must not mix.',
  )
}

type DayRow = {
  coverage: [number, number][] | null
  digest: bigint | null
  number: number | null
  hash: string | null
  time: number | null
}

async function describeDay(
  sql: Sql,
  { day, fromBlock, toBlock }: ArchiveDay,
  state: ArchiveState,
  tables: readonly TableManifest[],
): Promise<DayManifest> {
  const [row] = await sql<DayRow[]>`
    select (select json_agg(json_build_array(greatest(from_block, ${fromBlock}::integer),
                                             least(to_block, ${toBlock}::integer)) order by from_block)
              from coverage
             where from_block <= ${toBlock} and to_block >= ${fromBlock}) as coverage,
           (select bit_xor(digest) from fact_digests where block between ${fromBlock} and ${toBlock}) as digest,
           head.number, ${hex(sql, 'head.hash')} as hash, head.time
      from (select) as one
      left join lateral (
        select number, hash, time from blocks
         where number between ${fromBlock} and ${toBlock}
         order by number desc limit 1
      ) head on true`
  const { coverage = null, digest = null, number = null, hash = null, time = null } = row ?? {}
  const { dataset, schema, ledgerFrom, firstBlock, firstHash } = state
  return {
    format: ARCHIVE_FORMAT,
    dataset,
    day,
    schema,
    first_block: fromBlock,
    last_block: toBlock,
    head: number === null || hash === null || time === null ? null : { block: number, hash, time },
    first_booked: firstBlock === null || firstHash === null ? null : { block: firstBlock, hash: firstHash },
    ledger_from: ledgerFrom,
    coverage: coverage ?? [],
    digest: String(digest ?? 0n),
    tables: tables.map(({ table, rows, bytes }) => ({
      table,
      rows,
      bytes,
      manifest: tableManifestPath(table, day),
    })),
  }
}

/** The lock ends with its connection, however the process ends. */
async function withArchiveLock<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const session = await reserveSession(pool)
  try {
    const [row] = await session<{ isHeld: boolean }[]>`
      select pg_try_advisory_lock(${LOCKS.archive}) as is_held`
    if (row?.isHeld !== true) {
      throw new OperatorError('Another process archives this database at the moment: one at a time.')
    }
    try {
      return await work()
    } finally {
      await session`select pg_advisory_unlock(${LOCKS.archive})`
    }
  } finally {
    session.release()
  }
}
