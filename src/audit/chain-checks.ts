import { selectCoverage } from '../chain/queries.js'
import { selectHoles } from '../chain/write/state.js'
import { REORG_BLOCKS_MAX } from '../core/blocks.js'
import type { Sql } from '../store/connection.js'
import { count, EXAMPLES_MAX, type Finding, Tally } from './finding.js'
import type { Scope } from './scope.js'
import type { IdRange } from './span.js'

/** Every block of the ledger was read, and nothing is there of a block that was not. */
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
  if (end > block)
    tally.add({ keys: {}, what: `block ${end} counts as read, the cursor is ${block}` })
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

/** Each known block follows the one before it, up to the cursor, and all that may be needed are there. */
export async function checkLinks(
  sql: Sql,
  { ledgerFrom, cursor: { block, hash, timeSec } }: Scope,
): Promise<Finding> {
  const tally = new Tally()
  const recent = await sql<{ number: number; hash: string; time: number; isChild: boolean }[]>`
    select number, '0x' || encode(hash, 'hex') as hash, time,
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
  return tally.toFinding(sql, 'block chain', count(recent.length, 'recent block'))
}

const selectUnlike = (sql: Sql) => sql<{ number: number }[]>`
  select number
    from recent_blocks
    join blocks using (number)
   where recent_blocks.hash <> blocks.hash or recent_blocks.time <> blocks.time
   order by number`

/** The journal has what may still be taken back, and nothing else. */
export async function checkJournal(sql: Sql, { cursor: { block } }: Scope): Promise<Finding> {
  const lowest = block - REORG_BLOCKS_MAX
  const rows = await sql<{ block: number; total: number }[]>`
    select block, count(*) over ()::integer as total
      from undo
     where block <= ${lowest} or block > ${block} or block <= (select block from undo_floor)
     order by block
     limit ${EXAMPLES_MAX}`
  const [size] = await sql<{ rows: number }[]>`select count(*)::integer as rows from undo`
  const tally = new Tally()
  for (const row of rows) {
    tally.add({ keys: { block: row.block }, what: `is in the journal of cursor ${block}` })
  }
  const finding = await tally.toFinding(sql, 'journal', count(size?.rows ?? 0, 'row'))
  return { ...finding, differences: rows[0]?.total ?? 0 }
}
