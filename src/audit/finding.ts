import { FACT_TABLES } from '../chain/facts/registry.js'
import { byIdTable, ID_TABLES, type IdTable, selectNames } from '../chain/ids/queries.js'
import { toTokenId } from '../core/ids.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import { formatCount } from '../lib/progress.js'
import { formatTable } from '../lib/table.js'
import { joinFragments, type Sql } from '../store/connection.js'

/** What one check found. */
export type Finding = {
  check: string
  /** What was compared, in words. */
  coverage: string
  differences: number
  /** The first few differences, in words. */
  examples: readonly string[]
}

/**
 * What is wrong, and the row that it is wrong with: ids (`wallet`, `token`), a `seq` (which is
 * shown as block, log and transaction), other numbers (`hour`), and names that are shown as they are.
 */
export type Difference = { keys: Keys; what: string }

export const EXAMPLES_MAX = 5

/** Counts the differences of one check and keeps the first few. */
export class Tally {
  /** Rows that were compared. */
  rows = 0
  #differences = 0
  readonly #examples: Difference[] = []

  /** `count`: how many differences there are like this one. */
  add(difference: Difference, count = 1): void {
    this.#differences += count
    if (this.#examples.length < EXAMPLES_MAX) this.#examples.push(difference)
  }

  /** The first rows that differ, of `total`. */
  addRows<Row extends { total: number }>(rows: readonly Row[], describe: (row: Row) => Difference): void {
    for (const [index, row] of rows.entries()) {
      this.add(describe(row), index === rows.length - 1 ? row.total - index : 1)
    }
  }

  async toFinding(sql: Sql, check: string, coverage: string): Promise<Finding> {
    const names = await describeKeys(
      sql,
      this.#examples.map(({ keys }) => keys),
    )
    const examples = this.#examples.map(({ what }, index) => `${names[index]}${what}`)
    return { check, coverage, differences: this.#differences, examples }
  }
}

/** `1 wallet`, `1,000 wallets`. */
export const count = (number: number, what: string): string =>
  `${formatCount(number)} ${what}${number === 1 ? '' : 's'}`

export async function countRows(sql: Sql, table: string): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`select count(*)::integer as rows from ${sql(table)}`
  return row?.rows ?? 0
}

type Keys = Readonly<Record<string, number | string>>

/** The keys that are ids, by the tables that have them. */
export const KEY_NAMES: Readonly<Record<IdTable, string>> = {
  wallets: 'wallet',
  tokens: 'token',
  conditions: 'condition',
  builders: 'builder',
}

/** The keys of rows with natural ids: addresses, decimal token ids; each text ends with `: `. */
async function describeKeys(sql: Sql, rows: readonly Keys[]): Promise<string[]> {
  const logs = await selectLogs(sql, numbersOf(rows, 'seq'))
  const ids = byIdTable((table) => new Set(numbersOf(rows, KEY_NAMES[table])))
  const nameOf = await selectNames(sql, ids)
  const show = (key: string, value: number | string): string => {
    if (key === 'seq') return logs.get(Number(value)) ?? describeLog(Number(value))
    const table = ID_TABLES.find((each) => KEY_NAMES[each] === key)
    return `${key} ${table === undefined || typeof value === 'string' ? value : showName(table, nameOf(table, value))}`
  }
  return rows.map((keys) => {
    const texts = Object.entries(keys).map(([key, id]) => show(key, id))
    return texts.length === 0 ? '' : `${texts.join(', ')}: `
  })
}

/** A natural id as the API has it: tokens are decimal. */
export const showName = (table: IdTable, name: string): string =>
  table === 'tokens' && /^0x./.test(name) ? toTokenId(name) : name

const numbersOf = (rows: readonly Keys[], key: string): number[] =>
  rows.flatMap((keys) => (typeof keys[key] === 'number' ? [keys[key]] : []))

/** `block 12, log 3`, in which a finding and `auspex backfill --again` mean the same block. */
const describeLog = (seq: number): string => `block ${blockOf(seq)}, log ${logIndexOf(seq)}`

/** Describes each `seq`: block and log, the transaction, and the tables that have a fact there. */
async function selectLogs(sql: Sql, seqs: readonly number[]): Promise<Map<number, string>> {
  const logs = new Map<number, string>()
  if (seqs.length === 0) return logs
  const facts = TABLES_WITH_HASH.map(
    (table) => sql`
      select seq, ${table} as fact, tx_hash from ${sql(table)} where seq = any(${seqs}::bigint[])`,
  )
  const rows = await sql<{ seq: number; facts: string; hash: string | null }[]>`
    select seq::float8, string_agg(distinct fact, ', ') as facts, min(encode(tx_hash, 'hex')) as hash
      from (${joinFragments(sql, facts, sql` union all `)}) as facts
     group by facts.seq`
  for (const { seq, facts, hash } of rows) {
    const transaction = hash === null ? '' : `, transaction 0x${hash}`
    logs.set(seq, `${describeLog(seq)}${transaction}, ${facts}`)
  }
  return logs
}

const TABLES_WITH_HASH = FACT_TABLES.filter(({ columns }) => columns.includes('tx_hash')).map(
  ({ table }) => table,
)

/** A table with a line for each check, and below it the first differences of those that failed. */
export function formatFindings(findings: readonly Finding[]): string {
  const rows = findings.map(({ check, coverage, differences }) => [
    check,
    coverage,
    String(differences),
    differences === 0 ? 'ok' : 'FAILED',
  ])
  const table = formatTable([['CHECK', 'LOOKED AT', 'DIFFERENCES', 'RESULT'], ...rows])
  return [table, ...findings.filter(({ differences }) => differences > 0).map(formatExamples)].join('\n\n')
}

function formatExamples({ check, differences, examples }: Finding): string {
  const more = differences - examples.length
  const lines = examples.map((example) => `  ${example}`)
  if (more > 0) lines.push(`  and ${more} more`)
  return [`${check}:`, ...lines].join('\n')
}
