import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer'
import type { TObject, TSchema } from 'typebox'

/** A column of a Parquet file. What has no type of its own there is text, as in a cell of CSV. */
export type ParquetColumn = {
  name: string
  type: 'STRING' | 'INT64' | 'DOUBLE' | 'BOOLEAN'
  /** Whether some rows may lack a value. */
  isNullable: boolean
}

/** The columns of rows of these kinds. A value that only some of the kinds have may be null. */
export function parquetColumnsOf(kinds: readonly TObject[]): ParquetColumn[] {
  const names = new Set(kinds.flatMap(({ properties }) => Object.keys(properties)))
  return [...names].map((name) => {
    const schemas = kinds.flatMap(({ properties }) => properties[name] ?? [])
    const types = new Set(schemas.flatMap(typesOf))
    const isRequired = kinds.every(
      ({ properties, required }) => name in properties && required?.includes(name),
    )
    const isNullable = types.delete('null') || !isRequired
    return { name, type: columnTypeOf([...types]), isNullable }
  })
}

/** The JSON types of the values that a schema allows. */
function typesOf(schema: TSchema): string[] {
  const { type, anyOf } = schema as { type?: string; anyOf?: TSchema[] }
  if (anyOf !== undefined) return anyOf.flatMap(typesOf)
  return [type ?? 'any']
}

/** Several types in one column are text. */
function columnTypeOf(types: readonly string[]): ParquetColumn['type'] {
  if (types.length === 0) return 'STRING'
  if (types.every((type) => type === 'integer')) return 'INT64'
  if (types.every((type) => type === 'integer' || type === 'number')) return 'DOUBLE'
  return types.every((type) => type === 'boolean') ? 'BOOLEAN' : 'STRING'
}

/** A value as text: objects and lists are JSON. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

/**
 * Statistics help readers of large row groups alone, and the connection compresses: without both a file
 * takes a third of the time.
 */
export const PARQUET_OPTIONS = { codec: 'UNCOMPRESSED', statistics: false } as const

/** A whole file. Its rows are in memory, so there should not be many. */
export const writeParquet = (columns: readonly ParquetColumn[], rows: readonly object[]): Buffer =>
  Buffer.from(
    parquetWriteBuffer({ columnData: toParquetColumns(columns, rows), ...PARQUET_OPTIONS }),
  )

/** Rows turned into columns. */
export const toParquetColumns = (
  columns: readonly ParquetColumn[],
  rows: readonly object[],
): ColumnSource[] =>
  columns.map(({ name, type, isNullable }) => {
    const data = rows.map((row) => toValue((row as Record<string, unknown>)[name], type))
    // An answer that lacks a value all the same is better than none, as in the other formats.
    return { name, type, nullable: isNullable || data.includes(null), data }
  })

function toValue(value: unknown, type: ParquetColumn['type']): unknown {
  if (value === null || value === undefined) return null
  if (type === 'INT64') return BigInt(value as number)
  return type === 'STRING' ? textOfValue(value) : value
}
