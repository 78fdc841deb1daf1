import { ID_COLUMNS } from '../chain/facts/fact-kind.js'
import { FACT_TABLES } from '../chain/facts/registry.js'
import { ID_TABLES, type IdTable } from '../chain/ids/queries.js'
import type { Fragment, Sql } from '../store/connection.js'
import { count, EXAMPLES_MAX, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'

export const KEY_NAMES: Readonly<Record<IdTable, string>> = {
  wallets: 'wallet',
  tokens: 'token',
  conditions: 'condition',
  builders: 'builder',
}

type IdRow = { id: number; since: number | null; first: number | null; total: number }

/**
 * Every id that a fact has is there, and as old as the first fact that has it. Tokens and
 * conditions may be older: a log that states the outcomes of a condition has no row of its own. Left out:
 * ids whose first facts the retention has dropped, are not read yet, or are in quarantine.
 */
export async function checkIds(sql: Sql, { isWhole, keptSeq }: Scope): Promise<Finding> {
  const tally = new Tally()
  for (const table of ID_TABLES) {
    const stated =
      table === 'tokens'
        ? sql`and since >> 20 <> coalesce(stated_in, -1)`
        : table === 'conditions'
          ? sql`and since >> 20 not in (select coalesce(stated_in, -1) from tokens
                                         where tokens.condition = known.id)`
          : sql``
    const rows = await sql<IdRow[]>`
      with named as (select id, min(seq) as first from (${namings(sql, table)}) as namings group by id)
      select coalesce(named.id, known.id) as id, since::float8, first::float8,
             count(*) over ()::integer as total
        from named
        full join (select * from ${sql(table)} where id > 0) as known on known.id = named.id
       where named.id > 0 and known.id is null
          or since > first
          or (since < first or first is null) ${stated}
             and since >= ${isWhole ? 0 : keptSeq}::bigint
             and exists (select from coverage where since >> 20 between from_block and to_block)
             and not exists (select from quarantine where quarantine.seq = since)
       order by 1
       limit ${EXAMPLES_MAX}`
    for (const [index, { id, since, first, total }] of rows.entries()) {
      const seq = first ?? since ?? 0
      const what =
        since === null
          ? 'is named here, and has no row'
          : first === null
            ? 'is stored as first named here, and no fact names it'
            : 'is first named here, and its row has another place'
      const left = index === rows.length - 1 ? total - index : 1
      tally.add({ keys: { seq, [KEY_NAMES[table]]: id }, what }, left)
    }
    const [size] = await sql<{ rows: number }[]>`select count(*)::integer as rows from ${sql(table)}`
    tally.rows += size?.rows ?? 0
  }
  return tally.toFinding(sql, 'ids', count(tally.rows, 'id'))
}

/** Every id of a table that a fact has, with the place of the fact. */
function namings(sql: Sql, table: IdTable): Fragment {
  const parts = FACT_TABLES.flatMap((facts) =>
    facts.table === 'quarantine'
      ? []
      : facts.columns
          .filter((column) => ID_COLUMNS[column] === table)
          .map((column) => naming(sql, facts.table, column)),
  )
  return parts.reduce((all, part) => sql`${all} union all ${part}`)
}

const LISTS = new Set(['tokens', 'given', 'taken'])

/** What a block says as a whole stands behind all of its logs. A split without tokens is of the set of its condition. */
function naming(sql: Sql, table: string, column: string): Fragment {
  if (table === 'supply_changes')
    return sql`select token as id, (block::bigint + 1 << 20) - 1 as seq from supply_changes`
  if (table === 'splits' && column === 'tokens')
    return sql`
      select id, seq from splits cross join lateral unnest(tokens) as id
      union all
      select own.id, seq from splits join tokens as own on own.condition = splits.condition
       where splits.tokens is null and own.outcome is not null`
  if (LISTS.has(column))
    return sql`select id, seq from ${sql(table)} cross join lateral unnest(${sql(column)}) as id`
  return sql`select ${sql(column)} as id, seq from ${sql(table)} where ${sql(column)} is not null`
}
