import type { Sql } from '../../store/connection.js'
import { type Stream, streamId } from '../streams.js'
import type { StreamTick, TickState } from './queries.js'

/** A noon in November: a block and an hour begin with it. */
export const NOON_SEC = Date.UTC(2026, 10, 15, 12) / 1000

/** Bitcoin's spot price from the platform by default. */
export const idOf = (stream: Partial<Stream> = {}): number =>
  streamId({ symbol: 'BTC', kind: 'spot', source: 'platform_oracle', ...stream })

type TickParts = Partial<Stream> & { price?: number; bid?: number; ask?: number }

/** Without quotes by default. */
export const makeTick = (sec: number, parts: TickParts = {}): StreamTick => {
  const { price = 1, bid = null, ask = null, ...stream } = parts
  return { stream: idOf(stream), sec, price, bid, ask }
}

/** This many seconds, one after the other. */
export const makeTicks = (fromSec: number, count: number, parts: TickParts = {}): StreamTick[] =>
  Array.from({ length: count }, (_, index) => makeTick(fromSec + index, { price: index + 1, ...parts }))

export async function readState(sql: Sql): Promise<TickState | undefined> {
  const [state] = await sql<TickState[]>`select packed_until, revision from tick_state`
  return state
}

export async function countLive(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from live_ticks`
  return row?.count ?? 0
}

/** Deletes everything. Not for archives whose blocks are cached. */
export async function clearArchive(sql: Sql): Promise<void> {
  await sql`truncate live_ticks, tick_blocks, tick_hours, tick_gaps`
  await sql`update tick_state set packed_until = 0, revision = 0`
}

/** Ticks that are in blocks, read as the schema describes them; by stream, then by time. */
export async function readPacked(sql: Sql): Promise<StreamTick[]> {
  const rows = await sql<{ stream: number; block: number; columns: Buffer }[]>`
    select stream, block, columns from tick_blocks order by stream, block`
  return rows.flatMap(({ stream, block, columns }) =>
    Array.from({ length: 300 }, (_, slot) => {
      const hasQuotes = columns.length === 3 * 2_400
      const at = (column: number) => columns.readDoubleLE(column * 2_400 + slot * 8)
      const quoteAt = (column: number) => (hasQuotes && !Number.isNaN(at(column)) ? at(column) : null)
      return { stream, sec: block * 300 + slot, price: at(0), bid: quoteAt(1), ask: quoteAt(2) }
    }).filter(({ price }) => !Number.isNaN(price)),
  )
}

/** The first tick of each second, by stream, then by time. */
export function firstTicks(ticks: readonly StreamTick[]): StreamTick[] {
  const first = new Map<string, StreamTick>()
  for (const tick of ticks) {
    const key = `${tick.stream} ${tick.sec}`
    if (!first.has(key)) first.set(key, tick)
  }
  return [...first.values()].sort((a, b) => a.stream - b.stream || a.sec - b.sec)
}
