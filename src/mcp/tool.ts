import type { Fields } from '../core/errors.js'
import type { ArgumentSchema } from './operations.js'

/** What a tool may be called with, once it is checked. */
export type Arguments = { readonly [name: string]: string | number | boolean | readonly string[] }

/** An argument that is a parameter of an operation of the API. */
type OfOperation = { operation: string; parameter: string }

/** What a model may call. Its arguments are parameters of operations of the API, and its answer is what they say. */
export type Tool = {
  name: string
  title: string
  description: string
  /** The operations that it asks, all of which read alone. */
  operations: readonly string[]
  arguments: { readonly [name: string]: OfOperation | ArgumentSchema }
  required?: readonly string[]
  /** Rows of an answer to a call without `limit`. */
  limit?: number
  /** What the numbers of the answer mean. */
  units: string
  run: (call: ToolCall) => Promise<ToolAnswer>
}

export type ToolCall = {
  args: Arguments
  /** One request of the caller. Throws a `ToolError` when the API refuses it. */
  ask: (operationId: string, values?: OperationValues) => Promise<Fields>
  watch: Watch
}

/** Values of parameters; those that are `undefined` are left out. */
export type OperationValues = { readonly [name: string]: Arguments[string] | undefined }

/** Live events of the caller, until there are enough or the time is over. */
export type Watch = (wanted: EventWatch) => Promise<WatchedEvents>

export type EventWatch = {
  type: string
  filters: Fields
  /** Events after this one; `undefined`: live events alone. */
  sinceSeq: number | undefined
  countMax: number
  timeoutMs: number
}

/** `seq`: of the last event, or where the stream stood at its beginning. */
export type WatchedEvents = {
  events: readonly Fields[]
  seq: number | undefined
  warnings: readonly string[]
}

/** What a tool found: some fields, and one list of which as many rows are shown as fit. */
export type ToolAnswer = {
  head: Fields
  /** The field of the rows. */
  name: string
  rows: readonly Fields[]
  /** The cursor after the first rows; null: nothing follows; `undefined`: it is known after a request for fewer rows. */
  next: (shown: number) => string | null | undefined
  /** Arguments that make the answer shorter. */
  narrowBy: readonly string[]
}

/** What went wrong and what to do next, in words for the model. */
export class ToolError extends Error {
  override name = 'ToolError'
  /** Of the answer of the API; `undefined`: the API was not called. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}

/** An argument that is the parameter of the same name, or of another. */
export const parameterOf = (operation: string, parameter: string): OfOperation => ({ operation, parameter })

/** Parameters of an operation under their own names. */
export const parametersOf = (operation: string, ...names: string[]): Tool['arguments'] =>
  Object.fromEntries(names.map((name) => [name, parameterOf(operation, name)]))

/** The answer of a list of the API. Its own cursors are those of the tool, so paging through the tool yields every row once. */
export function toListAnswer(
  body: Fields,
  { name, field = name, keep }: { name: string; field?: string; keep: readonly string[] },
): Pick<ToolAnswer, 'name' | 'rows' | 'next'> {
  const rows = fieldsOf(body[field]).map((row) => pick(row, keep))
  const after = typeof body.next_cursor === 'string' ? body.next_cursor : null
  return { name, rows, next: (shown) => (shown === rows.length ? after : undefined) }
}

/** Of answers that have no cursors of the API. */
export const CURSOR: ArgumentSchema = {
  type: 'string',
  description: '`next_cursor` of the answer before, with the same arguments',
}

const POSITION = /^row_(\d{1,6})$/

/** Where the rows of an answer without cursors of the API begin. */
export function positionOf({ cursor }: Arguments): number {
  if (cursor === undefined) return 0
  const [, digits] = POSITION.exec(String(cursor)) ?? []
  if (digits !== undefined) return Number(digits)
  throw new ToolError('Invalid cursor: send `next_cursor` of the answer before, or leave it out.')
}

/** The cursors of rows that are counted: `total` of them, the first one shown at `from`. */
export const nextPosition =
  (from: number, total: number): ToolAnswer['next'] =>
  (shown) =>
    from + shown < total ? `row_${from + shown}` : null

/** An answer whose rows the API gives all at once. */
export function toSlice(
  args: Arguments,
  name: string,
  all: readonly Fields[],
): Pick<ToolAnswer, 'name' | 'rows' | 'next'> {
  const from = positionOf(args)
  return { name, rows: all.slice(from), next: nextPosition(from, all.length) }
}

/** Longer texts are cut: ids and hashes are shorter. */
const TEXT_LENGTH_MAX = 120

/** The fields of a row that are worth their bytes. What is null is left out. */
export function pick(row: Fields, names: readonly string[]): Fields {
  const kept = names.flatMap((name): [string, unknown][] => {
    const value = row[name]
    if (value === undefined || value === null) return []
    return [[name, typeof value === 'string' ? cutText(value) : value]]
  })
  return Object.fromEntries(kept)
}

export const cutText = (text: string, lengthMax = TEXT_LENGTH_MAX): string =>
  text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text

/** The objects of a list; of anything else none. */
export const fieldsOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []

/** An argument as text; an absent one is empty. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
