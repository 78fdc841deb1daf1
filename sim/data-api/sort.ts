type Direction = 'ASC' | 'DESC'

/** A sorted copy. Rows that are equal keep their order. */
export function sortBy<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => number | string,
  direction: Direction,
): Row[] {
  const sign = direction === 'ASC' ? 1 : -1
  return rows
    .map((row) => ({ row, key: keyOf(row) }))
    .sort((a, b) => sign * compare(a.key, b.key))
    .map(({ row }) => row)
}

/** By code points: what a locale would say depends on the machine. */
function compare(a: number | string, b: number | string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
