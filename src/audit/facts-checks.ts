import { FACT_TABLES } from '../chain/facts/registry.js'
import { ID_TABLES } from '../chain/ids/queries.js'
import type { Sql } from '../store/connection.js'
import { count, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'
import type { IdRange } from './span.js'

/** A table, and the column that places its rows: by `seq`, or by block alone. */
type PlacedTable = { table: string; place: string; isSeq: boolean }

const PLACED: readonly PlacedTable[] = [
  ...FACT_TABLES.map(({ table, columns: [place = ''] }) => ({
    table,
    place,
    isSeq: place === 'seq',
  })),
  { table: 'quarantine', place: 'seq', isSeq: true },
  { table: 'pnl', place: 'seq', isSeq: true },
]

/** Without its block a fact has no time. */
export async function checkBlocksOfFacts(sql: Sql, { from, to }: IdRange): Promise<Finding> {
  const tally = new Tally()
  for (const { table, place, isSeq } of PLACED) {
    if (table === 'blocks') continue
    const block = sql.unsafe(isSeq ? `(${place} >> 20)::integer` : place)
    const within = isSeq
      ? sql`seq between ${from}::bigint << 20 and (${to}::bigint + 1 << 20) - 1`
      : sql`${sql(place)} between ${from} and ${to}`
    const [row] = await sql<{ blocks: number; missing: number; first: number | null }[]>`
      select count(*)::integer as blocks,
             (count(*) filter (where blocks.number is null))::integer as missing,
             min(named.number) filter (where blocks.number is null) as first
        from (select distinct ${block} as number from ${sql(table)} where ${within}) as named
        left join blocks using (number)`
    tally.rows += row?.blocks ?? 0
    if (row === undefined || row.first === null) continue
    tally.add({ keys: { block: row.first }, what: `has ${table} and is not there` }, row.missing)
  }
  return tally.toFinding(sql, 'blocks of facts', `${count(tally.rows, 'block')} in all tables`)
}

/** What the cursor has not reached is in none of the tables. */
export async function checkNothingAbove(
  sql: Sql,
  { cursor: { block }, toSeq }: Scope,
): Promise<Finding> {
  const tables = [
    ...PLACED,
    ...ID_TABLES.map((table) => ({ table, place: 'since', isSeq: true })),
    { table: 'recent_blocks', place: 'number', isSeq: false },
    { table: 'wallet_totals', place: 'last_fill', isSeq: true },
    { table: 'last_prices', place: 'seq', isSeq: true },
  ]
  const tally = new Tally()
  for (const { table, place, isSeq } of tables) {
    const [row] = await sql<{ rows: number; first: number | null }[]>`
      select count(*)::integer as rows, min(${sql(place)})::float8 as first
        from ${sql(table)}
       where ${sql(place)} > ${isSeq ? toSeq : block}::bigint`
    if (row === undefined || row.first === null) continue
    const what = `${table} has ${count(row.rows, 'row')} above cursor ${block}, first ${place} ${row.first}`
    tally.add({ keys: {}, what }, row.rows)
  }
  return tally.toFinding(sql, 'nothing above the cursor', count(tables.length, 'table'))
}
