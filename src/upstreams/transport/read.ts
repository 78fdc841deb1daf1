/**
 * Tolerant readers of upstream JSON: fields that we do not know are ignored, a field of the wrong
 * type is refused with its path and the value that was there. `path` is what a person would write
 * to reach the value: `markets[3].conditionId`.
 */
export class ReadError extends Error {
  override name = 'ReadError'
  /** Where the value is that was refused; `undefined` when no single one is to blame. */
  readonly path: string | undefined

  constructor(message: string, path?: string) {
    super(message)
    this.path = path
  }
}

export type JsonObject = { readonly [key: string]: unknown }

const SHOWN_CHARACTERS_MAX = 80

export function refuse(path: string, expected: string, value: unknown): never {
  const shown = JSON.stringify(value)?.slice(0, SHOWN_CHARACTERS_MAX) ?? 'nothing'
  throw new ReadError(`${path} must be ${expected}, got ${shown}`, path)
}

export function readObject(value: unknown, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as JsonObject
  return refuse(path, 'an object', value)
}

export function readArray<T>(
  value: unknown,
  path: string,
  readItem: (item: unknown, path: string) => T,
): T[] {
  if (!Array.isArray(value)) return refuse(path, 'an array', value)
  return value.map((item, index) => readItem(item, `${path}[${index}]`))
}

export function readString(value: unknown, path: string): string {
  return typeof value === 'string' ? value : refuse(path, 'a string', value)
}

const NUMBER = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i

/** A finite number, or a string that holds one: upstreams mix the two for the same field. */
export function readNumber(value: unknown, path: string): number {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  return refuse(path, 'a number', value)
}

export function readInteger(value: unknown, path: string): number {
  const number = readNumber(value, path)
  return Number.isSafeInteger(number) ? number : refuse(path, 'an integer', value)
}

export function readBoolean(value: unknown, path: string): boolean {
  return typeof value === 'boolean' ? value : refuse(path, 'true or false', value)
}

/** `undefined` for what is absent, null or an empty string: the three ways in which upstreams say nothing. */
export function readOptional<T>(
  value: unknown,
  path: string,
  read: (value: unknown, path: string) => T,
): T | undefined {
  return isNothing(value) ? undefined : read(value, path)
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === ''

/** JSON inside a JSON string, as in `"outcomes": "[\"Yes\", \"No\"]"`. A plain array is taken as it is. */
export function readEncoded<T>(
  value: unknown,
  path: string,
  read: (value: unknown, path: string) => T,
): T {
  if (typeof value !== 'string') return read(value, path)
  let decoded: unknown
  try {
    decoded = JSON.parse(value)
  } catch {
    return refuse(path, 'JSON in a string', value)
  }
  return read(decoded, path)
}

/** An id, which one upstream sends as a number and another as a string. */
export function readId(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value
  return Number.isSafeInteger(value) ? String(value) : refuse(path, 'an id', value)
}

const DECIMAL = /^(-?)(\d*)(\.\d+)?$/

/** A decimal as it was written, but `.48` is `0.48`; a JSON number is written out without an exponent. */
export function readDecimal(value: unknown, path: string): string {
  const text = typeof value === 'number' ? writeOut(value) : value
  const [, sign, whole, fraction = ''] = DECIMAL.exec(typeof text === 'string' ? text : '') ?? []
  if (whole === undefined || whole + fraction === '') return refuse(path, 'a decimal', value)
  return `${sign}${whole || '0'}${fraction}`
}

/** A price or a size: a decimal that is not negative. */
export function readAmount(value: unknown, path: string): string {
  const text = readDecimal(value, path)
  return text.startsWith('-') ? refuse(path, 'zero or more', value) : text
}

function writeOut(number: number): string {
  const text = String(number)
  return text.includes('e-') ? number.toFixed(20).replace(/0+$/, '') : text
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d(?::?\d\d)?)?)?$/

/**
 * Unix milliseconds of a date or of a date with a time, as ISO writes it (`2026-03-03T09:05:07Z`) or
 * as PostgreSQL does (`2026-03-03 09:05:07+00`). Without a zone it is UTC.
 */
export function readTimeMs(value: unknown, path: string): number {
  const [, date, time = '00:00', zone = 'Z'] = TIME.exec(readString(value, path)) ?? []
  const offset =
    zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  const ms = Date.parse(`${date}T${time}${offset}`)
  return Number.isNaN(ms) ? refuse(path, 'a time', value) : ms
}

const MICROSECONDS = /\.\d{3}(\d{1,3})/

/** Like `readTimeMs`, but with the microseconds, which are a fraction of the milliseconds. */
export function readFineTimeMs(value: unknown, path: string): number {
  const [, digits = '0'] = MICROSECONDS.exec(readString(value, path)) ?? []
  return readTimeMs(value, path) + Number(`0.${digits}`)
}

type Read<T> = (value: unknown, path: string) => T

/** The fields of an object, each read under its own path. */
export const readFields = (value: unknown, path: string): Fields => new Fields(value, path)

export class Fields {
  readonly #object: JsonObject
  readonly #path: string

  constructor(value: unknown, path: string) {
    this.#object = readObject(value, path)
    this.#path = path
  }

  /** Throws when there is nothing, unless `read` takes that. */
  required<T>(name: string, read: Read<T>): T {
    return read(this.#object[name], `${this.#path}.${name}`)
  }

  optional<T>(name: string, read: Read<T>): T | undefined {
    const value = this.#object[name]
    return isNothing(value) ? undefined : read(value, `${this.#path}.${name}`)
  }

  /** An empty list when there is nothing. */
  list<T>(name: string, read: Read<T>): T[] {
    const value = this.#object[name]
    return isNothing(value) ? [] : readArray(value, `${this.#path}.${name}`, read)
  }
}
