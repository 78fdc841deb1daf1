import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { compressStrip, unwrapStrip } from './compression.js'
import { ensureBlockPartition } from './partitions.js'
import { insertStrips, type StoredStrip, type StripRow, toStrip } from './queries.js'
import type { RecordedChange } from './recorded-change.js'
import type { RecorderMetrics } from './recorder-metrics.js'
import { decodeStrip, encodeStrip } from './strip.js'
import { hourOfMs } from './token-recording.js'

/** Whole books of the next hour come within minutes; until then strips still belong to the last one. */
const SETTLE_MS = 5 * 60_000
const STRIPS_MAX = 4_000
/** A block with this many changes ends before the next whole book: each takes some 10 ms of the thread. */
const BLOCK_CHANGES = 10_000
/** Without a whole book it ends anywhere. */
const BLOCK_CHANGES_MAX = 30_000

/**
 * Packs the strips of finished hours into blocks, one of a token and hour after the other. Each is a transaction that
 * takes the strips out of the tail and adds the block: another process that packs finds none, and a crash
 * leaves either.
 */
export async function packRecordedBooks(
  pool: Pool,
  nowMs: number,
  metrics: Pick<RecorderMetrics, 'packed' | 'packedBytes'>,
  signal: AbortSignal,
): Promise<void> {
  const beforeHour = hourOfMs(nowMs - SETTLE_MS)
  while (!signal.aborted) {
    const next = await selectNext(pool, beforeHour)
    if (next === undefined) return
    const block = await transact(pool, (tx) => packBlock(tx, next))
    metrics.packed.inc(block?.changes ?? 0)
    metrics.packedBytes.inc(block?.bytes.length ?? 0)
  }
}

type OfBlock = { token: number; recording: number; hour: number }

/** Index: book_tail_hour. */
async function selectNext(sql: Sql, beforeHour: number): Promise<OfBlock | undefined> {
  const [row] = await sql<OfBlock[]>`
    select token, recording, hour from book_tail where hour < ${beforeHour} order by hour, token limit 1`
  return row
}

/** `undefined`: another process has packed it. */
async function packBlock(tx: Sql, of: OfBlock): Promise<StoredStrip | undefined> {
  const strips = cutBlock(await selectForPacking(tx, of))
  const [first] = strips
  const last = strips.at(-1)
  if (first === undefined || last === undefined) return undefined
  const changes: RecordedChange[] = []
  for (const { bytes } of strips)
    for (const change of decodeStrip(await unwrapStrip(bytes))) changes.push(change)
  await new Promise(setImmediate)
  const { toMs, toPlace } = last
  const bytes = await compressStrip(encodeStrip(changes))
  const block = { ...first, toMs, toPlace, changes: changes.length, bytes }
  await ensureBlockPartition(tx, of.hour)
  await insertStrips(tx, 'book_blocks', [block])
  await tx`
    delete from book_tail
     where token = ${of.token} and recording = ${of.recording} and hour = ${of.hour}
       and (from_ms, from_place) between (${first.fromMs}::bigint, ${first.fromPlace}::int)
       and (${last.fromMs}::bigint, ${last.fromPlace}::int)`
  return block
}

/** Locked: one process packs them. Index: book_tail_pkey. */
async function selectForPacking(tx: Sql, { token, recording, hour }: OfBlock): Promise<StoredStrip[]> {
  const rows = await tx<StripRow[]>`
    select * from book_tail
     where token = ${token} and recording = ${recording} and hour = ${hour}
     order by from_ms, from_place
     limit ${STRIPS_MAX}
       for update`
  return rows.map(toStrip)
}

/** The first strips, as many as a block takes. */
function cutBlock(strips: readonly StoredStrip[]): readonly StoredStrip[] {
  let changes = 0
  const end = strips.findIndex((strip) => {
    const isFull = changes >= BLOCK_CHANGES_MAX || (changes >= BLOCK_CHANGES && strip.isWhole)
    changes += strip.changes
    return isFull
  })
  return end === -1 ? strips : strips.slice(0, end)
}
