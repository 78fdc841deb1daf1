import { readFlag, readInt, readList, readNumber } from '../server/query.js'
import { invalid } from './refusal.js'

/** A whole number, 0 or more. `undefined`: the parameter is absent. */
export function parseIntParameter(query: URLSearchParams, key: string): number | undefined {
  const value = readInt(query, key)
  if (value !== undefined && !(value >= 0)) throw invalid(`${key} is invalid`)
  return value
}

export function parseNumberParameter(query: URLSearchParams, key: string): number | undefined {
  const value = readNumber(query, key)
  if (Number.isNaN(value)) throw invalid(`${key} is invalid`)
  return value
}

export function parseFlagParameter(query: URLSearchParams, key: string): boolean | undefined {
  const value = readFlag(query, key)
  if (value === undefined && query.get(key)) throw invalid(`${key} is invalid`)
  return value
}

/** At most `max` values. */
export function parseListParameter(query: URLSearchParams, key: string, max: number): string[] {
  const values = readList(query, key)
  if (values.length > max) throw invalid(`too many ${key}`)
  return values
}

/** Ids are numbers in questions and texts in answers. */
export function parseIdsParameter(query: URLSearchParams, key: string): string[] {
  const ids = readList(query, key)
  if (!ids.every((id) => /^\d+$/.test(id))) throw invalid(`${key} is invalid`)
  return ids
}

/** A date-time or a plain date, as Unix milliseconds. */
export function parseDateParameter(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key)
  if (!text) return undefined
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw invalid(`${key} is invalid`)
  return atMs
}
