import { OperatorError } from '../core/errors.js'
import { type ArchiveStore, writeText } from './store/archive-store.js'

/** One file of a table. */
export type FileEntry = { path: string; rows: number; bytes: number; sha256: string }

/** What one table has of one day; written when its files are there and were read back. */
export type TableManifest = {
  format: number
  table: string
  day: string
  /** The number of the last migration of the database. */
  schema: number
  columns: { name: string; type: string }[]
  rows: number
  bytes: number
  first_block: number
  last_block: number
  first_seq: number
  last_seq: number
  /** Where the ledger began, for tables that follow from it: they are written again when it begins earlier. */
  ledger_from: number | null
  files: FileEntry[]
}

/** A day that is archived whole: the last thing that is written of it. */
export type DayManifest = {
  format: number
  dataset: string
  day: string
  schema: number
  first_block: number
  last_block: number
  /** The last block with facts, which is the head of a database that is restored from the archive. */
  head: { block: number; hash: string; time: number } | null
  /** The first block that was ever booked; see `chain_state`. */
  first_booked: { block: number; hash: string } | null
  ledger_from: number
  /** Ranges of blocks whose facts are in the files, both ends included. */
  coverage: [from: number, to: number][]
  /** Of all facts of the day: differs from that of the database when a repair has changed some. */
  digest: string
  tables: { table: string; rows: number; bytes: number; manifest: string }[]
}

export const ARCHIVE_FORMAT = 1

/** Readers of Parquet pass over names that begin with `_`. */
const DAYS = '_days'

export const folderOf = (table: string, day: string): string => `table=${table}/day=${day}`
export const tableManifestPath = (table: string, day: string): string =>
  `${folderOf(table, day)}/_manifest.json`
export const dayManifestPath = (day: string): string => `${DAYS}/${day}.json`

export const readTableManifest = (store: ArchiveStore, path: string): Promise<TableManifest | undefined> =>
  readManifest<TableManifest>(store, path)

export const readDayManifest = (store: ArchiveStore, day: string): Promise<DayManifest | undefined> =>
  readManifest<DayManifest>(store, dayManifestPath(day))

/** Every day that is archived whole, the oldest first. */
export async function readDays(store: ArchiveStore): Promise<DayManifest[]> {
  const days: DayManifest[] = []
  for (const path of await store.list(DAYS)) {
    const manifest = await readManifest<DayManifest>(store, path)
    if (manifest !== undefined) days.push(manifest)
  }
  return days
}

export const writeManifest = (
  store: ArchiveStore,
  path: string,
  manifest: TableManifest | DayManifest,
): Promise<void> => writeText(store, path, `${JSON.stringify(manifest, null, 2)}\n`)

async function readManifest<Manifest extends { format: number }>(
  store: ArchiveStore,
  path: string,
): Promise<Manifest | undefined> {
  const text = await store.read(path)
  if (text === undefined) return undefined
  const manifest = parse(text, `${store.location}/${path}`) as Manifest
  if (manifest.format === ARCHIVE_FORMAT) return manifest
  throw new OperatorError(
    `${store.location}/${path} is of format ${manifest.format}; this version of Auspex reads format ${ARCHIVE_FORMAT}.`,
  )
}

function parse(text: Buffer, path: string): unknown {
  try {
    return JSON.parse(text.toString('utf8'))
  } catch (cause) {
    throw new OperatorError(`${path} is no manifest of an archive: it is damaged.`, 1, { cause })
  }
}
