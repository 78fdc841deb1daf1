import type { schemaFromColumnData } from 'hyparquet-writer'

/**
 * The types of columns in the files. `money`: decimal(38,6). `time`: a timestamp in UTC. Values are given as `store`
 * wants them: money as bigint millionths, times as bigint microseconds, bytes as buffers.
 */
export type ArchiveType =
  | 'integer'
  | 'bigint'
  | 'float'
  | 'boolean'
  | 'text'
  | 'bytes'
  | 'bytes20'
  | 'bytes32'
  | 'money'
  | 'time'
  | 'day'

export type ArchiveColumn = {
  name: string
  type: ArchiveType
  isList?: boolean | undefined
  isNullable?: boolean | undefined
}

export type SchemaElement = ReturnType<typeof schemaFromColumnData>[number]

const MONEY = { precision: 38, scale: 6 }

const ELEMENTS: Readonly<Record<ArchiveType, Omit<SchemaElement, 'name'>>> = {
  integer: { type: 'INT32' },
  bigint: { type: 'INT64' },
  float: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  bytes: { type: 'BYTE_ARRAY' },
  bytes20: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 20 },
  bytes32: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 32 },
  // More than 18 digits do not fit into the eight bytes of an INT64.
  money: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    ...MONEY,
    logical_type: { type: 'DECIMAL', ...MONEY },
  },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  day: { type: 'INT32', converted_type: 'DATE' },
}

export const schemaOf = (columns: readonly ArchiveColumn[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.flatMap(({ name, type, isList = false, isNullable = false }): SchemaElement[] => {
    const repetition_type = isNullable ? 'OPTIONAL' : 'REQUIRED'
    if (!isList) return [{ name, ...ELEMENTS[type], repetition_type }]
    return [
      { name, repetition_type, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', ...ELEMENTS[type], repetition_type: 'REQUIRED' },
    ]
  }),
]
