import { parseFields } from '../server/json.js'
import { type FeedPosition, type Positioned, takePage } from './feed.js'
import { BadRequest, readLimit } from './query.js'

type Envelope = {
  data: readonly unknown[]
  pagination: { limit: number; offset: number; has_more: boolean; next_cursor: string | null }
}

/** A cursor is opaque to clients. It says of which list it is, where to go on, and with what page size. */
type Cursor = { list: string; limit: number; at: number | FeedPosition; query: string }

type PageRule = { list: string; usual: number; max: number }

/** A list, or something that computes the part of one that is asked for. */
export type Rows = { readonly length: number; slice(from: number, to: number): readonly unknown[] }

/**
 * A page of a list whose length is known. The cursor binds the query: going on needs nothing
 * else, and asking for something else is an error.
 */
export function pageOfList(
  rule: PageRule,
  query: URLSearchParams,
  listRows: (query: URLSearchParams) => Rows,
): Envelope {
  const cursor = readCursor(rule, query)
  if (cursor !== undefined && typeof cursor.at !== 'number') throw new BadRequest('invalid cursor')
  const bound = cursor === undefined ? query : bind(query, new URLSearchParams(cursor.query))
  const limit = cursor?.limit ?? readPageSize(query, rule)
  const offset = typeof cursor?.at === 'number' ? cursor.at : 0
  const rows = listRows(bound)
  const data = rows.slice(offset, offset + limit)
  const isLast = offset + data.length >= rows.length
  const next = { list: rule.list, limit, at: offset + data.length, query: showQuery(bound) }
  return envelope(data, limit, isLast ? undefined : next)
}

/** A page of a feed, which stays in step while new rows arrive. The cursor holds the position alone. */
export function pageOfFeed<Row>(
  rule: PageRule,
  query: URLSearchParams,
  scan: (after: FeedPosition | undefined) => Iterable<Positioned<Row>>,
  show: (row: Row) => object,
): Envelope {
  const cursor = readCursor(rule, query)
  if (typeof cursor?.at === 'number') throw new BadRequest('invalid cursor')
  const limit = cursor?.limit ?? readPageSize(query, rule)
  const { page, hasMore } = takePage(scan(cursor?.at), 0, limit)
  const last = page.at(-1)
  const next =
    hasMore && last !== undefined ? { list: rule.list, limit, at: last.position, query: '' } : undefined
  return envelope(
    page.map(({ row }) => show(row)),
    limit,
    next,
  )
}

const envelope = (data: readonly unknown[], limit: number, next: Cursor | undefined): Envelope => ({
  data,
  pagination: {
    limit,
    offset: 0,
    has_more: next !== undefined,
    next_cursor: next === undefined ? null : Buffer.from(JSON.stringify(next)).toString('base64url'),
  },
})

function readPageSize(query: URLSearchParams, { usual, max }: PageRule): number {
  const limit = readLimit(query, usual, max)
  if (limit === 0) throw new BadRequest("invalid query param 'limit'")
  return limit
}

/** Clients may send anything as a cursor; what is not one of ours is refused. */
function readCursor({ list, max }: PageRule, query: URLSearchParams): Cursor | undefined {
  const text = query.get('cursor')
  if (text === null || text === '') return undefined
  const fields = parseFields(Buffer.from(text, 'base64url').toString())
  const { limit, at, query: bound } = fields ?? {}
  const isOurs = fields?.list === list && typeof bound === 'string'
  if (isOurs && isCount(limit) && limit > 0 && limit <= max && (isCount(at) || isFeedPosition(at))) {
    return { list, limit, at, query: bound }
  }
  throw new BadRequest('invalid cursor')
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const isFeedPosition = (value: unknown): value is FeedPosition =>
  Array.isArray(value) && value.length === 3 && value.every(isCount)

function bind(query: URLSearchParams, bound: URLSearchParams): URLSearchParams {
  for (const [key, value] of query) {
    if (key !== 'cursor' && key !== 'limit' && bound.get(key) !== value) {
      throw new BadRequest(`cursor was made for another '${key}'`)
    }
  }
  return bound
}

function showQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams(query)
  kept.delete('cursor')
  kept.delete('limit')
  return kept.toString()
}
