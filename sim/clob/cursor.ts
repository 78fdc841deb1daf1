import { Refusal } from './refusal.js'

/** The base64 of 0 and of -1. */
const FIRST_CURSOR = 'MA=='
export const END_CURSOR = 'LTE='

/** Pages of the exchange end with a cursor of their own, never without one. */
export type CursorPage = { limit: number; count: number; next_cursor: string; data: object[] }

/** The number in a cursor; 0 when there is none. */
export function readCursor(cursor: string | null): number {
  const text = Buffer.from(cursor || FIRST_CURSOR, 'base64').toString()
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(400, 'Invalid next_cursor')
  return Number(text)
}

export const showCursor = (value: number): string => Buffer.from(String(value)).toString('base64')

/** One page of a list whose cursors count its items. */
export function pageOf<Item>(
  items: readonly Item[],
  cursor: string | null,
  limit: number,
  present: (item: Item) => object,
): CursorPage {
  const start = cursor === END_CURSOR ? items.length : readCursor(cursor)
  const end = start + limit
  const data = items.slice(start, end).map(present)
  const next_cursor = end < items.length ? showCursor(end) : END_CURSOR
  return { limit, count: data.length, next_cursor, data }
}
