import { expect } from 'vitest'
import type { Pool } from '../../src/store/connection.js'
import type { ApiWorld } from '../api-world.js'

/** A request to a list whose plans the test looks at. */
export type Request = {
  title: string
  path: (world: ApiWorld) => string
  query?: (world: ApiWorld) => object
  /** How many rows a scan may read for each row of the page; 3 when it is absent. */
  rowsPerRow?: number
}

/** A node of a plan as `explain (format json)` writes it. */
export type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

export type Scan = { nodeType: string; relation: string; rows: number }

export type Statement = { text: string; parameters: unknown[] }

/**
 * The plans of the queries that a request sends, as they ran. They are the generic ones, which do not
 * know the parameters: what PostgreSQL comes to when it has planned a query a few times.
 */
export async function explainRequest(
  world: ApiWorld,
  sql: Pool,
  path: string,
  query: object,
): Promise<Plan[]> {
  const statements = await recordStatements(sql, async () => {
    const reply = await world.get(path, { ...query })
    expect(reply.statusCode, reply.body).toBe(200)
  })
  const plans: Plan[] = []
  for (const { text, parameters } of statements) {
    if (!/^\s*(select|with|\()/.test(text)) continue
    const rows = await sql.begin(async (tx) => {
      await tx`set local plan_cache_mode = force_generic_plan`
      await tx`set local max_parallel_workers_per_gather = 0`
      await tx.unsafe(`prepare explained as ${text}`)
      const values = parameters.length === 0 ? '' : `(${parameters.map(toLiteral)})`
      const found = await tx.unsafe(`explain (analyze, format json) execute explained${values}`)
      await tx`deallocate explained`
      return found
    })
    const [{ Plan: plan }] = rows[0]?.['QUERY PLAN'] ?? expect.fail()
    plans.push(plan)
  }
  return plans
}

export function toLiteral(value: unknown): string {
  if (value === null) return 'null'
  const text = Buffer.isBuffer(value)
    ? `\\x${value.toString('hex')}`
    : Array.isArray(value)
      ? `{${value}}`
      : `${value}`
  return `'${text.replaceAll("'", "''")}'`
}

/** What the driver sends while `work` runs. */
export async function recordStatements(sql: Pool, work: () => Promise<void>): Promise<Statement[]> {
  const statements: Statement[] = []
  const options = sql.options as { debug: unknown }
  options.debug = (_connection: number, text: string, parameters: unknown[]) =>
    statements.push({ text, parameters })
  await work()
  options.debug = false
  return statements
}

/** What each scan of a plan read in all its turns, whether it was wanted or not. */
export function scansOf(plan: Plan): Scan[] {
  const { 'Node Type': nodeType, 'Relation Name': relation, 'Actual Loops': loops } = plan
  const inner = (plan.Plans ?? []).flatMap(scansOf)
  if (relation === undefined || loops === 0) return inner
  const each =
    plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return [...inner, { nodeType, relation, rows: Math.round(each * loops) }]
}
