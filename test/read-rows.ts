import { parquetMetadata, parquetReadObjects } from 'hyparquet'

/** Readers of row formats that share no code with what writes them. */

/** RFC 4180, by the letter. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    lines.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}

/** The rows of a Parquet file. Integers become numbers. */
export async function readParquet(bytes: Buffer): Promise<Record<string, unknown>[]> {
  const rows = await parquetReadObjects({ file: toArrayBuffer(bytes) })
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? Number(value) : value,
      ]),
    ),
  )
}

/** What a Parquet file says of its columns. */
export const parquetColumns = (bytes: Buffer) => parquetMetadata(toArrayBuffer(bytes)).schema

const toArrayBuffer = ({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
