import { FACT_TABLES } from '../chain/facts/registry.js'
import { ID_TABLES } from '../chain/ids/queries.js'
import { selectCoverage } from '../chain/queries.js'
import { PARTITIONED_TABLES } from '../chain/write/partitions.js'
import { selectHoles } from '../chain/write/state.js'
import { PARTITION_BLOCKS, REORG_BLOCKS_MAX } from '../core/blocks.js'
import { blockOf } from '../core/seq.js'
import type { Sql } from '../store/connection.js'
import { hex } from '../store/sql-words.js'
import { count, countRows, EXAMPLES_MAX, type Finding, Tally } from './finding.js'
import type { IdRange, Scope } from './scope.js'

/** Every block of the ledger was read, and no fact is stored of a block that was not. */
export async function checkCoverage(
  sql: Sql,
  { ledgerFrom, cursor: { block } }: Scope,
  { from, to }: IdRange,
): Promise<Finding> {
  const tally = new Tally()
  for (const { fromBlock, toBlock } of await selectHoles(sql, {
    fromBlock: ledgerFrom,
    toBlock: block,
  })) {
    tally.add({ keys: {}, what: `blocks ${fromBlock} to ${toBlock} of the ledger were not read` })
  }
  let end = Number.NEGATIVE_INFINITY
  for (const { fromBlock, toBlock } of await selectCoverage(sql)) {
    if (fromBlock <= end + 1) {
      tally.add({ keys: {}, what: `two ranges meet at block ${fromBlock} and should be one` })
    }
    end = Math.max(end, toBlock)
  }
  if (end > block) tally.add({ keys: {}, what: `block ${end} counts as read, the cursor is ${block}` })
  const strays = await sql<{ number: number; total: number }[]>`
    select number, count(*) over ()::integer as total
      from blocks
     where number between ${from} and ${to}
       and not exists (select from coverage where number between from_block and to_block)
     order by number
     limit 1`
  for (const { number, total } of strays) {
    tally.add({ keys: { block: number }, what: 'has facts and does not count as read' }, total)
  }
  return tally.toFinding(sql, 'coverage', `blocks ${ledgerFrom} to ${block}`)
}

/** Each recent block follows the one before it, up to the cursor, and all that a reorganisation may need are stored. */
export async function checkLinks(
  sql: Sql,
  { ledgerFrom, cursor: { block, hash, timeSec } }: Scope,
): Promise<Finding> {
  const tally = new Tally()
  const recent = await sql<{ number: number; hash: string; time: number; isChild: boolean }[]>`
    select number, ${hex(sql, 'hash')} as hash, time,
           coalesce(parent_hash = lag(hash) over (order by number)
                    or number <> lag(number) over (order by number) + 1, true) as is_child
      from recent_blocks
     order by number`
  for (const { number, isChild } of recent) {
    if (!isChild) tally.add({ keys: { block: number }, what: 'does not follow the one before it' })
  }
  const last = recent.at(-1)
  if (last?.number !== block || last.hash !== hash || last.time !== timeSec) {
    tally.add({ keys: { block }, what: `is the cursor, ${last?.number} the last block` })
  }
  const [floor] = await sql<{ block: number }[]>`select block from undo_floor`
  const known = new Set(recent.map(({ number }) => number))
  const from = Math.max(ledgerFrom, block - REORG_BLOCKS_MAX, floor?.block ?? 0)
  for (let number = from; number <= block; number++) {
    if (!known.has(number)) tally.add({ keys: { block: number }, what: 'is missing' })
  }
  for (const { number } of await selectUnlike(sql)) {
    tally.add({ keys: { block: number }, what: 'has two hashes or two times' })
  }
  const [first] = await sql<{ number: number }[]>`
    select first_block as number
      from chain_state
      left join blocks on blocks.number = first_block
     where hash <> first_hash
        or not exists (select from coverage where first_block between from_block and to_block)`
  if (first !== undefined) {
    tally.add({ keys: { block: first.number }, what: 'is stored as the first one, and is another' })
  }
  return tally.toFinding(sql, 'block chain', count(recent.length, 'recent block'))
}

const selectUnlike = (sql: Sql) => sql<{ number: number }[]>`
  select number
    from recent_blocks
    join blocks using (number)
   where recent_blocks.hash <> blocks.hash or recent_blocks.time <> blocks.time
   order by number`

/** The journal has what a reorganisation may still take back, and nothing else. */
export async function checkJournal(sql: Sql, { cursor: { block } }: Scope): Promise<Finding> {
  const lowest = block - REORG_BLOCKS_MAX
  const rows = await sql<{ block: number; total: number }[]>`
    select block, count(*) over ()::integer as total
      from undo
     where block <= ${lowest} or block > ${block} or block <= (select block from undo_floor)
     order by block
     limit ${EXAMPLES_MAX}`
  const tally = new Tally()
  tally.addRows(rows, (row) => ({ keys: { block: row.block }, what: `is in the journal of cursor ${block}` }))
  return tally.toFinding(sql, 'journal', count(await countRows(sql, 'undo'), 'row'))
}

/** Tables, and the column that orders their rows along the chain: `seq`, or a block number. */
const ORDERED_TABLES = [
  ...FACT_TABLES.map(({ table, columns: [orderColumn = ''] }) => {
    return { table, orderColumn, isSeq: orderColumn === 'seq' }
  }),
  { table: 'pnl', orderColumn: 'seq', isSeq: true },
]

/** Without its block a fact has no time. */
export async function checkBlocksOfFacts(sql: Sql, { from, to }: IdRange): Promise<Finding> {
  const tally = new Tally()
  for (const { table, orderColumn, isSeq } of ORDERED_TABLES) {
    if (table === 'blocks') continue
    const block = sql.unsafe(isSeq ? `(${orderColumn} >> 20)::integer` : orderColumn)
    const within = isSeq
      ? sql`seq between ${from}::bigint << 20 and (${to}::bigint + 1 << 20) - 1`
      : sql`${sql(orderColumn)} between ${from} and ${to}`
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

/** No table has rows above the cursor. */
export async function checkNothingAbove(sql: Sql, { cursor: { block }, toSeq }: Scope): Promise<Finding> {
  const tables = [
    ...ORDERED_TABLES,
    ...ID_TABLES.map((table) => ({ table, orderColumn: 'since', isSeq: true })),
    { table: 'recent_blocks', orderColumn: 'number', isSeq: false },
    { table: 'wallet_totals', orderColumn: 'last_fill', isSeq: true },
    { table: 'combo_totals', orderColumn: 'last_fill', isSeq: true },
    { table: 'token_totals', orderColumn: 'last_seq', isSeq: true },
    { table: 'builder_totals', orderColumn: 'last_seq', isSeq: true },
    { table: 'last_prices', orderColumn: 'seq', isSeq: true },
  ]
  const tally = new Tally()
  for (const { table, orderColumn, isSeq } of tables) {
    const [row] = await sql<{ rows: number; first: number | null }[]>`
      select count(*)::integer as rows, min(${sql(orderColumn)})::float8 as first
        from ${sql(table)}
       where ${sql(orderColumn)} > ${isSeq ? toSeq : block}::bigint`
    if (row === undefined || row.first === null) continue
    const what = `${table} has ${count(row.rows, 'row')} above cursor ${block}, first ${orderColumn} ${row.first}`
    tally.add({ keys: {}, what }, row.rows)
  }
  return tally.toFinding(sql, 'nothing above the cursor', count(tables.length, 'table'))
}

type PartitionRow = { name: string; isNoted: boolean; isAttached: boolean; isMisnoted: boolean }

/** Each block that was read, and is kept, has a partition in every partitioned table. */
export async function checkPartitions(sql: Sql, { keptSeq, isWhole }: Scope): Promise<Finding> {
  const keptFrom = isWhole ? 0 : blockOf(keptSeq)
  const rows = await sql<PartitionRow[]>`
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
      select child.relname as name,
             (select count(*) > 1 from pg_index where indrelid = child.oid) as has_indexes
        from pg_inherits
        join pg_class as child on child.oid = inhrelid
        join parents on parents.oid = inhparent
    )
    select name, partitions.name is not null as is_noted, attached.name is not null as is_attached,
           coalesce(partitions.name <> parent || '_p' || number
                    or is_indexed <> has_indexes, false) as is_misnoted
      from wanted
      full join partitions using (name)
      full join attached using (name)
     order by name`
  const tally = new Tally()
  for (const { name, isNoted, isAttached, isMisnoted } of rows) {
    if (!isAttached) tally.add({ keys: {}, what: `${name} is not there` })
    else if (!isNoted) tally.add({ keys: {}, what: `${name} is not noted` })
    else if (isMisnoted)
      tally.add({ keys: {}, what: `${name} is noted with another table, number or indexes` })
  }
  return tally.toFinding(sql, 'partitions', count(rows.length, 'partition'))
}
