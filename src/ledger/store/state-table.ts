/** A table of the ledger's state. What is done with its rows is written once, for all tables. */
export type StateTable<Row extends StateRow> = TableShape & {
  /** The second key stays below it: both keys together make one exact number. */
  secondMax: number
  /** How many rows stay in memory for each position that does. */
  share: number
  /** The row as it starts. */
  make(first: number, second: number): Row
  /** A line of COPY: keys, then values. */
  toLine(row: Row): string
}

export type TableShape = {
  name: string
  /** Integer columns, named as the fields of the row. */
  keys: readonly [string] | readonly [string, string]
  /** The other columns, all of them integer or bigint, in the order of `toLine`. */
  values: readonly string[]
  /** The bigint columns that are numbers in code. */
  seqs?: readonly string[]
}

export type StateRow = Record<string, number | bigint>

/** Room for a second key in a number; the first has what is left of 53 bits. */
export const SECOND_MAX = { none: 1, token: 2 ** 27, wallet: 2 ** 26, hour: 2 ** 20 }
