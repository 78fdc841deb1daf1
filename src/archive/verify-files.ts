import { createHash } from 'node:crypto'
import { parquetMetadataAsync } from 'hyparquet'
import { messageOf, OperatorError } from '../core/errors.js'
import type { FileEntry } from './manifest.js'
import type { ArchiveStore } from './store/archive-store.js'

/** Reads a file back. Throws when it is not what the manifest says: other bytes, or another number of rows. */
export async function checkFile(store: ArchiveStore, entry: FileEntry): Promise<void> {
  const problem = await findFileProblem(store, entry)
  if (problem !== undefined) throw new OperatorError(`${store.location}/${entry.path} ${problem}.`)
}

/** `undefined`: the file is what it should be. */
export async function findFileProblem(
  store: ArchiveStore,
  { path, rows, bytes, sha256 }: FileEntry,
): Promise<string | undefined> {
  const hash = createHash('sha256')
  let length = 0
  try {
    for await (const chunk of store.stream(path)) {
      hash.update(chunk)
      length += chunk.length
    }
    if (length !== bytes) return `has ${length} bytes instead of ${bytes}`
    if (hash.digest('hex') !== sha256) return 'has another checksum than its manifest says'
    const found = await countRows(store, path)
    return found === rows ? undefined : `has ${found} rows instead of ${rows}`
  } catch (error) {
    return `cannot be read: ${messageOf(error)}`
  }
}

async function countRows(store: ArchiveStore, path: string): Promise<number> {
  const file = await store.open(path)
  try {
    const { num_rows: rows } = await parquetMetadataAsync(file)
    return Number(rows)
  } finally {
    await file.close()
  }
}
