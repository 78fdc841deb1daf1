import { blockOf } from '../../core/seq.js'
import { type Entry, ZERO_WALLET } from '../../ledger/entry.js'
import type { Sql } from '../../store/connection.js'
import { EXCHANGES } from '../../upstreams/polygon/contracts.js'
import {
  type EntryQuery,
  selectConversions,
  selectFills,
  selectMigrations,
  selectRedemptions,
  selectSplits,
  selectSupplies,
  selectTransfers,
} from './entry-queries.js'
import { mergeEntries } from './merge-entries.js'

type EntryRange = { fromSeq: number; toSeq: number }

/** More rows than may share a `seq`: transfers are counted by an int2. */
const ROWS_MAX = 40_000
const EVERYTHING: EntryRange = { fromSeq: 0, toSeq: Number.MAX_SAFE_INTEGER - 1 }

/**
 * The stored facts as entries, the same and in the same order as when they were booked; both ends are
 * included. What is written meanwhile may be seen or not: who cares passes a transaction that reads
 * one state.
 */
export function eachEntries(
  sql: Sql,
  range: EntryRange,
  rowsMax = ROWS_MAX,
): AsyncGenerator<Entry[]> {
  return eachChunk(sql, range, undefined, rowsMax)
}

/** The entries that touch one of these wallets, on any side. */
export async function* walletEntries(
  sql: Sql,
  wallets: readonly number[],
  range = EVERYTHING,
  rowsMax = ROWS_MAX,
): AsyncGenerator<Entry[]> {
  // The other side of a trade or a split is found by no index.
  const counterparts = new Set([ZERO_WALLET, ...(await selectExchanges(sql))])
  if (!wallets.some((wallet) => counterparts.has(wallet))) {
    yield* eachChunk(sql, range, wallets, rowsMax)
    return
  }
  const wanted = new Set(wallets)
  for await (const entries of eachChunk(sql, range, undefined, rowsMax)) {
    yield entries.filter((entry) => isTouching(entry, wanted))
  }
}

async function* eachChunk(
  sql: Sql,
  { fromSeq, toSeq }: EntryRange,
  wallets: readonly number[] | undefined,
  limit: number,
): AsyncGenerator<Entry[]> {
  let from = fromSeq
  while (from <= toSeq) {
    const lists = await selectAll(sql, { fromSeq: from, toSeq, wallets, limit })
    const end = Math.min(toSeq, ...lists.map((list) => completeTo(list, limit)))
    if (end < from) throw new Error(`too many rows share seq ${from}`)
    const entries = mergeEntries(lists.map((list) => list.filter(({ seq }) => seq <= end)))
    await setTimes(sql, entries)
    if (entries.length > 0) yield entries
    from = end + 1
  }
}

/** In the order in which entries of one `seq` are booked. */
function selectAll(sql: Sql, query: EntryQuery): Promise<Entry[][]> {
  return Promise.all([
    selectFills(sql, query),
    selectSplits(sql, query),
    selectRedemptions(sql, query),
    selectConversions(sql, query),
    selectMigrations(sql, query),
    selectTransfers(sql, query),
    selectSupplies(sql, query),
  ])
}

/** Behind the last row of a list that is full there may be more, even with its own `seq`. */
function completeTo(list: readonly Entry[], limit: number): number {
  const last = list.at(-1)
  return last === undefined || list.length < limit ? Number.POSITIVE_INFINITY : last.seq - 1
}

async function setTimes(sql: Sql, entries: readonly Entry[]): Promise<void> {
  const blocks = new Set(entries.map(({ seq }) => blockOf(seq)))
  if (blocks.size === 0) return
  const rows = await sql<{ number: number; time: number }[]>`
    select number, time from blocks where number = any(${[...blocks]}::integer[])`
  const times = new Map(rows.map(({ number, time }) => [number, time]))
  for (const entry of entries) {
    const time = times.get(blockOf(entry.seq))
    if (time === undefined) throw new Error(`block ${blockOf(entry.seq)} has facts and no time`)
    entry.timeSec = time
  }
}

/** Numbers of the exchanges that a fact has named. */
export async function selectExchanges(sql: Sql): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id
      from unnest(${[...EXCHANGES]}::text[]) as name
      join wallets on address = decode(substr(name, 3), 'hex')
     order by id`
  return rows.map(({ id }) => id)
}

function isTouching(entry: Entry, wallets: ReadonlySet<number>): boolean {
  switch (entry.kind) {
    case 'fill':
      return wallets.has(entry.wallet) || wallets.has(entry.exchange)
    case 'split':
    case 'redemption':
      return wallets.has(entry.wallet) || (entry.isCore && wallets.has(ZERO_WALLET))
    case 'conversion':
    case 'migration':
      return wallets.has(entry.wallet)
    case 'transfer':
      return wallets.has(entry.from) || wallets.has(entry.to)
    case 'supply':
      return false
  }
}
