import type { Tally } from './finding.js'

/** How rows of one kind are told apart and compared. */
export type Comparison<Row> = {
  keys: readonly (keyof Row & string)[]
  values: readonly (keyof Row & string)[]
}

type Cell = number | bigint | string

/** Both must have the same rows with the same values: each difference of a row counts once. */
export function compareRows<Row extends Record<string, Cell>>(
  { keys, values }: Comparison<Row>,
  stored: Iterable<Row>,
  derived: Iterable<Row>,
  tally: Tally,
): void {
  const keyOf = (row: Row) => keys.map((key) => row[key]).join()
  const idsOf = (row: Row) => Object.fromEntries(keys.map((key) => [key, Number(row[key])]))
  const open = new Map<string, Row>()
  for (const row of derived) open.set(keyOf(row), row)
  for (const row of stored) {
    const key = keyOf(row)
    const twin = open.get(key)
    open.delete(key)
    tally.rows++
    const what = twin === undefined ? SURPLUS : describeChanges(values, row, twin)
    if (what !== '') tally.add({ keys: idsOf(row), what })
  }
  for (const row of open.values()) tally.add({ keys: idsOf(row), what: MISSING })
}

export const SURPLUS = 'is stored, and no fact accounts for it'
export const MISSING = 'is not stored, and the facts say that there is one'

export const describeChange = (column: string, stored: Cell, derived: Cell): string =>
  `${column} is stored as ${stored}, and the facts give ${derived}`

function describeChanges<Row extends Record<string, Cell>>(
  values: Comparison<Row>['values'],
  stored: Row,
  derived: Row,
): string {
  const changes: string[] = []
  for (const value of values) {
    const [left = 0, right = 0] = [stored[value], derived[value]]
    if (left !== right) changes.push(describeChange(value, left, right))
  }
  return changes.join('; ')
}
