import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { compressSnappy } from '../../http/fast/snappy.js'
import { writeRowGroup } from '../../http/parquet.js'
import { type ArchiveColumn, schemaOf } from './column-types.js'

/** The values of a row, in the order of the columns. */
export type ArchiveRow = readonly unknown[]

/** One column of it takes some milliseconds to encode, and all of it is in memory. */
const ROWS_PER_GROUP = 50_000

/** What is known of a file when its last byte was given. */
export type EncodedFile = { rows: number; bytes: number; sha256: string }

/** Rows of which some become a file, the next ones another. */
export class QueuedRows {
  readonly #batches: AsyncIterator<readonly ArchiveRow[]>
  #rows: readonly ArchiveRow[] = []
  #isDone = false

  constructor(batches: AsyncIterable<readonly ArchiveRow[]>) {
    this.#batches = batches[Symbol.asyncIterator]()
  }

  /** Up to this many rows; fewer only at the end. */
  async take(count: number): Promise<readonly ArchiveRow[]> {
    while (this.#rows.length < count && !this.#isDone) {
      const { done, value } = await this.#batches.next()
      if (done === true) this.#isDone = true
      else this.#rows = this.#rows.concat(value)
    }
    const taken = this.#rows.slice(0, count)
    this.#rows = this.#rows.slice(count)
    return taken
  }

  async hasMore(): Promise<boolean> {
    const [first] = await this.take(1)
    if (first === undefined) return false
    this.#rows = [first, ...this.#rows]
    return true
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}

/**
 * The bytes of a Parquet file with the next rows of the source, until there are no more or the file has `bytesMax`.
 * Each row group has the least and the greatest value of every column. Returns what the file holds; the memory it
 * takes is that of one row group.
 */
export async function* encodeFile(
  columns: readonly ArchiveColumn[],
  source: QueuedRows,
  { bytesMax, rowsPerGroup = ROWS_PER_GROUP }: { bytesMax: number; rowsPerGroup?: number | undefined },
): AsyncGenerator<Uint8Array, EncodedFile> {
  const writer = new ByteWriter()
  const parquet = new ParquetWriter({
    writer,
    schema: schemaOf(columns),
    codec: 'SNAPPY',
    compressors: { SNAPPY: compressSnappy },
    statistics: true,
  })
  const hash = createHash('sha256')
  const takeBytes = (): Uint8Array => {
    const bytes = Buffer.from(writer.getBytes())
    writer.index = 0
    hash.update(bytes)
    return bytes
  }
  let rows = 0
  while (writer.offset < bytesMax) {
    const group = await source.take(rowsPerGroup)
    if (group.length === 0) break
    await writeRowGroup(parquet, columnsOf(columns, group), {
      rows: group.length,
      beginColumn: () => setImmediate(),
    })
    rows += group.length
    yield takeBytes()
  }
  parquet.finish()
  yield takeBytes()
  return { rows, bytes: writer.offset, sha256: hash.digest('hex') }
}

/** A generator: the values of one column are in memory while it is encoded. */
function* columnsOf(columns: readonly ArchiveColumn[], rows: readonly ArchiveRow[]) {
  for (const [index, { name }] of columns.entries()) {
    yield { name, data: rows.map((row) => row[index] ?? null) }
  }
}
