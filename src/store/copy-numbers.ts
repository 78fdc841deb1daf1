import type { Sql } from './connection.js'
import { copyChunks } from './copy.js'

/** A column of type smallint, integer or bigint. */
export type NumberColumn = { name: string; bytes: 2 | 4 | 8 }

/**
 * Appends rows of nothing but numbers in the binary format of COPY, which takes neither side long to
 * write and to read. One at a time on a connection, like every COPY.
 */
export async function copyNumbers(
  tx: Sql,
  table: string,
  columns: readonly NumberColumn[],
  rows: Iterable<readonly (number | bigint)[]>,
): Promise<void> {
  const names = columns.map(({ name }) => name).join(', ')
  const statement = `copy ${table} (${names}) from stdin with (format binary)`
  await copyChunks(tx, statement, chunksOf(columns, rows))
}

const CHUNK_BYTES = 65_536
/** Signature, flags and the length of an extension that there is none of. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const TRAILER = Buffer.from([0xff, 0xff])
const COUNT_BYTES = 2
const LENGTH_BYTES = 4

function* chunksOf(
  columns: readonly NumberColumn[],
  rows: Iterable<readonly (number | bigint)[]>,
): Generator<Buffer> {
  const rowBytes = columns.reduce((sum, { bytes }) => sum + LENGTH_BYTES + bytes, COUNT_BYTES)
  yield HEADER
  let chunk = Buffer.alloc(CHUNK_BYTES)
  let view = new DataView(chunk.buffer, chunk.byteOffset, CHUNK_BYTES)
  let at = 0
  for (const row of rows) {
    if (at + rowBytes > CHUNK_BYTES) {
      yield chunk.subarray(0, at)
      chunk = Buffer.alloc(CHUNK_BYTES)
      view = new DataView(chunk.buffer, chunk.byteOffset, CHUNK_BYTES)
      at = 0
    }
    writeRow(view, at, columns, row)
    at += rowBytes
  }
  yield chunk.subarray(0, at)
  yield TRAILER
}

function writeRow(
  view: DataView,
  start: number,
  columns: readonly NumberColumn[],
  row: readonly (number | bigint)[],
): void {
  view.setInt16(start, columns.length)
  let at = start + COUNT_BYTES
  for (let index = 0; index < columns.length; index++) {
    const bytes = columns[index]?.bytes ?? 8
    view.setInt32(at, bytes)
    writeNumber(view, at + LENGTH_BYTES, bytes, row[index] ?? 0)
    at += LENGTH_BYTES + bytes
  }
}

function writeNumber(view: DataView, at: number, bytes: 2 | 4 | 8, value: number | bigint): void {
  if (typeof value === 'bigint') view.setBigInt64(at, value)
  else if (bytes === 2) view.setInt16(at, value)
  else if (bytes === 4) view.setInt32(at, value)
  else {
    view.setInt32(at, Math.floor(value / 2 ** 32))
    view.setInt32(at + 4, value)
  }
}
