import type { Settled } from '../universe/tape.js'
import { txIndexOf } from './scope.js'

/** Where a row stands on the chain. Feeds run from the newest place to the oldest. */
export type Place = readonly [block: number, txIndex: number, row: number]

export type Placed<Row> = { place: Place; row: Row }

/**
 * The rows of what happened, newest first, after the given place if there is one. `rowsOf` gives
 * the rows of one transaction in the order of the feed.
 */
export function* walkFeed<Row>(
  settled: readonly Settled[],
  rowsOf: (settled: Settled) => readonly Row[],
  after?: Place,
): Generator<Placed<Row>> {
  const newest = after === undefined ? settled.length : countUntil(settled, after[0])
  for (let index = newest - 1; index >= 0; index--) {
    const entry = settled[index]
    if (entry === undefined) continue
    const rows = rowsOf(entry)
    if (rows.length === 0) continue
    const txIndex = txIndexOf(entry)
    for (const [number, row] of rows.entries()) {
      const place = [entry.block.number, txIndex, number] as const
      if (after === undefined || comesAfter(place, after)) yield { place, row }
    }
  }
}

/** Takes a page, and one row more to know whether there is another page. */
export function takePage<Row>(
  rows: Iterable<Row>,
  offset: number,
  limit: number,
): { page: Row[]; hasMore: boolean } {
  const page: Row[] = []
  let skipped = 0
  for (const row of rows) {
    if (skipped < offset) skipped += 1
    else if (page.length < limit) page.push(row)
    else return { page, hasMore: true }
  }
  return { page, hasMore: false }
}

/** Whether the feed reaches `place` later than `other`. */
function comesAfter(place: Place, other: Place): boolean {
  if (place[0] !== other[0]) return place[0] < other[0]
  if (place[1] !== other[1]) return place[1] < other[1]
  return place[2] > other[2]
}

/** How many entries stand in blocks up to that one. */
function countUntil(settled: readonly Settled[], block: number): number {
  let low = 0
  let high = settled.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((settled[middle]?.block.number ?? 0) <= block) low = middle + 1
    else high = middle
  }
  return low
}
