import { checksumSql } from '../../chain/ids/queries.js'
import { insertDigests } from '../../chain/write/fact-digests.js'
import { ensurePartitions } from '../../chain/write/partitions.js'
import { addCoverage } from '../../chain/write/state.js'
import { partitionEnd } from '../../core/blocks.js'
import { OperatorError } from '../../core/errors.js'
import type { Pool, Sql } from '../../store/connection.js'
import { copyLines } from '../../store/copy.js'
import { transact } from '../../store/transaction.js'
import { type DayManifest, readTableManifest, type TableManifest } from '../manifest.js'
import type { ArchiveStore } from '../store/archive-store.js'
import { FACT_FILES, shownFacts } from '../tables/fact-tables.js'
import { type StoredColumn, selectStoredColumns } from '../tables/stored-columns.js'
import { copyValueOf } from './copy-values.js'
import { readTable } from './read-columns.js'
import { type Retention, restoreRecord } from './restore-record.js'
import { restoreTicks } from './restore-ticks.js'

/** A column of the files, and how it goes into the database. */
export type CopiedColumn = { file: string; stored: string; toCopy(value: unknown): string }

type RestoreDayOptions = {
  pool: Pool
  store: ArchiveStore
  retention: Retention
  signal: AbortSignal
  onBytes: (bytes: number) => void
}

/** Copies the facts and the ids of a day in one transaction: a restore that is stopped goes on with the day after it. */
export async function restoreDay(day: DayManifest, options: RestoreDayOptions): Promise<{ facts: number }> {
  const { pool, store } = options
  const stored = await selectStoredColumns(pool, [...new Set(FACT_FILES.map(({ table }) => table))])
  const manifests = await readTables(store, day)
  for (let from = day.first_block; from <= day.last_block; from = partitionEnd(from) + 1) {
    await transact(pool, (tx) =>
      ensurePartitions(tx, from, Math.min(day.last_block, partitionEnd(from)), { bare: true }),
    )
  }
  return await transact(pool, async (tx) => {
    await tx`set local statement_timeout = 0`
    await tx`set local synchronous_commit = off`
    let facts = 0
    for (const { name, table } of FACT_FILES) {
      const columns = factColumns(stored, table)
      facts += await copyTable(tx, manifests.get(name), { table, columns, ...options })
    }
    for (const ids of ID_COPIES) {
      await tx.unsafe(`create temporary table restored (like ${ids.table}) on commit drop`)
      await tx.unsafe('alter table restored alter column checksum drop not null')
      await copyTable(tx, manifests.get(ids.table), { ...ids, ...options, table: 'restored' })
      await tx.unsafe(`insert into ${ids.table} (${ids.columns.map(({ stored }) => stored).join(', ')}, checksum)
        select ${ids.columns.map(({ stored }) => stored).join(', ')}, ${checksumSql('id', ids.name)} from restored
        on conflict (id) do ${ids.onConflict}`)
      await tx.unsafe('drop table restored')
    }
    await restoreTicks(tx, manifests.get('ticks'), store)
    await restoreRecord(tx, day, { manifests, ...options })
    await finishDay(tx, day, store)
    return { facts }
  })
}

export async function readTables(store: ArchiveStore, day: DayManifest): Promise<Map<string, TableManifest>> {
  const manifests = new Map<string, TableManifest>()
  for (const { table, manifest: path } of day.tables) {
    const manifest = await readTableManifest(store, path)
    if (manifest === undefined) throw new OperatorError(`${store.location}/${path} is missing.`)
    manifests.set(table, manifest)
  }
  return manifests
}

function factColumns(stored: readonly StoredColumn[], table: string): CopiedColumn[] {
  return shownFacts(stored, table).map(({ stored: { name, type }, columns: [column] }) => {
    if (column === undefined) throw new Error(`${table}.${name} is not in the archive`)
    const toCopy = copyValueOf(column.type, column.isList === true, type)
    return { file: column.name, stored: name, toCopy }
  })
}

const plain = (file: string, stored: string): CopiedColumn => ({
  file,
  stored,
  toCopy: copyValueOf('integer', false, 'integer'),
})
const bytes = (file: string, stored: string): CopiedColumn => ({
  file,
  stored,
  toCopy: copyValueOf('bytes', false, 'bytea'),
})

/** An id is in the file of the day that named it first; a backfill may have found an earlier one later. */
const KEEP = 'nothing'
/** `name`: the column of the natural id. */
const ID_COPIES = [
  {
    table: 'conditions',
    name: 'condition',
    columns: [
      plain('condition_key', 'id'),
      bytes('condition_bytes', 'condition'),
      plain('since_seq', 'since'),
    ],
    onConflict: KEEP,
  },
  {
    table: 'wallets',
    name: 'address',
    columns: [plain('wallet_key', 'id'), bytes('wallet_bytes', 'address'), plain('since_seq', 'since')],
    onConflict: KEEP,
  },
  {
    table: 'builders',
    name: 'code',
    columns: [plain('builder_key', 'id'), bytes('builder_bytes', 'code'), plain('since_seq', 'since')],
    onConflict: KEEP,
  },
  {
    table: 'tokens',
    name: 'token',
    columns: [
      plain('token_key', 'id'),
      bytes('token_bytes', 'token'),
      plain('since_seq', 'since'),
      plain('condition_key', 'condition'),
      plain('outcome', 'outcome'),
      plain('stated_in', 'stated_in'),
    ],
    onConflict: `update set (condition, outcome, stated_in) = (excluded.condition, excluded.outcome, excluded.stated_in)
                  where tokens.condition is null`,
  },
]

type CopyOptions = Pick<RestoreDayOptions, 'store' | 'signal'> & {
  onBytes?: ((bytes: number) => void) | undefined
  table: string
  columns: readonly CopiedColumn[]
}

/** Returns how many rows there were. */
export async function copyTable(
  tx: Sql,
  manifest: TableManifest | undefined,
  { table, columns, ...read }: CopyOptions,
): Promise<number> {
  const names = columns.map(({ file }) => file)
  const stored = columns.map((column) => column.stored)
  let copied = 0
  for await (const group of readTable(manifest, names, read)) {
    const values = columns.map(({ file, toCopy }) => ({ values: group.columns.get(file) ?? [], toCopy }))
    const lines = function* () {
      for (let row = 0; row < group.rows; row++) {
        yield `${values.map((column) => column.toCopy(column.values[row])).join('\t')}\n`
      }
    }
    await copyLines(tx, table, stored, lines())
    copied += group.rows
  }
  return copied
}

async function finishDay(tx: Sql, day: DayManifest, store: ArchiveStore): Promise<void> {
  const range = { fromBlock: day.first_block, toBlock: day.last_block }
  await insertDigests(tx, range)
  const [row] = await tx<{ digest: bigint | null }[]>`
    select bit_xor(digest) as digest from fact_digests
     where block between ${range.fromBlock} and ${range.toBlock}`
  if (String(row?.digest ?? 0n) !== day.digest) {
    throw new OperatorError(
      `The facts of ${day.day} in ${store.location} are not those of the database that was archived.`,
    )
  }
  for (const [fromBlock, toBlock] of day.coverage) await addCoverage(tx, { fromBlock, toBlock })
}
