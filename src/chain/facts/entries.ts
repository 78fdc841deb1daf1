import { blockOf } from '../../core/seq.js'
import { type Entry, ZERO_WALLET } from '../../ledger/entry.js'
import type { Sql } from '../../store/connection.js'
import { EXCHANGES } from '../../upstreams/polygon/contracts.js'
import type { IdLookup } from './fact-kind.js'
import { type BatchFacts, BOOKED_KINDS, idsOfEntry } from './registry.js'

type EntryRange = { fromSeq: number; toSeq: number }

/** More rows than may share a `seq`: transfers are counted by an int2. */
const ROWS_MAX = 40_000
const EVERYTHING: EntryRange = { fromSeq: 0, toSeq: Number.MAX_SAFE_INTEGER - 1 }

/** All that the ledger books of a batch, in the order of `seq`. The ids must be resolved. */
export async function toEntries(tx: Sql, batch: BatchFacts, ids: IdLookup): Promise<Entry[]> {
  const context = { tx, ids, batch }
  const lists: Entry[][] = []
  for (const { list, entries } of BOOKED_KINDS) {
    if (batch[list].length > 0) lists.push(await entries.toEntries(batch[list], context))
  }
  return mergeEntries(lists)
}

/**
 * The stored facts as entries, the same and in the same order as when they were booked; both ends are
 * included. Rows that are written meanwhile may be missing: a caller to whom that matters passes a
 * transaction that reads one state.
 */
export async function* eachEntries(
  sql: Sql,
  { fromSeq, toSeq }: EntryRange,
  rowsMax = ROWS_MAX,
  wallets?: readonly number[],
): AsyncGenerator<Entry[]> {
  let from = fromSeq
  while (from <= toSeq) {
    const query = { fromSeq: from, toSeq, wallets, limit: rowsMax }
    const lists = await Promise.all(BOOKED_KINDS.map(({ entries }) => entries.select(sql, query)))
    const end = Math.min(toSeq, ...lists.map((list) => completeTo(list, rowsMax)))
    if (end < from) throw new Error(`too many rows share seq ${from}`)
    const entries = mergeEntries(lists.map((list) => list.filter(({ seq }) => seq <= end)))
    await setTimes(sql, entries)
    if (entries.length > 0) yield entries
    from = end + 1
  }
}

/** The entries that touch one of these wallets, on any side. */
export async function* walletEntries(
  sql: Sql,
  wallets: readonly number[],
  range = EVERYTHING,
  rowsMax = ROWS_MAX,
): AsyncGenerator<Entry[]> {
  // The other side of a trade or a split is in no index.
  const counterparts = new Set([ZERO_WALLET, ...(await selectExchanges(sql))])
  if (!wallets.some((wallet) => counterparts.has(wallet))) {
    yield* eachEntries(sql, range, rowsMax, wallets)
    return
  }
  const wanted = new Set(wallets)
  for await (const entries of eachEntries(sql, range, rowsMax)) {
    yield entries.filter((entry) => idsOfEntry(entry).wallets.some((wallet) => wanted.has(wallet)))
  }
}

/** The same entries in the same order; no block is in two lists. */
export async function* wholeBlocks(chunks: AsyncIterable<Entry[]>): AsyncGenerator<Entry[]> {
  let rest: Entry[] = []
  for await (const chunk of chunks) {
    const entries = rest.concat(chunk)
    const lastBlock = blockOf(entries.at(-1)?.seq ?? 0)
    const end = entries.findIndex(({ seq }) => blockOf(seq) === lastBlock)
    if (end > 0) yield entries.slice(0, end)
    rest = entries.slice(end)
  }
  if (rest.length > 0) yield rest
}

/** Ids of the exchanges that a fact has named. */
export async function selectExchanges(sql: Sql): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id
      from unnest(${[...EXCHANGES]}::text[]) as name
      join wallets on address = decode(substr(name, 3), 'hex')
     order by id`
  return rows.map(({ id }) => id)
}

/** Lists in the order of `seq` become one. Of equal entries that of the earlier list comes first. */
function mergeEntries(lists: readonly (readonly Entry[])[]): Entry[] {
  const merged = new Array<Entry>(lists.reduce((sum, { length }) => sum + length, 0))
  let length = 0
  const cursors = lists.filter((list) => list.length > 0).map((list) => ({ list, next: 0 }))
  for (;;) {
    let first: Entry | undefined
    let from: { next: number } | undefined
    for (const cursor of cursors) {
      const entry = cursor.list[cursor.next]
      if (entry === undefined || (first !== undefined && first.seq <= entry.seq)) continue
      first = entry
      from = cursor
    }
    if (first === undefined || from === undefined) return merged
    from.next++
    merged[length++] = first
  }
}

/** A list that reached its limit is complete below its last `seq` only: further rows may have that `seq` too. */
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
