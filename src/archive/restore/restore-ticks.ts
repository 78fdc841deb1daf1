import { moveIntoBlocks } from '../../prices/archive/pack.js'
import type { StreamTick } from '../../prices/archive/queries.js'
import { STREAMS } from '../../prices/streams.js'
import type { Sql } from '../../store/connection.js'
import type { TableManifest } from '../manifest.js'
import type { ArchiveStore } from '../store/archive-store.js'
import { type ColumnValues, readTable, rowsOf } from './read-columns.js'

const COLUMNS = ['symbol', 'kind', 'source', 'time', 'price', 'bid', 'ask'] as const
const TICKS_AT_ONCE = 20_000
const MICROS = 1_000_000n

/** Puts the coin prices of a day into their blocks of five minutes. */
export async function restoreTicks(
  tx: Sql,
  manifest: TableManifest | undefined,
  store: ArchiveStore,
): Promise<void> {
  const streams = new Map(
    [...STREAMS].map(([id, { symbol, kind, source }]) => [`${symbol} ${kind} ${source}`, id]),
  )
  for await (const group of readTable(manifest, COLUMNS, { store })) {
    const ticks = toTicks(group, streams)
    for (let at = 0; at < ticks.length; at += TICKS_AT_ONCE) {
      await moveIntoBlocks(tx, ticks.slice(at, at + TICKS_AT_ONCE))
    }
  }
}

/** Ticks of a stream that this version does not know are left out. */
function toTicks(group: ColumnValues, streams: ReadonlyMap<string, number>): StreamTick[] {
  const ticks: StreamTick[] = []
  for (const { symbol, kind, source, time, price, bid, ask } of rowsOf(group, COLUMNS)) {
    const stream = streams.get(`${symbol} ${kind} ${source}`)
    if (stream === undefined) continue
    const sec = Number((time as bigint) / MICROS)
    ticks.push({ stream, sec, price: Number(price), bid: toQuote(bid), ask: toQuote(ask) })
  }
  return ticks
}

const toQuote = (value: unknown): number | null =>
  value === null || value === undefined ? null : Number(value)
