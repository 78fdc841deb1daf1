import type { CursorPage } from '../transport/paging.js'
import {
  arrayOf,
  ParseError,
  type Parser,
  parseArray,
  parseFields,
  parseString,
  refuseValue,
} from '../transport/parse-json.js'

/** What could be parsed of a page. `faults` has the first fault of each entry that had one. */
export type SalvagedPage<T> = CursorPage<T> & { faults: string[] }

/** An entry with more faults than this is left out. */
const INVALID_FIELDS_MAX = 100

/** Parses a page of a keyset list. A field that its parser refuses is left out, or the smallest object that requires it. */
export function salvagePage<T>(key: string, parseItem: Parser<T>): Parser<SalvagedPage<T>> {
  return (value, path) => {
    const fields = parseFields(value, path)
    const { items, faults } = fields.required(key, salvageItems(parseItem))
    return { items, nextCursor: fields.required('next_cursor', parseCursor), faults }
  }
}

/** Like `salvagePage`, for a bare array. */
export const salvageList =
  <T>(parseItem: Parser<T>): Parser<T[]> =>
  (value, path) =>
    salvageItems(parseItem)(value, path).items

/** What could be parsed of a part of a list by position, which had this many entries. */
export type SalvagedSlice<T> = { items: T[]; faults: string[]; entryCount: number }

/** Parses a bare array, or the one under `data` that `/events/pagination` answers. */
export const salvageSlice =
  <T>(parseItem: Parser<T>): Parser<SalvagedSlice<T>> =>
  (value, path) => {
    const salvageAll = salvageItems(parseItem)
    if (Array.isArray(value)) return salvageAll(value, path)
    return parseFields(value, path).required('data', salvageAll)
  }

const salvageItems =
  <T>(parseItem: Parser<T>): Parser<SalvagedSlice<T>> =>
  (value, path) => {
    const faults: string[] = []
    const entries = parseArray(value, path, (item, at) => salvage(item, at, parseItem, faults))
    return { items: entries.flatMap((item) => item ?? []), faults, entryCount: entries.length }
  }

/** The entries of a page of a keyset list. Any field that its parser refuses spoils it. */
export const listOf =
  <T>(key: string, parseItem: Parser<T>): Parser<T[]> =>
  (value, path) =>
    parseFields(value, path).required(key, arrayOf(parseItem))

/** Absent or null on the last page. An empty one would end the list, or begin it again. */
function parseCursor(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined
  return parseString(value, path) || refuseValue(path, 'a cursor', value)
}

function salvage<T>(value: unknown, path: string, parse: Parser<T>, faults: string[]): T | undefined {
  let rest = value
  for (let fields = 0; fields < INVALID_FIELDS_MAX && rest !== undefined; fields++) {
    try {
      return parse(rest, path)
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      if (fields === 0) faults.push(error.message)
      rest = leaveOut(rest, stepsOf(error.path?.slice(path.length) ?? ''))
    }
  }
  return undefined
}

/** `.markets[3].endDate`: markets, 3, endDate. */
const stepsOf = (path: string): string[] => path.match(/[^.[\]]+/g) ?? []

/** A copy without the value at the end of the steps. `undefined`: that value is missing, so its owner is left out. */
function leaveOut(value: unknown, [step, ...further]: readonly string[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    const index = Number(step)
    const rest = leaveOut(value[index], further)
    return rest === undefined ? value.toSpliced(index, 1) : value.with(index, rest)
  }
  const inner: unknown = Reflect.get(value, step)
  return inner === undefined ? undefined : { ...value, [step]: leaveOut(inner, further) }
}
