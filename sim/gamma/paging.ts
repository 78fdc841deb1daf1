import { compareKeys, type Order, type Row } from './ordering.js'
import { askedInt } from './parameters.js'
import { invalid } from './refusal.js'

const LIMIT_DEFAULT = 20

/** More than the most is not refused: it is cut down. */
export function offsetPage<Item>(
  items: readonly Item[],
  query: URLSearchParams,
  limitMax: number,
): Item[] {
  const limit = Math.min(askedInt(query, 'limit') ?? LIMIT_DEFAULT, limitMax)
  const offset = askedInt(query, 'offset') ?? 0
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
  const limit = Math.min(Math.max(askedInt(query, 'limit') ?? LIMIT_DEFAULT, 1), limitMax)
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
