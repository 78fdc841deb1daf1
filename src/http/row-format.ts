import { negotiate } from '@fastify/accept-negotiator'

/** A way to write the rows of a list. */
export type RowFormat = {
  mediaType: string
  contentType: string
  description: string
  /** What stands before the rows; `envelope` has the fields that identify the list. */
  begin(columns: readonly string[], envelope: object, name: string): string
  row(row: object, columns: readonly string[], isFirst: boolean): string
  /** What stands behind the rows; `echo` has the fields about the page. */
  end(echo: object): string
}

const json: RowFormat = {
  mediaType: 'application/json',
  contentType: 'application/json; charset=utf-8',
  description: 'the rows inside of an object, with fields about the page',
  begin: (_columns, envelope, name) => {
    const fields = JSON.stringify(envelope).slice(1, -1)
    return `{${fields}${fields === '' ? '' : ','}${JSON.stringify(name)}:[`
  },
  row: (row, _columns, isFirst) => (isFirst ? '' : ',') + JSON.stringify(row),
  end: (echo) => `],${JSON.stringify(echo).slice(1)}`,
}

/** RFC 4180. A list inside a cell is JSON. */
const csv: RowFormat = {
  mediaType: 'text/csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  description: 'a header line, then a line for each row',
  begin: (columns) => `${columns.join(',')}\r\n`,
  row: (row, columns) => {
    const values = row as Record<string, unknown>
    return `${columns.map((column) => toCell(values[column])).join(',')}\r\n`
  },
  end: () => '',
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const ndjson: RowFormat = {
  mediaType: 'application/x-ndjson',
  contentType: 'application/x-ndjson; charset=utf-8',
  description: 'a JSON object in each line',
  begin: () => '',
  row: (row) => `${JSON.stringify(row)}\n`,
  end: () => '',
}

export const ROW_FORMATS = { json, csv, ndjson }

export type RowFormatName = keyof typeof ROW_FORMATS

export const ROW_FORMAT_NAMES = Object.keys(ROW_FORMATS) as RowFormatName[]

const MEDIA_TYPES = ROW_FORMAT_NAMES.map((name) => ROW_FORMATS[name].mediaType)

/** What the parameter says, else what the header prefers, else JSON. */
export function chooseRowFormat(
  asked: RowFormatName | undefined,
  accept: string | undefined,
): RowFormatName {
  if (asked !== undefined) return asked
  if (accept === undefined) return 'json'
  const preferred = negotiate(accept, MEDIA_TYPES)
  return ROW_FORMAT_NAMES.find((name) => ROW_FORMATS[name].mediaType === preferred) ?? 'json'
}

const CHUNK_CHARACTERS = 16_384

/** The whole answer, in pieces. */
export function* renderRows(
  format: RowFormat,
  columns: readonly string[],
  parts: { name: string; envelope: object; rows: Iterable<object>; echo: object },
): Generator<string> {
  let text = format.begin(columns, parts.envelope, parts.name)
  let isFirst = true
  for (const row of parts.rows) {
    text += format.row(row, columns, isFirst)
    isFirst = false
    if (text.length < CHUNK_CHARACTERS) continue
    yield text
    text = ''
  }
  yield text + format.end(parts.echo)
}
