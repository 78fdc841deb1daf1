import type { Tape } from '../attribute/tape.js'
import type { Names } from '../ids/names.js'

/** How one list of a tape becomes the rows of one table. */
export type FactTable = {
  table: string
  /** The first one is the place on the chain: `seq`, or the number of a block. */
  columns: readonly string[]
  /** What is booked later in the same transaction asks for its rows. */
  isAskedFor?: boolean
  /** `undefined`: the tape has none. */
  lines(tape: Tape, names: Names): Iterable<string> | undefined
}

type LineOf<Fact> = (fact: Fact, names: Names) => string

/** `lineOf` writes one row as COPY reads it, with its end. */
export function factTable<Fact>(
  table: string,
  columns: string,
  factsOf: (tape: Tape) => readonly Fact[],
  lineOf: LineOf<Fact>,
  { isAskedFor = false } = {},
): FactTable {
  return {
    table,
    isAskedFor,
    columns: columns.split(' '),
    lines: (tape, names) => {
      const facts = factsOf(tape)
      return facts.length === 0 ? undefined : linesOf(facts, names, lineOf)
    },
  }
}

function* linesOf<Fact>(
  facts: readonly Fact[],
  names: Names,
  lineOf: LineOf<Fact>,
): Generator<string> {
  for (const fact of facts) yield lineOf(fact, names)
}

/** An array of numbers as COPY reads it. */
export const copyNumbers = (values: readonly (number | bigint)[]): string => `{${values.join()}}`

export const copyTokens = (names: Names, words: readonly string[]): string =>
  copyNumbers(words.map((word) => names.token(word)))
