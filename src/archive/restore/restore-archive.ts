import { startRepair } from '../../chain/backfill/queries.js'
import { Rebuild } from '../../chain/backfill/rebuild.js'
import { buildIndexes } from '../../chain/write/partitions.js'
import { buildReadIndexes } from '../../chain/write/read-indexes.js'
import { OperatorError } from '../../core/errors.js'
import type { Pool, Sql } from '../../store/connection.js'
import { claimDatabase } from '../../store/dataset.js'
import { transact } from '../../store/transaction.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { type DayManifest, readDays } from '../manifest.js'
import type { ArchiveStore } from '../store/archive-store.js'
import { restoreCatalogue } from './restore-catalogue.js'
import { restoreDay } from './restore-day.js'
import { FULL_RETENTION, type Retention } from './restore-record.js'

type RestoreOptions = {
  /** Of a database with the schema and without facts, or of one whose restore was stopped. */
  pool: Pool
  store: ArchiveStore
  onDay?: ((progress: { done: number; total: number; day: string; bytes: number }) => void) | undefined
  /** Absent: of all days. */
  retention?: Retention | undefined
  onFold?: ((block: number, lastBlock: number) => void) | undefined
}

export type RestoreResult = { days: number; facts: number; bytes: number; block: number; dataset: string }

/**
 * Builds the database that the archive is of, as it was at the last block of its last day: facts and ids are copied,
 * day by day, and the ledger is folded from them. A restore that was stopped goes on where it was.
 */
export async function restoreArchive(
  { pool, store, retention = FULL_RETENTION, onDay, onFold }: RestoreOptions,
  signal: AbortSignal,
): Promise<RestoreResult> {
  const days = await readDays(store)
  const head = days.findLast((day) => day.head !== null)?.head
  const [first] = days
  const last = days.at(-1)
  if (first === undefined || last === undefined || head === undefined || head === null) {
    throw new OperatorError(`There is no archived day in ${store.location}.`)
  }
  await claimForRestore(pool, first, days)
  const result = { days: days.length, facts: 0, bytes: 0, block: head.block, dataset: first.dataset }
  const restored = await selectCoveredTo(pool)
  for (const [done, day] of days.entries()) {
    signal.throwIfAborted()
    const end = Math.min(day.coverage.at(-1)?.[1] ?? 0, head.block)
    if (end <= restored) continue
    const onBytes = (bytes: number) => {
      result.bytes += bytes
      onDay?.({ done, total: days.length, day: day.day, bytes: result.bytes })
    }
    onBytes(0)
    result.facts += (await restoreDay(day, { pool, store, retention, signal, onBytes })).facts
  }
  await buildIndexes(pool)
  await fold(pool, last, head, { onFold, signal })
  await buildReadIndexes(pool)
  await restoreCatalogue(days, { pool, store, signal })
  return result
}

type Head = { block: number; hash: string; time: number }

/** The repair that is noted here goes when the ledger is there: until then the command can be run again. */
async function fold(
  pool: Pool,
  last: DayManifest,
  head: Head,
  { onFold, signal }: { onFold: RestoreOptions['onFold']; signal: AbortSignal },
): Promise<void> {
  const { first_booked: first } = last
  const ledgerFrom = await transact(pool, async (tx) => {
    const covered = await selectRangeOf(tx, head.block)
    const from = Math.max(last.ledger_from, covered?.fromBlock ?? 0)
    await tx`
      update chain_state
         set ledger_from = ${from}, block = ${head.block}, block_hash = decode(${head.hash.slice(2)}, 'hex'),
             block_time = ${head.time}, first_block = ${first?.block ?? null},
             first_hash = decode(${first?.hash.slice(2) ?? null}, 'hex'), epoch = epoch + 1`
    await startRepair(tx, { fromBlock: from, toBlock: head.block })
    await tx`update repair set done_to = to_block`
    await tx`update coverage set to_block = ${head.block} where to_block > ${head.block}`
    return from
  })
  await Rebuild.run(
    { pool, onProgress: onFold ?? (() => undefined), onBusy: () => undefined },
    ledgerFrom,
    signal,
  )
  // No reorganisation reaches the archive, and the hashes of its blocks that one would need are not in it.
  await transact(pool, async (tx) => {
    await tx`delete from undo`
    await tx`update undo_floor set block = ${head.block}`
  })
}

async function selectRangeOf(tx: Sql, block: number): Promise<BlockRange | undefined> {
  const [range] = await tx<BlockRange[]>`
    select from_block, to_block from coverage where ${block} between from_block and to_block`
  return range
}

async function selectCoveredTo(sql: Sql): Promise<number> {
  const [row] = await sql<{ block: number | null }[]>`select max(to_block) as block from coverage`
  return row?.block ?? -1
}

/** Refuses a database that has blocks of its own, and days that a later version has archived. */
export async function claimForRestore(
  pool: Pool,
  first: DayManifest,
  days: readonly DayManifest[],
): Promise<void> {
  refuseNewer(days, await refuseUsed(pool, first))
  await claimDatabase(pool, first.dataset)
}

/** Returns the version of the schema. */
async function refuseUsed(sql: Sql, first: DayManifest): Promise<number> {
  const [row] = await sql<
    { block: number | null; isRepaired: boolean; from: number | null; schema: number }[]
  >`
    select block, exists (select from repair) as is_repaired,
           (select min(from_block) from coverage) as "from",
           (select max(version) from schema_migrations) as schema
      from chain_state`
  const isBegun = row?.from !== null && (row?.block === null || row?.isRepaired === true)
  const isOwn = isBegun && row?.from === first.coverage[0]?.[0]
  if (row !== undefined && (row.from === null || isOwn)) return row.schema
  throw new OperatorError(
    'The database holds blocks of the chain already. A restore builds a new database:\n' +
      'name an empty data folder with --data <folder>, or another database with DATABASE_URL.',
  )
}

function refuseNewer(days: readonly DayManifest[], schema: number): void {
  const newer = days.find((day) => day.schema > schema)
  if (newer === undefined) return
  throw new OperatorError(
    `The archive is of a newer Auspex (schema ${newer.schema}; this one has ${schema}): restore it with that version.`,
  )
}
