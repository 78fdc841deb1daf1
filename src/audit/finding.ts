import { toTokenId } from '../core/token-id.js'
import { formatCount } from '../lib/progress.js'
import { formatTable } from '../lib/table.js'
import type { Sql } from '../store/connection.js'

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

type Keys = Record<string, number>

/** The keys that are ids, and where their natural ids are. */
const ID_COLUMNS: Record<string, { table: string; column: string }> = {
  wallet: { table: 'wallets', column: 'address' },
  token: { table: 'tokens', column: 'token' },
  condition: { table: 'conditions', column: 'condition' },
  builder: { table: 'builders', column: 'code' },
}

/** The keys of rows with natural ids: addresses, decimal token ids; each text ends with `: `. */
async function describeKeys(sql: Sql, rows: readonly Keys[]): Promise<string[]> {
  const names = new Map<string, string>()
  for (const [key, { table, column }] of Object.entries(ID_COLUMNS)) {
    const ids = rows.flatMap((keys) => keys[key] ?? [])
    if (ids.length === 0) continue
    const found = await sql<{ id: number; name: string }[]>`
      select id, '0x' || encode(${sql(column)}, 'hex') as name
        from ${sql(table)}
       where id = any(${ids}::integer[])`
    for (const { id, name } of found) {
      names.set(`${key} ${id}`, key === 'token' ? toTokenId(name) : name)
    }
  }
  const show = (key: string, id: number): string => {
    if (ID_COLUMNS[key] === undefined) return `${key} ${id}`
    return `${key} ${names.get(`${key} ${id}`) ?? `number ${id} (without a name)`}`
  }
  return rows.map((keys) => {
    const texts = Object.entries(keys).map(([key, id]) => show(key, id))
    return texts.length === 0 ? '' : `${texts.join(', ')}: `
  })
}

/** A table with a line for each check, and below it the first differences of those that failed. */
export function formatFindings(findings: readonly Finding[]): string {
  const rows = findings.map(({ check, looked, differences }) => [
    check,
    looked,
    String(differences),
    differences === 0 ? 'ok' : 'FAILED',
  ])
  const table = formatTable([['CHECK', 'LOOKED AT', 'DIFFERENCES', 'RESULT'], ...rows])
  return [table, ...findings.filter(({ differences }) => differences > 0).map(formatExamples)].join(
    '\n\n',
  )
}

function formatExamples({ check, differences, examples }: Finding): string {
  const more = differences - examples.length
  const lines = examples.map((example) => `  ${example}`)
  if (more > 0) lines.push(`  and ${more} more`)
  return [`${check}:`, ...lines].join('\n')
}
