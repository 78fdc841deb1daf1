/**
 * Turns one JSON value of an upstream into a typed one, or throws ParseError. Parsers are tolerant:
 * they ignore fields that they do not map, and refuse a field of the wrong type with its path and
 * the value found there. `path` leads to the value from the root of the answer:
 * `markets[3].conditionId`.
 */
export type Parser<T> = (value: unknown, path: string) => T

export class ParseError extends Error {
  override name = 'ParseError'
  /** Where the refused value is; `undefined` when the fault is not in a single value. */
  readonly path: string | undefined

  constructor(message: string, path?: string) {
    super(message)
    this.path = path
  }
}

export type JsonObject = { readonly [key: string]: unknown }

const SHOWN_CHARACTERS_MAX = 80

export function refuseValue(path: string, expected: string, value: unknown): never {
  const shown = JSON.stringify(value)?.slice(0, SHOWN_CHARACTERS_MAX) ?? 'nothing'
  throw new ParseError(`${path} must be ${expected}, got ${shown}`, path)
}

export function parseObject(value: unknown, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  return refuseValue(path, 'an object', value)
}

export function parseArray<T>(value: unknown, path: string, parseItem: Parser<T>): T[] {
  if (!Array.isArray(value)) return refuseValue(path, 'an array', value)
  return value.map((item, index) => parseItem(item, `${path}[${index}]`))
}

export const arrayOf =
  <T>(parseItem: Parser<T>): Parser<T[]> =>
  (value, path) =>
    parseArray(value, path, parseItem)

export function parseString(value: unknown, path: string): string {
  return typeof value === 'string' ? value : refuseValue(path, 'a string', value)
}

const NUMBER = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i

/** A finite number, or a string that holds one: upstreams mix the two for the same field. */
export function parseNumber(value: unknown, path: string): number {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  return refuseValue(path, 'a number', value)
}

export function parseInteger(value: unknown, path: string): number {
  const number = parseNumber(value, path)
  return Number.isSafeInteger(number) ? number : refuseValue(path, 'an integer', value)
}

export function parseBoolean(value: unknown, path: string): boolean {
  return typeof value === 'boolean' ? value : refuseValue(path, 'true or false', value)
}

/** `undefined` for what is absent, null or an empty string: upstreams use all three for a missing value. */
export function parseOptional<T>(value: unknown, path: string, parse: Parser<T>): T | undefined {
  return isNothing(value) ? undefined : parse(value, path)
}

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === ''

/** JSON inside a JSON string, as in `"outcomes": "[\"Yes\", \"No\"]"`. A plain array is taken as it is. */
export function parseEncoded<T>(value: unknown, path: string, parse: Parser<T>): T {
  if (typeof value !== 'string') return parse(value, path)
  let decoded: unknown
  try {
    decoded = JSON.parse(value)
  } catch {
    return refuseValue(path, 'JSON in a string', value)
  }
  return parse(decoded, path)
}

/** An id, which one upstream sends as a number and another as a string. */
export function parseId(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value
  return Number.isSafeInteger(value) ? String(value) : refuseValue(path, 'an id', value)
}

const DECIMAL = /^(-?)(\d*)(\.\d+)?$/

/** A decimal as it was written, but `.48` is `0.48`; a JSON number is written out without an exponent. */
export function parseDecimal(value: unknown, path: string): string {
  const text = typeof value === 'number' ? writeOut(value) : value
  const [, sign, whole, fraction = ''] = DECIMAL.exec(typeof text === 'string' ? text : '') ?? []
  if (whole === undefined || whole + fraction === '') return refuseValue(path, 'a decimal', value)
  return `${sign}${whole || '0'}${fraction}`
}

/** A price or a size: a decimal that is not negative. */
export function parseAmount(value: unknown, path: string): string {
  const text = parseDecimal(value, path)
  return text.startsWith('-') ? refuseValue(path, 'zero or more', value) : text
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
export function parseTimeMs(value: unknown, path: string): number {
  const [, date, time = '00:00', zone = 'Z'] = TIME.exec(parseString(value, path)) ?? []
  const offset = zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  const ms = Date.parse(`${date}T${time}${offset}`)
  return Number.isNaN(ms) ? refuseValue(path, 'a time', value) : ms
}

const MICROSECONDS = /\.\d{3}(\d{1,3})/

/** Like `parseTimeMs`, but with the microseconds, which are a fraction of the milliseconds. */
export function parseFineTimeMs(value: unknown, path: string): number {
  const [, digits = '0'] = MICROSECONDS.exec(parseString(value, path)) ?? []
  return parseTimeMs(value, path) + Number(`0.${digits}`)
}

/** Takes the fields of an object apart, each under its own path. */
export const parseFields = (value: unknown, path: string) => new JsonFields(value, path)

export class JsonFields {
  readonly #object: JsonObject
  readonly #path: string

  constructor(value: unknown, path: string) {
    this.#object = parseObject(value, path)
    this.#path = path
  }

  /** A missing field is handed to `parse` as `undefined`, which most parsers refuse. */
  required<T>(name: string, parse: Parser<T>): T {
    return parse(this.#object[name], `${this.#path}.${name}`)
  }

  optional<T>(name: string, parse: Parser<T>): T | undefined {
    const value = this.#object[name]
    return isNothing(value) ? undefined : parse(value, `${this.#path}.${name}`)
  }

  /** An empty list when the field is missing. */
  list<T>(name: string, parse: Parser<T>): T[] {
    const value = this.#object[name]
    return isNothing(value) ? [] : parseArray(value, `${this.#path}.${name}`, parse)
  }

  /** The same without the entries that cannot be read. */
  readableList<T>(name: string, parse: Parser<T>): T[] {
    return this.list(name, readable(parse)).flatMap((item) => (item === undefined ? [] : [item]))
  }
}

/** Returns `undefined` where the parser throws a ParseError. */
export const readable =
  <T>(parse: Parser<T>): Parser<T | undefined> =>
  (value, path) => {
    try {
      return parse(value, path)
    } catch (error) {
      if (error instanceof ParseError) return undefined
      throw error
    }
  }
