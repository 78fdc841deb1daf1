import { checksumSql, ID_TABLES, NAME_COLUMNS } from '../chain/ids/queries.js'
import { DIGESTS_SQL } from '../chain/write/fact-digests.js'
import { PARTITION_BLOCKS } from '../core/blocks.js'
import { blockOf } from '../core/seq.js'
import { EVENT_ROW_CHECKSUM } from '../events/queries.js'
import type { Sql } from '../store/connection.js'
import { count, countRows, EXAMPLES_MAX, type Finding, KEY_NAMES, Tally } from './finding.js'
import type { IdRange, Scope } from './scope.js'

/*
 * Rows that are compared with what their writers noted of them. Much of what the chain says is said once, such as the
 * address of a wallet or the fee of a market: no other row contradicts it when it is changed.
 */

/** Compares the digests of the blocks whose facts were not dropped. */
export async function checkDigests(sql: Sql, scope: Scope, { from, to }: IdRange): Promise<Finding> {
  const tally = new Tally()
  const keptFrom = scope.isWhole ? 0 : blockOf(scope.keptSeq)
  const [ends] = await sql<{ first: number | null; last: number | null }[]>`
    select min(block) as first, max(block) as last
      from (select number as block from blocks union all select block from fact_digests) as blocks
     where block between ${Math.max(from, keptFrom)} and ${to}`
  const { first = null, last = null } = ends ?? {}
  if (first !== null && last !== null) {
    for (let start = first; start <= last; start += PARTITION_BLOCKS) {
      await compareDigests(sql, tally, {
        from: start,
        to: Math.min(last, start + PARTITION_BLOCKS - 1),
      })
    }
  }
  return tally.toFinding(sql, 'facts as written', count(tally.rows, 'block'))
}

async function compareDigests(sql: Sql, tally: Tally, { from, to }: IdRange): Promise<void> {
  const rows = await sql.unsafe<
    { block: number | null; isNoted: boolean; isThere: boolean; rows: number; total: number }[]
  >(
    `with compared as materialized (
       select block, noted.digest is not null as is_noted, derived.digest is not null as is_there,
              derived.digest is distinct from noted.digest as differs
         from (${DIGESTS_SQL}) as derived
         full join (select * from fact_digests where block between $1 and $2) as noted using (block)
     ), counts as (
       select count(*)::integer as rows, (count(*) filter (where differs))::integer as total
         from compared
     )
     select *
       from counts
       left join (select block, is_noted, is_there from compared where differs
                   order by block limit ${EXAMPLES_MAX}) as examples on true`,
    [from, to],
  )
  tally.rows += rows[0]?.rows ?? 0
  const differing = rows.flatMap(({ block, ...row }) => (block === null ? [] : { block, ...row }))
  tally.addRows(differing, ({ block, isNoted, isThere }) => {
    const written = isNoted ? 'has other facts than were written' : 'has facts that no writer has noted'
    return { keys: { block }, what: isThere ? written : 'has no facts any more' }
  })
}

/** Natural ids belong to the ids that they were given with. */
export async function checkNames(sql: Sql): Promise<Finding> {
  const tally = new Tally()
  for (const table of ID_TABLES) {
    tally.rows += await countRows(sql, table)
    const wrong = await sql<{ id: number; total: number }[]>`
      select id, count(*) over ()::integer as total
        from ${sql(table)}
       where checksum <> ${sql.unsafe(checksumSql('id', NAME_COLUMNS[table]))}
       order by id
       limit ${EXAMPLES_MAX}`
    tally.addRows(wrong, ({ id }) => ({
      keys: { [KEY_NAMES[table]]: id },
      what: `is stored as number ${id}, which was given to another`,
    }))
  }
  return tally.toFinding(sql, 'names', count(tally.rows, 'id'))
}

/** Each row of the event log follows the row that it names, up to the newest one, and holds what was written. */
export async function checkEventLog(sql: Sql): Promise<Finding> {
  const tally = new Tally()
  const rows = await sql<{ seq: string; what: string; total: number }[]>`
    with ends as (select deleted_seq, last_seq from event_log_end),
    wrong as (
      select previous_seq as seq, 'the row up to this event is missing' as what
        from event_log
       where previous_seq > (select deleted_seq from ends)
         and not exists (select from event_log before where before.last_seq = event_log.previous_seq)
      union all
      select last_seq, 'the row up to this event is missing'
        from ends
       where last_seq > deleted_seq
         and not exists (select from event_log newest where newest.last_seq = ends.last_seq)
      union all
      select 0, 'the row of event_log_end is missing' where not exists (select from ends)
      union all
      select last_seq, 'the row up to this event has other contents than were written'
        from event_log
       where checksum <> ${sql.unsafe(EVENT_ROW_CHECKSUM)}
    )
    select seq::text, what, count(*) over ()::integer as total from wrong order by seq limit ${EXAMPLES_MAX}`
  tally.addRows(rows, ({ seq, what }) => ({ keys: { event: seq }, what }))
  return tally.toFinding(sql, 'event log', count(await countRows(sql, 'event_log'), 'row'))
}
