import { readList } from '../server/query.js'
import type { Universe } from '../universe/universe.js'
import { parseFlagParameter, parseIntParameter } from './parameters.js'
import { invalid } from './refusal.js'

const LIMIT_DEFAULT = 20

/** More than the most is not refused: it is cut down. */
export function offsetPage<Item>(items: readonly Item[], query: URLSearchParams, limitMax: number): Item[] {
  const limit = Math.min(parseIntParameter(query, 'limit') ?? LIMIT_DEFAULT, limitMax)
  const offset = parseIntParameter(query, 'offset') ?? 0
  return items.slice(offset, offset + limit)
}

/** The page after the cursor. `cursor`: where the next page goes on; none on the last page. */
export function keysetPage<Item>(
  rows: readonly Row<Item>[],
  query: URLSearchParams,
  order: Order,
  limitMax: number,
): { items: Item[]; cursor: string | undefined } {
  if (query.has('offset')) throw invalid('offset is not supported, use after_cursor')
  const limit = Math.min(Math.max(parseIntParameter(query, 'limit') ?? LIMIT_DEFAULT, 1), limitMax)
  const after = query.get('after_cursor')
  const start = after ? firstAfter(rows, readCursor(after, order), order) : 0
  const page = rows.slice(start, start + limit)
  const last = page.at(-1)
  const hasMore = start + limit < rows.length
  const cursor = hasMore && last !== undefined ? writeCursor(last.keys, order) : undefined
  return { items: page.map(({ item }) => item), cursor }
}

type Keys = Row<unknown>['keys']

function firstAfter(rows: readonly Row<unknown>[], keys: Keys, { ascending }: Order): number {
  const sign = ascending ? 1 : -1
  const index = rows.findIndex((row) => sign * compareKeys(row.keys, keys) > 0)
  return index === -1 ? rows.length : index
}

const describe = ({ names, ascending }: Order): string => `${names.join()} ${ascending}`

const writeCursor = (keys: Keys, order: Order): string =>
  Buffer.from(JSON.stringify([describe(order), ...keys])).toString('base64url')

/** A cursor goes with the order that it was made for. */
function readCursor(text: string, order: Order): Keys {
  const [described, ...keys] = parseList(Buffer.from(text, 'base64url').toString())
  if (described !== describe(order) || keys.length !== order.names.length + 1) {
    throw invalid('after_cursor is invalid')
  }
  return keys.map((key) => (typeof key === 'number' ? key : String(key)))
}

function parseList(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}

type Key = number | string

/** What a list can be ordered by, under the names that answers have. */
export type OrderFields<Item> = Record<string, (universe: Universe, item: Item) => Key>

/** An item with what it is ordered by; the id comes last and makes the order total. */
export type Row<Item> = { item: Item; keys: Key[] }

export type Order = { names: string[]; ascending: boolean }

/** Both `volume_24hr` and `volume24hr` name a field. Without `order` a list goes by id, upwards. */
export function readOrder<Item>(query: URLSearchParams, fields: OrderFields<Item>): Order {
  const names = readList(query, 'order').map(toCamelCase)
  if (!names.every((name) => Object.hasOwn(fields, name))) {
    throw invalid('order fields are not valid')
  }
  const ascending = parseFlagParameter(query, 'ascending') ?? true
  return { names, ascending: names.length === 0 || ascending }
}

export function orderRows<Item extends { id: string }>(
  universe: Universe,
  items: readonly Item[],
  fields: OrderFields<Item>,
  { names, ascending }: Order,
): Row<Item>[] {
  const rows = items.map((item) => {
    const keys = names.map((name) => fields[name]?.(universe, item) ?? 0)
    return { item, keys: [...keys, Number(item.id)] }
  })
  const sign = ascending ? 1 : -1
  return rows.sort((a, b) => sign * compareKeys(a.keys, b.keys))
}

export function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  for (let index = 0; index < a.length; index++) {
    const left = a[index] ?? 0
    const right = b[index] ?? 0
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

const toCamelCase = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
