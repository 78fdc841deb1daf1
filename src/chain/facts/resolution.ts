import { groupBy } from '../../lib/group-by.js'
import type { Sql } from '../../store/connection.js'
import { copyBytes } from '../../store/copy.js'
import { copyNumberList, type FactKind, type TimedOrigin } from './fact-kind.js'

/** A condition got its result. */
export type ResolutionFact = TimedOrigin & {
  condition: string
  payouts: readonly bigint[]
  /** The contract that reported it, and the question as its log names it; both are not stored. */
  reporter?: string | undefined
  question?: string | undefined
}

export const RESOLUTIONS: FactKind<ResolutionFact> = {
  rows: {
    table: 'resolutions',
    columns: ['seq', 'condition', 'payouts', 'tx_hash'],
    isSelectedInTransaction: true,
    toLine: ({ seq, condition, payouts, txHash }, ids) =>
      `${seq}\t${ids.condition(condition)}\t${copyNumberList(payouts)}\t${copyBytes(txHash)}\n`,
  },
  addReferences({ seq, condition }, ids, ordinal) {
    ids.conditions.add(condition, seq, ordinal)
  },
}

/** What a condition pays by outcome, as stated at this `seq`. */
type Result = { seq: number; condition: number; payouts: readonly bigint[] }

export class Results {
  readonly #byCondition: Map<number, Result[]>

  constructor(results: readonly Result[]) {
    this.#byCondition = groupBy(results, ({ condition }) => condition)
  }

  /** The last one before this `seq`; `undefined`: there is none. */
  before(condition: number, seq: number): readonly bigint[] | undefined {
    let last: Result | undefined
    for (const result of this.#byCondition.get(condition) ?? []) {
      if (result.seq < seq && result.seq > (last?.seq ?? -1)) last = result
    }
    return last?.payouts
  }
}

/** All results of these conditions, ascending by `seq`. Index: resolutions_condition. */
export async function selectResults(sql: Sql, conditions: ReadonlySet<number>): Promise<Result[]> {
  if (conditions.size === 0) return []
  const rows = await sql<{ seq: number; condition: number; payouts: string[] }[]>`
    select seq::float8, condition, payouts
      from resolutions
     where condition = any(${[...conditions]}::integer[])
     order by seq`
  return rows.map((row) => ({ ...row, payouts: row.payouts.map(BigInt) }))
}
