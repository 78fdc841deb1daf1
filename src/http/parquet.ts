import { ByteWriter, type ColumnSource, ParquetWriter, type schemaFromColumnData } from 'hyparquet-writer'
import type { TObject, TSchema } from 'typebox'
import { roundToMillionths } from '../core/money.js'
import { compressSnappy } from './fast/snappy.js'
import { type Meaning, meaningOf } from './row-fields.js'

type ColumnType = Meaning | 'text' | 'number' | 'boolean'

/** A column of a Parquet file. What has no type of its own there is text, as in a cell of CSV. */
export type ParquetColumn = {
  name: string
  type: ColumnType
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

type ValueType = ColumnType | 'null'

const JSON_TYPES: Record<string, ValueType> = {
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** The types of the values that a schema allows. */
function typesOf(schema: TSchema): ValueType[] {
  const { type, anyOf } = schema as { type?: string; anyOf?: TSchema[] }
  if (anyOf !== undefined) return anyOf.flatMap(typesOf)
  return [meaningOf(schema) ?? JSON_TYPES[type ?? ''] ?? 'text']
}

/** Several types in one column are text. */
function columnTypeOf(types: readonly ValueType[]): ColumnType {
  const [only = 'text'] = types
  if (types.length <= 1) return only === 'null' ? 'text' : only
  return types.every((type) => type === 'integer' || type === 'number') ? 'number' : 'text'
}

/** A value as text: objects and lists are JSON. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

type SchemaElement = ReturnType<typeof schemaFromColumnData>[number]

type Storage = {
  element: Omit<SchemaElement, 'name'>
  /** `null`: the type has no such value. */
  store: (value: unknown) => unknown
}

const DAY_MS = 86_400_000
const PRECISION = 18
const SCALE = 6
const DECIMAL_MAX = 10n ** BigInt(PRECISION)
const INT64_MAX = 2n ** 63n

const text: Storage = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  store: textOfValue,
}

const timestamp = (toMilliseconds: (value: unknown) => number): Storage => ({
  element: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  store: (value) => {
    const ms = toMilliseconds(value)
    return Number.isSafeInteger(ms) ? BigInt(ms) * 1_000n : null
  },
})

const STORAGE: Record<ColumnType, Storage> = {
  text,
  number: { element: { type: 'DOUBLE' }, store: (value) => value },
  boolean: { element: { type: 'BOOLEAN' }, store: (value) => value },
  integer: {
    element: { type: 'INT64' },
    store: (value) => unlessLarger(BigInt(value as number | string), INT64_MAX),
  },
  decimal: {
    element: {
      type: 'INT64',
      converted_type: 'DECIMAL',
      precision: PRECISION,
      scale: SCALE,
      logical_type: { type: 'DECIMAL', precision: PRECISION, scale: SCALE },
    },
    store: (value) => unlessLarger(toMillionths(value), DECIMAL_MAX),
  },
  seconds: timestamp((value) => Number(value) * 1_000),
  milliseconds: timestamp(Number),
  utc: timestamp((value) => parseUtc(String(value))),
  day: {
    element: { type: 'INT32', converted_type: 'DATE' },
    store: (value) => Date.parse(String(value)) / DAY_MS,
  },
}

const unlessLarger = (value: bigint | null, bound: bigint): bigint | null =>
  value !== null && value < bound && -value < bound ? value : null

/**
 * A bigint is in millionths already. The number nearest to a decimal gives this decimal back, up to eight
 * billion; a text is read digit by digit.
 */
function toMillionths(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  const digits = typeof value === 'number' ? value.toFixed(SCALE) : String(value)
  return /^-?\d+(\.\d+)?$/.test(digits) ? roundToMillionths(digits) : null
}

/** Unix milliseconds of `2026-01-31T12:00:00.000Z`, `2026-01-31 12:00:00+00` or `2026-01-31 12:00:00.000000`. */
const parseUtc = (time: string): number =>
  Date.parse(
    `${time
      .slice(0, 23)
      .replace(' ', 'T')
      .replace(/[+Z].*/, '')}Z`,
  )

/**
 * Snappy is what the writer brings along and every reader knows. Statistics help readers of large row groups
 * alone.
 */
export const PARQUET_OPTIONS = {
  codec: 'SNAPPY',
  compressors: { SNAPPY: compressSnappy },
  statistics: false,
} as const

/**
 * A whole file. Its rows are in memory, so there should not be many. `beginColumn` resolves when the next column may
 * be converted or encoded, each of which takes about half a millisecond for a thousand rows.
 */
export async function writeParquet(
  columns: readonly ParquetColumn[],
  rows: readonly object[],
  beginColumn: () => void | Promise<void>,
): Promise<Buffer> {
  const columnData: ColumnSource[] = []
  for (const column of columns) {
    await beginColumn()
    columnData.push(toParquetColumn(column, rows))
  }
  // An answer that lacks a value all the same is better than none, as in the other formats.
  const found = columns.map((column, index) => ({
    ...column,
    isNullable: column.isNullable || (columnData[index]?.data.includes(null as never) ?? false),
  }))
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({ writer: bytes, schema: parquetSchemaOf(found), ...PARQUET_OPTIONS })
  if (rows.length > 0) await writeRowGroup(writer, columnData, { rows: rows.length, beginColumn })
  writer.finish()
  return Buffer.from(bytes.getBytes())
}

/** The writer takes each column for a row group of its own; here they become one. */
export async function writeRowGroup(
  writer: ParquetWriter,
  columnData: Iterable<ColumnSource>,
  { rows, beginColumn }: { rows: number; beginColumn: () => void | Promise<void> },
): Promise<void> {
  const { row_groups: groups, num_rows: rowsBefore } = writer
  const groupsBefore = groups.length
  for (const column of columnData) {
    await beginColumn()
    writer.write({ columnData: [column], rowGroupSize: rows })
  }
  const written = groups.splice(groupsBefore)
  groups.push({
    columns: written.flatMap(({ columns }) => columns),
    total_byte_size: written.reduce((sum, group) => sum + group.total_byte_size, 0n),
    num_rows: BigInt(rows),
  })
  writer.num_rows = rowsBefore + BigInt(rows)
}

export const parquetSchemaOf = (columns: readonly ParquetColumn[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(
    ({ name, type, isNullable }): SchemaElement => ({
      name,
      ...STORAGE[type].element,
      repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED',
    }),
  ),
]

/** One value of each row. */
export function toParquetColumn({ name, type }: ParquetColumn, rows: readonly object[]): ColumnSource {
  const { store } = STORAGE[type]
  const data = rows.map((row) => {
    const value = (row as Record<string, unknown>)[name]
    return value === null || value === undefined ? null : store(value)
  })
  return { name, data }
}
