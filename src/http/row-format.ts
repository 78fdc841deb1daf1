import { Readable } from 'node:stream'
import { negotiate } from '@fastify/accept-negotiator'
import { type TObject, Type } from 'typebox'
import { parquetColumnsOf, textOfValue, writeParquet } from './parquet.js'

/** The parts of an answer with rows. */
export type RowParts = {
  /** The field of the rows. */
  name: string
  /** The kinds of the rows. */
  kinds: readonly TObject[]
  /** The fields that identify the list, before the rows. */
  envelope: object
  rows: readonly object[]
  /** The fields about the page, after the rows. */
  echo: object
}

type Rendered = string | Buffer | Readable

/** A way to write the rows of a list. */
export type RowFormat = {
  mediaType: string
  contentType: string
  description: string
  /** Of the answer in the OpenAPI document: its name, and `binary` where it is no text. */
  title?: string
  format?: 'binary'
  /** The whole answer. `admit`: waits until work that takes these milliseconds may begin. */
  render(parts: RowParts, admit: (ms: number) => void | Promise<void>): Rendered | Promise<Rendered>
}

// JSON is one text: sent in pieces it takes longer, and no page has more than 1,000 rows.
const json: RowFormat = {
  mediaType: 'application/json',
  contentType: 'application/json; charset=utf-8',
  description: 'the rows inside of an object, with fields about the page',
  render: ({ name, envelope, rows, echo }) => {
    const fields = JSON.stringify(envelope).slice(1, -1)
    const begin = `{${fields}${fields === '' ? '' : ','}${JSON.stringify(name)}:`
    return `${begin}${JSON.stringify(rows)},${JSON.stringify(echo).slice(1)}`
  },
}

/** RFC 4180. A list inside a cell is JSON; a text that would be a formula begins with an apostrophe. */
const csv: RowFormat = {
  mediaType: 'text/csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  description:
    'a header line, then a line for each row; what a spreadsheet would take for a formula has an apostrophe before it',
  title: 'CsvRows',
  render: ({ kinds, rows }) => {
    const columns = Object.keys(Object.assign({}, ...kinds.map(({ properties }) => properties)))
    const header = `${columns.join(',')}\r\n`
    return Readable.from(inChunks(header, rows, (row) => toCsvLine(columns, row)))
  },
}

export function toCsvLine(columns: readonly string[], row: object): string {
  const values = row as Record<string, unknown>
  return `${columns.map((column) => toCell(values[column])).join(',')}\r\n`
}

/** What a spreadsheet takes for the beginning of a formula, the wide forms of some keyboards included. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/**
 * Many texts are chosen by strangers, such as names of wallets and titles of markets. An apostrophe makes a
 * spreadsheet show what would be a formula. Numbers stay numbers, those that are written as text too.
 */
const withoutFormula = (text: string): string =>
  FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text

function toCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? withoutFormula(value) : textOfValue(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const ndjson: RowFormat = {
  mediaType: 'application/x-ndjson',
  contentType: 'application/x-ndjson; charset=utf-8',
  description: 'a JSON object in each line',
  title: 'NdjsonRows',
  render: ({ rows }) => Readable.from(inChunks('', rows, (row) => `${JSON.stringify(row)}\n`)),
}

/** How many values of Parquet are converted or encoded in a millisecond, about. */
const VALUES_PER_MS = 2_000

const parquet: RowFormat = {
  mediaType: 'application/vnd.apache.parquet',
  contentType: 'application/vnd.apache.parquet',
  description: 'an Apache Parquet file; objects and lists inside of a row are JSON text',
  title: 'ParquetFile',
  format: 'binary',
  render: ({ kinds, rows }, admit) =>
    writeParquet(parquetColumnsOf(kinds), rows, () => admit(rows.length / VALUES_PER_MS)),
}

export const ROW_FORMATS = { json, csv, ndjson, parquet }

export type RowFormatName = keyof typeof ROW_FORMATS

export const ROW_FORMAT_NAMES = Object.keys(ROW_FORMATS) as RowFormatName[]

const MEDIA_TYPES = ROW_FORMAT_NAMES.map((name) => ROW_FORMATS[name].mediaType)

/** What the parameter says, else what the header prefers, else JSON. */
export function chooseRowFormat(
  requested: RowFormatName | undefined,
  accept: string | undefined,
): RowFormatName {
  if (requested !== undefined) return requested
  if (accept === undefined) return 'json'
  const preferred = negotiate(accept, MEDIA_TYPES)
  return ROW_FORMAT_NAMES.find((name) => ROW_FORMATS[name].mediaType === preferred) ?? 'json'
}

/** A reply of the OpenAPI document, in all formats. `body`: the reply as JSON. */
export const describeRows = (summary: string, body: TObject) => ({
  description: summary,
  content: Object.fromEntries(
    Object.values<RowFormat>(ROW_FORMATS).map(({ mediaType, description, title, format }) => {
      const text = Type.String({
        ...(title !== undefined && { title }),
        ...(format !== undefined && { format }),
        description,
      })
      return [mediaType, { schema: mediaType === json.mediaType ? body : text }]
    }),
  ),
})

const CHUNK_CHARACTERS = 16_384

/** Lines of text, many in each piece. */
function* inChunks(
  header: string,
  rows: readonly object[],
  toLine: (row: object) => string,
): Generator<string> {
  let text = header
  for (const row of rows) {
    text += toLine(row)
    if (text.length < CHUNK_CHARACTERS) continue
    yield text
    text = ''
  }
  yield text
}
