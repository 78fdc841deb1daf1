import { selectIdUses } from '../chain/compare/compare-ids.js'
import { ID_TABLES } from '../chain/ids/queries.js'
import type { Sql } from '../store/connection.js'
import { count, countRows, EXAMPLES_MAX, type Finding, KEY_NAMES, Tally } from './finding.js'
import type { Scope } from './scope.js'

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
      with named as (select id, min(seq) as first from (${selectIdUses(sql, table)}) as uses group by id)
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
    tally.addRows(rows, ({ id, since, first }) => {
      const seq = first ?? since ?? 0
      const what =
        since === null
          ? 'is named here, and has no row'
          : first === null
            ? 'is stored as first named here, and no fact names it'
            : 'is first named here, and its row has another place'
      return { keys: { seq, [KEY_NAMES[table]]: id }, what }
    })
    tally.rows += await countRows(sql, table)
  }
  return tally.toFinding(sql, 'ids', count(tally.rows, 'id'))
}
