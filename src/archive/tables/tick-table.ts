import { selectBlocks, selectLive } from '../../prices/archive/queries.js'
import { BLOCK_SEC, COLUMN_BYTES, TickBlock, tickBlockOf } from '../../prices/fast/tick-block.js'
import { STREAMS } from '../../prices/streams.js'
import type { Pool } from '../../store/connection.js'
import type { ArchiveDay } from '../days.js'
import type { ArchiveRow } from '../parquet/encode-file.js'
import type { ArchiveTable } from './archive-table.js'

type Tick = { sec: number; price: number; bid: number | null; ask: number | null }

const MICROS = 1_000_000n

/** Prices of coins, one a second of each stream. A tick that arrives after its day was archived is not in the file. */
export const TICKS: ArchiveTable = {
  name: 'ticks',
  follows: 'facts',
  columns: [
    { name: 'symbol', type: 'text' },
    { name: 'kind', type: 'text' },
    { name: 'source', type: 'text' },
    { name: 'time', type: 'time' },
    { name: 'price', type: 'float' },
    { name: 'bid', type: 'float', isNullable: true },
    { name: 'ask', type: 'float', isNullable: true },
  ],
  async *rows(pool, day) {
    for (const [stream, { symbol, kind, source }] of STREAMS) {
      const ticks = await selectTicksOf(pool, stream, day)
      if (ticks.length === 0) continue
      yield ticks.map(
        ({ sec, price, bid, ask }): ArchiveRow => [
          symbol,
          kind,
          source,
          BigInt(sec) * MICROS,
          price,
          bid,
          ask,
        ],
      )
    }
  },
}

/** Live ones first: a tick that is packed in between is then found twice, and counts once. */
async function selectTicksOf(pool: Pool, stream: number, { fromSec, untilSec }: ArchiveDay): Promise<Tick[]> {
  const { ticks: live } = await selectLive(pool, [stream], { fromSec, toSec: untilSec - 1 })
  const blocks = await selectBlocks(pool, [stream], tickBlockOf(fromSec), tickBlockOf(untilSec - 1))
  const bySec = new Map(
    live.map(({ sec, price, bid, ask }): [number, Tick] => [sec, { sec, price, bid, ask }]),
  )
  for (const { block, columns } of blocks) {
    const packed = new TickBlock(columns)
    const hasQuotes = columns.length > COLUMN_BYTES
    for (let slot = 0; slot < BLOCK_SEC; slot++) {
      const price = packed.priceAt(slot)
      if (Number.isNaN(price)) continue
      const sec = block * BLOCK_SEC + slot
      const [bid, ask] = hasQuotes ? [packed.bidAt(slot), packed.askAt(slot)] : [null, null]
      bySec.set(sec, { sec, price, bid, ask })
    }
  }
  return [...bySec.values()].sort((one, other) => one.sec - other.sec)
}
