import assert from 'node:assert/strict'
import type { Pool, Sql } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'
import { transact } from '../../store/transaction.js'
import { BLOCK_SEC } from '../fast/tick-block.js'
import { type Month, monthNamed, monthOfBlock } from './month.js'
import { lockArchiveState, updateState } from './queries.js'

const NAMES_MAX = 100
/** Readers of blocks queue behind a transaction that waits for its lock: it gives up after this time. */
const LOCK_WAIT_MS = 2_000

/** Makes the partitions that these blocks need. */
export async function ensureTickPartitions(tx: Sql, blocks: readonly number[]): Promise<void> {
  const months = new Map(blocks.map(monthOfBlock).map((month) => [month.name, month]))
  const missing = await selectMissing(tx, [...months.values()])
  if (missing.length === 0) return
  await tx`select pg_advisory_xact_lock(${LOCKS.partitions})`
  for (const month of await selectMissing(tx, missing)) await createPartition(tx, month)
}

/** Drops the months that are over before that time, with the rows about their hours and gaps. */
export async function dropOldMonths(pool: Pool, beforeMs: number): Promise<void> {
  const beforeBlock = Math.floor(beforeMs / 1000 / BLOCK_SEC)
  for (const name of await selectAttached(pool)) {
    const month = monthNamed(name)
    if (month === undefined || month.untilBlock > beforeBlock) continue
    await transact(pool, async (tx) => {
      await tx.unsafe(`set local lock_timeout = ${LOCK_WAIT_MS}`)
      // Locked first, as packing does. The new revision makes every process drop its rendered blocks.
      const state = await lockArchiveState(tx)
      // The operator may have detached it meanwhile, to keep it.
      if (!(await selectAttached(tx)).includes(name)) return
      await tx.unsafe(`drop table if exists ${name}`)
      const endSec = month.untilBlock * BLOCK_SEC
      await tx`delete from tick_hours where hour < ${Math.floor(endSec / 3600)}`
      await tx`delete from tick_gaps where to_sec < ${endSec}`
      await updateState(tx, { ...state, revision: state.revision + 1 })
    })
  }
}

async function selectAttached(sql: Sql): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'tick_blocks'::regclass
     order by c.relname`
  return tables.map(({ name }) => name)
}

/** The months without a partition. A detached one does not count, though its table is there. */
async function selectMissing(tx: Sql, months: readonly Month[]): Promise<Month[]> {
  const names = await selectAttached(tx)
  const attached = new Set(names.map((name) => monthNamed(name)?.fromBlock))
  return months.filter(({ fromBlock }) => !attached.has(fromBlock))
}

/** Creating the table first and attaching it then does not block readers of the other months. */
async function createPartition(tx: Sql, { name: plain, fromBlock, untilBlock }: Month) {
  const name = await chooseName(tx, plain)
  await tx.unsafe(`create table ${name} (like tick_blocks including all)`)
  await tx.unsafe(
    `alter table tick_blocks attach partition ${name} for values from (${fromBlock}) to (${untilBlock})`,
  )
}

async function chooseName(tx: Sql, plain: string): Promise<string> {
  const numbered = Array.from({ length: NAMES_MAX }, (_, index) => `${plain}_${index + 2}`)
  const [free] = await tx<{ name: string }[]>`
    select name
      from unnest(${[plain, ...numbered]}::text[]) with ordinality as names (name, place)
     where to_regclass(name) is null
     order by place
     limit 1`
  assert(free !== undefined, 'a partition finds a name')
  return free.name
}
