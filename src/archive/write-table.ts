import type { Pool } from '../store/connection.js'
import type { ArchiveDay } from './days.js'
import {
  ARCHIVE_FORMAT,
  type FileEntry,
  folderOf,
  type TableManifest,
  tableManifestPath,
  writeManifest,
} from './manifest.js'
import { encodeFile, QueuedRows } from './parquet/encode-file.js'
import type { ArchiveStore } from './store/archive-store.js'
import type { ArchiveTable } from './tables/archive-table.js'
import { checkFile } from './verify-files.js'

/** Distributed engines read files of 100 to 500 MB best. */
const FILE_BYTES_MAX = 256_000_000

export type FileLimits = { bytesMax?: number | undefined; rowsPerGroup?: number | undefined }

type WriteOptions = {
  pool: Pool
  store: ArchiveStore
  schema: number
  /** Where the ledger begins. */
  ledgerFrom: number
  signal: AbortSignal
  limits: FileLimits
  onBytes: (bytes: number) => void
}

/**
 * Writes what a table has of a day: its files, each read back and compared, then the manifest. Files that an earlier
 * attempt has left are replaced, and those that it had more are removed.
 */
export async function writeTable(
  table: ArchiveTable,
  day: ArchiveDay,
  options: WriteOptions,
): Promise<TableManifest> {
  const { store, schema, ledgerFrom } = options
  const files = await writeFiles(table, day, options)
  const manifest: TableManifest = {
    format: ARCHIVE_FORMAT,
    table: table.name,
    day: day.day,
    schema,
    columns: table.columns.map(({ name, type, isList }) => ({ name, type: isList ? `${type}[]` : type })),
    rows: sumOf(files, 'rows'),
    bytes: sumOf(files, 'bytes'),
    first_block: day.fromBlock,
    last_block: day.toBlock,
    first_seq: day.fromSeq,
    last_seq: day.toSeq,
    ledger_from: ledgerOf(table, ledgerFrom),
    files,
  }
  const kept = new Set(files.map(({ path }) => path))
  for (const path of await store.list(folderOf(table.name, day.day))) {
    if (path.endsWith('.parquet') && !kept.has(path)) await store.remove(path)
  }
  await writeManifest(store, tableManifestPath(table.name, day.day), manifest)
  return manifest
}

/** Whether the files are there that would be written now. */
export const isWritten = (
  written: TableManifest,
  table: ArchiveTable,
  day: ArchiveDay,
  ledgerFrom: number,
): boolean =>
  written.first_seq <= day.fromSeq &&
  written.last_seq === day.toSeq &&
  written.ledger_from === ledgerOf(table, ledgerFrom)

const ledgerOf = ({ follows }: ArchiveTable, ledgerFrom: number): number | null =>
  follows === 'ledger' ? ledgerFrom : null

async function writeFiles(
  { name, columns, rowsPerGroup: ofTable, rows }: ArchiveTable,
  day: ArchiveDay,
  { pool, store, signal, limits, onBytes }: WriteOptions,
): Promise<FileEntry[]> {
  const { bytesMax = FILE_BYTES_MAX, rowsPerGroup = ofTable } = limits
  const source = new QueuedRows(rows(pool, day))
  const files: FileEntry[] = []
  try {
    while (await source.hasMore()) {
      signal.throwIfAborted()
      const path = `${folderOf(name, day.day)}/part-${String(files.length).padStart(4, '0')}.parquet`
      const encoded = encodeFile(columns, source, { bytesMax, rowsPerGroup })
      let file: Omit<FileEntry, 'path'> | undefined
      const chunks = async function* () {
        for (;;) {
          signal.throwIfAborted()
          const { done, value } = await encoded.next()
          if (done === true) {
            file = value
            return
          }
          onBytes(value.length)
          yield value
        }
      }
      await store.write(path, chunks())
      if (file === undefined) throw new Error(`${path} was not written to its end`)
      const entry = { path, ...file }
      await checkFile(store, entry)
      files.push(entry)
    }
  } finally {
    await source.close()
  }
  return files
}

const sumOf = (files: readonly FileEntry[], field: 'rows' | 'bytes'): number =>
  files.reduce((sum, file) => sum + file[field], 0)
