import { isOverTime } from '../../core/database-fault.js'
import { onAbort } from '../../lib/abort.js'
import { selectWalletId } from '../../lookups/ids.js'
import { type MarketFilter, selectTokenIds } from '../../lookups/market-filter.js'
import { PARTITION_SEQ, type SeqRange, selectSeqRange } from '../../lookups/seq-range.js'
import { selectTagIds } from '../../lookups/tag-filter.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import {
  countExport,
  type ExportRow,
  type ExportScope,
  type ExportSubject,
  type FillKind,
  isInIndexOrder,
  preferIndexOrder,
  selectExport,
} from './queries.js'
import type { PARTIAL_REASONS } from './schemas.js'

/** A batch of rows keeps the event loop busy for a few milliseconds. */
const BATCH_ROWS = 500
/** For counting again what was found before the time was over. */
const RECOUNT_MS_MAX = 30_000
/**
 * For reading the rows that were found. PostgreSQL limits a cursor from its first batch to its last, and
 * clients are cut off after five minutes.
 */
const READ_MS_MAX = 240_000

/** Whose trades are exported: of a wallet, of a market, an event or a tag, or of all markets. */
export type ExportOf =
  | { address: string; view: 'all' | 'own' }
  | ({ fills: FillKind } & (MarketFilter | { tag: string }))

/** What is exported. Both ends of the time are included. */
export type ExportWanted = { of: ExportOf; fromSec: number; toSec: number }

export type ExportLimits = {
  tradesMax: number
  /** For finding the trades. Those that were found are always sent. */
  budgetMs: number
  /** Exports that are kept: each holds a file open. */
  keptMax: number
}

/** What is known of an export before its first row. */
export type FoundTrades = {
  count: number
  partialReason: (typeof PARTIAL_REASONS)[number] | null
  fetchedInMs: number
}

/** Where an export goes: what was found, then batches of rows. */
export type ExportSink = {
  begin(found: FoundTrades): void
  write(rows: readonly ExportRow[]): Promise<void>
}

/**
 * Finds and counts the trades, then reads them, in one snapshot of the database: so there are as many
 * rows as the count says, whatever is booked or reverted meanwhile. Stops soon after `signal` aborts.
 * A query that is cancelled ends its snapshot: when the time is over, what was found is counted again.
 */
export async function streamExport(
  pool: Pool,
  wanted: ExportWanted,
  limits: ExportLimits,
  sink: ExportSink,
  signal: AbortSignal,
): Promise<void> {
  const startMs = performance.now()
  const search: Search = {
    ...limits,
    deadlineMs: startMs + limits.budgetMs,
    signal,
    reached: undefined,
  }
  const begin: ExportSink['begin'] = (found) => {
    search.reached = undefined
    sink.begin({ ...found, fetchedInMs: Math.round(performance.now() - startMs) })
  }
  try {
    await readTrades(pool, wanted, search, { ...sink, begin })
  } catch (error) {
    const { reached } = search
    if (signal.aborted || !isOverTime(error) || reached === undefined) throw error
    const cut = { ...search, deadlineMs: performance.now() + RECOUNT_MS_MAX, min: reached }
    await readTrades(pool, wanted, cut, { ...sink, begin })
  }
}

/** The plan that finds the trades of an export. */
type Search = {
  tradesMax: number
  deadlineMs: number
  signal: AbortSignal
  /** The seq down to which they are counted; `undefined`: none, or all are. */
  reached: number | undefined
  /** Where a search before this one ended because its time was over. */
  min?: number
}

function readTrades(pool: Pool, wanted: ExportWanted, search: Search, sink: ExportSink): Promise<void> {
  return transact(pool, async (tx) => {
    await tx`set transaction isolation level repeatable read, read only`
    const scope = await resolveExport(tx, wanted)
    const found = scope === undefined ? NOTHING : await findTrades(tx, scope, search)
    const { count, partialReason } = found
    sink.begin({ count, partialReason, fetchedInMs: 0 })
    if (scope === undefined || found.count === 0) return
    await limitQueries(tx, READ_MS_MAX)
    if (isInIndexOrder(scope)) await preferIndexOrder(tx)
    const counted = { ...scope, min: found.min }
    for await (const rows of selectExport(tx, counted, found.count).cursor(BATCH_ROWS)) {
      search.signal.throwIfAborted()
      await sink.write(rows)
    }
  })
}

/** `min`: the seq down to which they were counted. */
type Counted = Pick<FoundTrades, 'count' | 'partialReason'> & { min: number }

const NOTHING: Counted = { count: 0, partialReason: null, min: 0 }

/** `undefined`: there is no trade. */
async function resolveExport(sql: Sql, wanted: ExportWanted): Promise<ExportScope | undefined> {
  const { of, fromSec, toSec } = wanted
  const subject = await resolveSubject(sql, of)
  const range = await selectSeqRange(sql, { after: fromSec, before: toSec })
  return subject === undefined || range === undefined ? undefined : { ...range, subject }
}

async function resolveSubject(sql: Sql, of: ExportOf): Promise<ExportSubject | undefined> {
  if ('address' in of) {
    const wallet = await selectWalletId(sql, of.address)
    return wallet === undefined ? undefined : { of: 'wallet', wallet, view: of.view }
  }
  const { fills } = of
  if ('tag' in of) {
    const tags = await selectTagIds(sql, of.tag)
    return tags.length === 0 ? undefined : { of: 'tags', tags, fills }
  }
  const tokens = await selectTokenIds(sql, of)
  if (tokens === undefined) return { of: 'all', fills }
  return tokens.length === 0 ? undefined : { of: 'tokens', tokens, fills }
}

/** Counts from the newest trade back, until there are enough. */
async function findTrades(tx: Sql, scope: ExportScope, search: Search): Promise<Counted> {
  const { tradesMax, min = scope.min } = search
  const isCut = min > scope.min
  let count = 0
  search.reached = scope.until + 1
  for (const part of partsOf({ min, until: scope.until })) {
    count += await countWithin(tx, { ...scope, ...part }, tradesMax + 1 - count, search)
    search.reached = part.min
    if (count > tradesMax) {
      return { count: tradesMax, partialReason: 'hard_cap_250000', min: part.min }
    }
  }
  return { count, partialReason: isCut ? 'wall_clock_180s' : null, min }
}

/** The newest two partitions, then parts that are each twice as long as the one before. */
function* partsOf({ min, until }: SeqRange): Generator<SeqRange> {
  let last = until
  for (let length = 2 * PARTITION_SEQ; last >= min; length *= 2) {
    yield { min: Math.max(min, last - length + 1), until: last }
    last -= length
  }
}

/** Fails as a query that takes too long when the time is over. */
async function countWithin(
  tx: Sql,
  scope: ExportScope,
  limit: number,
  { deadlineMs, signal }: Search,
): Promise<number> {
  signal.throwIfAborted()
  await limitQueries(tx, Math.max(1, Math.floor(deadlineMs - performance.now())))
  const query = countExport(tx, scope, limit)
  const unlink = onAbort(signal, () => query.cancel())
  try {
    const [row] = await query
    return row?.count ?? 0
  } finally {
    unlink()
  }
}

/** For the rest of the transaction. */
const limitQueries = (tx: Sql, msMax: number) =>
  tx`select set_config('statement_timeout', ${`${msMax}`}, true)`
