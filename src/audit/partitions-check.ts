import { PARTITIONED_TABLES } from '../chain/write/partitions.js'
import { PARTITION_BLOCKS } from '../core/blocks.js'
import { blockOf } from '../core/seq.js'
import type { Sql } from '../store/connection.js'
import { count, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'

type Row = { name: string; isNoted: boolean; isAttached: boolean }

/** Each block that was read, and is kept, has a partition in every big table. */
export async function checkPartitions(sql: Sql, { keptSeq, isWhole }: Scope): Promise<Finding> {
  const keptFrom = isWhole ? 0 : blockOf(keptSeq)
  const rows = await sql<Row[]>`
    with parents as (
      select oid, relname as parent
        from pg_class
       where relnamespace = 'public'::regnamespace
         and relname = any(${[...PARTITIONED_TABLES]}::text[])
    ),
    wanted as (
      select distinct parent || '_p' || number as name
        from coverage
       cross join lateral generate_series(greatest(from_block, ${keptFrom}::integer) / ${PARTITION_BLOCKS},
                                          to_block / ${PARTITION_BLOCKS}) as number
       cross join parents
    ),
    attached as (
      select child.relname as name
        from pg_inherits
        join pg_class as child on child.oid = inhrelid
        join parents on parents.oid = inhparent
    )
    select name, partitions.name is not null as is_noted, attached.name is not null as is_attached
      from wanted
      full join partitions using (name)
      full join attached using (name)
     order by name`
  const tally = new Tally()
  for (const { name, isNoted, isAttached } of rows) {
    if (!isAttached) tally.add({ keys: {}, what: `${name} is not there` })
    else if (!isNoted) tally.add({ keys: {}, what: `${name} is not noted` })
  }
  return tally.toFinding(sql, 'partitions', count(rows.length, 'partition'))
}
