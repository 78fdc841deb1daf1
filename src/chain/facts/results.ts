import type { Sql } from '../../store/connection.js'

/** What a condition pays by outcome, as told at this `seq`. */
export type Result = { seq: number; condition: number; payouts: readonly bigint[] }

/** A single token has earned the whole payout; only several have to share it by the result. */
export const needsPayouts = (tokens: readonly unknown[]): boolean => tokens.length >= 2

export class Results {
  readonly #byCondition = new Map<number, Result[]>()

  constructor(results: readonly Result[]) {
    for (const result of results) {
      const known = this.#byCondition.get(result.condition)
      if (known === undefined) this.#byCondition.set(result.condition, [result])
      else known.push(result)
    }
  }

  /** The last one before this `seq`; `undefined`: none is known. */
  before(condition: number, seq: number): readonly bigint[] | undefined {
    let last: Result | undefined
    for (const result of this.#byCondition.get(condition) ?? []) {
      if (result.seq < seq && result.seq > (last?.seq ?? -1)) last = result
    }
    return last?.payouts
  }
}

/** All results of these conditions. Index: resolutions_condition. */
export async function selectResults(sql: Sql, conditions: readonly number[]): Promise<Result[]> {
  const rows = await sql<{ seq: number; condition: number; payouts: string[] }[]>`
    select seq::float8, condition, payouts
      from resolutions
     where condition = any(${conditions}::integer[])
     order by seq`
  return rows.map(({ seq, condition, payouts }) => ({
    seq,
    condition,
    payouts: payouts.map(BigInt),
  }))
}
