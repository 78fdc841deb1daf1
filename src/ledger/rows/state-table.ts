import type { NumberColumn } from '../../store/copy-numbers.js'

/** A table of the ledger's state. What is done with its rows is written once, for all tables. */
export type StateTable<Row extends StateRow> = TableShape & {
  /** The second key stays below it: both keys together make one exact number. */
  secondMax: number
  /** How many rows stay in memory for each position that does. */
  share: number
  /** The row as it starts. */
  make(first: number, second: number): Row
}

export type TableShape = {
  name: string
  /** Integer columns, named as the fields of the row. */
  keys: readonly [string] | readonly [string, string]
  /** The other columns. */
  values: readonly string[]
  /** So many values from the first one on are of type integer, the others bigint. */
  integers: number
  /** Keys, then values. */
  columns: readonly StateColumn[]
  /** The bigint columns that are numbers in code. */
  seqs?: readonly string[]
}

/** `field` is where the rows have it. */
export type StateColumn = NumberColumn & { field: string }

export type StateRow = Record<string, number | bigint>

/** Room for a second key in a number; the first has what is left of 53 bits. */
export const SECOND_MAX = { none: 1, token: 2 ** 27, wallet: 2 ** 26, hour: 2 ** 20 }

export const stateTable = <Row extends StateRow>(table: Omit<StateTable<Row>, 'columns'>) => ({
  ...table,
  columns: [
    ...table.keys.map((name) => toColumn(name, 4)),
    ...table.values.map((name, index) => toColumn(name, index < table.integers ? 4 : 8)),
  ],
})

const toColumn = (name: string, bytes: 4 | 8): StateColumn => ({
  name,
  bytes,
  field: name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
})
