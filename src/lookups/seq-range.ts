import { PARTITION_BLOCKS } from '../core/blocks.js'
import { badRequest } from '../core/errors.js'
import type { Page } from '../core/page.js'
import { endOfBlock, LOGS_PER_BLOCK } from '../core/seq.js'
import { SECONDS_MAX, toTimeColumn } from '../core/unix-time.js'
import type { Sql } from '../store/connection.js'

/** Facts with `min` <= seq <= `until`. */
export type SeqRange = { min: number; until: number }

/** Both ends are included, in Unix seconds. */
export type TimeRange = { after?: number | undefined; before?: number | undefined }

type RangeRow = { head: number | null; first: number | null; last: number | null }

/**
 * The range of `seq` that a range of time covers, up to the head or to an earlier `until`.
 * `undefined`: there is no fact in it. Index: blocks_time.
 */
export async function selectSeqRange(
  sql: Sql,
  { after, before }: TimeRange,
  until = Number.POSITIVE_INFINITY,
): Promise<SeqRange | undefined> {
  checkTimeRange({ after, before })
  const [row] = await sql<RangeRow[]>`
    select (select block from chain_state) as head,
           (select number from blocks where time >= ${toTimeColumn(after ?? 0)} order by time, number limit 1)
             as first,
           (select number from blocks where time <= ${toTimeColumn(before ?? SECONDS_MAX)}
             order by time desc, number desc limit 1) as last`
  if (row?.head == null || row.first === null || row.last === null) return undefined
  const lastBlock = before === undefined ? row.head : row.last
  const range = {
    min: after === undefined ? 0 : row.first * LOGS_PER_BLOCK,
    until: Math.min(until, endOfBlock(lastBlock)),
  }
  return range.min <= range.until ? range : undefined
}

/** Whose facts are selected; a field that is left out does not filter. */
export type NamedIds = { wallet?: number | undefined; tokens?: readonly number[] | undefined }

/**
 * The part of a range in which facts may name the wallet, and one of the tokens: a market of this week needs no look into
 * the partitions of four years. Indexes: wallets_pkey, tokens_pkey.
 */
export async function sinceNamed(sql: Sql, range: SeqRange, { wallet, tokens }: NamedIds): Promise<SeqRange> {
  if (wallet === undefined && tokens === undefined) return range
  const [row] = await sql<{ since: number | null }[]>`
    select greatest((select since from wallets where id = ${wallet ?? null}),
                    (select min(since) from tokens where id = any(${tokens === undefined ? null : [...tokens]}::integer[]))
                   )::float8 as since`
  return { ...range, min: Math.max(range.min, row?.since ?? 0) }
}

/** Throws a 400 for a range that ends before it begins. */
export function checkTimeRange({ after, before }: TimeRange): void {
  if (after !== undefined && before !== undefined && after > before) {
    throw badRequest('Invalid range: `after` must not be later than `before`.')
  }
}

/** The condition that a column lies in the range. */
export const withinSeq = (sql: Sql, column: string, { min, until }: SeqRange) =>
  sql`${sql(column)} between ${min} and ${until}`

/** The range without what comes before the cursor, whose key begins with a `seq`. */
export function rangeAfterCursor(scope: SeqRange & { isAscending: boolean }, { after }: Page): SeqRange {
  const { min, until, isAscending } = scope
  const [seq] = after ?? []
  if (seq === undefined) return { min, until }
  return isAscending ? { min: Number(seq) + 1, until } : { min, until: Number(seq) - 1 }
}

export const PARTITION_SEQ = PARTITION_BLOCKS * LOGS_PER_BLOCK

/**
 * A range of several partitions in two, in the order of the pages: first the last partition that it
 * reaches with the one before, where most pages end, then the rest. A query over both has to
 * open the indexes of a hundred partitions, which takes longer than to read a page.
 */
export function splitRange(range: SeqRange, isAscending: boolean): SeqRange[] {
  const { min, until } = range
  const edge = isAscending
    ? (Math.floor(min / PARTITION_SEQ) + 2) * PARTITION_SEQ
    : (Math.floor(until / PARTITION_SEQ) - 1) * PARTITION_SEQ
  if (edge <= min || edge > until) return [range]
  const ranges = [
    { min, until: edge - 1 },
    { min: edge, until },
  ]
  return isAscending ? ranges : ranges.reverse()
}
