import { formatCount } from '../lib/progress.js'
import type { Sql } from '../store/connection.js'
import { describeKeys } from './describe-keys.js'

/** What one check found. */
export type Finding = {
  check: string
  /** What was looked at, in words. */
  looked: string
  differences: number
  /** The first few differences, in words. */
  examples: readonly string[]
}

/** What is wrong, and the numbers of the row that it is wrong with (`wallet`, `token`, `hour`). */
type Difference = { keys: Record<string, number>; what: string }

export const EXAMPLES_MAX = 5

/** Counts the differences of one check and keeps the first few. */
export class Tally {
  /** Rows that were compared. */
  rows = 0
  #differences = 0
  readonly #examples: Difference[] = []

  /** `count`: of so many differences this is one. */
  add(difference: Difference, count = 1): void {
    this.#differences += count
    if (this.#examples.length < EXAMPLES_MAX) this.#examples.push(difference)
  }

  async toFinding(sql: Sql, check: string, looked: string): Promise<Finding> {
    const names = await describeKeys(
      sql,
      this.#examples.map(({ keys }) => keys),
    )
    const examples = this.#examples.map(({ what }, index) => `${names[index]}${what}`)
    return { check, looked, differences: this.#differences, examples }
  }
}

/** `1 wallet`, `1,000 wallets`. */
export const count = (number: number, what: string): string =>
  `${formatCount(number)} ${what}${number === 1 ? '' : 's'}`
