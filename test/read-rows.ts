import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'

/** Readers of row formats that share no code with what writes them. */

/** RFC 4180, by the letter. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'))
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}

/** The rows of a Parquet file. Integers and decimals become numbers, times Unix seconds. */
export async function readParquet(bytes: Buffer): Promise<Record<string, unknown>[]> {
  const rows = await parquetReadObjects({ file: toArrayBuffer(bytes) })
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (value instanceof Date) return [name, value.getTime() / 1000]
        return [name, typeof value === 'bigint' ? Number(value) : value]
      }),
    ),
  )
}

/** The rows of a Parquet file as DuckDB reads them, and the types of its columns. */
export async function readWithDuckdb(bytes: Buffer) {
  const folder = await mkdtemp(join(tmpdir(), 'auspex-parquet-'))
  const path = join(folder, 'rows.parquet')
  await writeFile(path, bytes)
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    const reader = await connection.runAndReadAll(`select * from '${path}'`)
    const types = reader.columnTypes().map(String)
    return {
      types: Object.fromEntries(reader.columnNames().map((name, at) => [name, types[at] ?? ''])),
      rows: reader.getRowObjects() as Record<string, unknown>[],
    }
  } finally {
    connection.closeSync()
    instance.closeSync()
    await rm(folder, { recursive: true })
  }
}

/** A value of JSON as DuckDB reads it back from a column of this type, both as text. */
export function asDuckdbText(value: unknown, type: string): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'object') return JSON.stringify(value)
  if (type.startsWith('DECIMAL')) return sixDecimals(value as number | string)
  if (type === 'TIMESTAMP WITH TIME ZONE') return `${unixMs(String(value)) * 1000}`
  return String(value)
}

/** What stands in a row of `readWithDuckdb`, as text; times are Unix microseconds. */
export function duckdbText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const { micros } = value as { micros?: bigint }
  return String(micros ?? value)
}

const sixDecimals = (value: number | string): string => {
  if (typeof value === 'number') return value.toFixed(6)
  const [whole, decimals = ''] = value.split('.')
  return `${whole}.${decimals.padEnd(6, '0')}`
}

function unixMs(text: string): number {
  if (/^\d{10}$/.test(text)) return Number(text) * 1000
  if (/^\d{13}$/.test(text)) return Number(text)
  const [day, time = ''] = text.split(/[ T]/)
  return Date.parse(`${day}T${time.slice(0, 8)}Z`) + Number(/\.(\d{3})/.exec(time)?.[1] ?? 0)
}

/** The type that a value of JSON must have in Parquet, where the value alone shows it. */
export function shownType(name: string, value: unknown): string | undefined {
  const text = String(value)
  if (/^0x[0-9a-f]+$/.test(text) || /^\d{30,}$/.test(text)) return 'VARCHAR'
  if (typeof value === 'number' && !Number.isInteger(value)) return 'DECIMAL(18,6)'
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  if (/^-?\d+\.\d+$/.test(text)) return 'DECIMAL(18,6)'
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:/.test(text)) return 'TIMESTAMP WITH TIME ZONE'
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return 'DATE'
  const isNamedTime = /(^|_)(at|ts|timestamp|fill|activity)$/.test(name)
  return isNamedTime && /^(\d{10}|\d{13})$/.test(text) ? 'TIMESTAMP WITH TIME ZONE' : undefined
}

/** What a Parquet file says of its columns. */
export const parquetColumns = (bytes: Buffer) => parquetMetadataOf(bytes).schema

export const parquetMetadataOf = (bytes: Buffer) => parquetMetadata(toArrayBuffer(bytes))

const toArrayBuffer = ({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer =>
  buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
