import { ensureTickPartitions } from '../../src/prices/archive/partitions.js'
import { upsertBlocks } from '../../src/prices/archive/queries.js'
import { BLOCK_SEC, TickBlock, tickBlockOf } from '../../src/prices/fast/tick-block.js'
import { type Stream, streamId } from '../../src/prices/streams.js'
import type { Pool } from '../../src/store/connection.js'
import { transact } from '../../src/store/transaction.js'

const BLOCKS_PER_WRITE = 200

/** Fills an archive with ticks for every second, from one block to the one before another. */
export async function fillArchive(
  pool: Pool,
  streams: readonly Stream[],
  fromBlock: number,
  untilBlock: number,
): Promise<void> {
  for (const stream of streams) {
    for (let block = fromBlock; block < untilBlock; block += BLOCKS_PER_WRITE) {
      const count = Math.min(BLOCKS_PER_WRITE, untilBlock - block)
      const blocks = Array.from({ length: count }, (_, index) => block + index)
      await transact(pool, async (tx) => {
        await ensureTickPartitions(tx, blocks)
        await upsertBlocks(
          tx,
          blocks.map((each) => toRow(stream, each)),
        )
      })
    }
  }
  await pool`update tick_state set packed_until = ${untilBlock}, revision = revision + 1`
  await pool`analyze tick_blocks`
}

/**
 * The same five minutes again and again, which is much faster: for ticks that no measurement reads. Without
 * `hasTicks` the rows are there, but empty, which takes little room.
 */
export async function repeatBlocks(
  pool: Pool,
  streams: readonly Stream[],
  { fromBlock, untilBlock, hasTicks }: { fromBlock: number; untilBlock: number; hasTicks: boolean },
): Promise<void> {
  const blocks = Array.from({ length: untilBlock - fromBlock }, (_, index) => fromBlock + index)
  await transact(pool, (tx) => ensureTickPartitions(tx, blocks))
  for (const stream of streams) {
    const columns = hasTicks ? toRow(stream, fromBlock).ticks.toBytes() : Buffer.of()
    await transact(pool, async (tx) => {
      await tx`set local statement_timeout = 0`
      await tx`
        insert into tick_blocks (stream, block, columns)
        select ${streamId(stream)}, block, ${columns}
          from generate_series(${fromBlock}::int, ${untilBlock - 1}::int) block`
    })
  }
}

/** The block before the one that runs. */
export const lastBlock = (): number => tickBlockOf(Math.floor(Date.now() / 1000)) - 1

/** Eight decimals, as the oracle's prices have; only the oracle's own streams have quotes. */
function toRow(stream: Stream, block: number) {
  const ticks = new TickBlock()
  const hasQuotes = stream.source === 'oracle_data_streams'
  for (let slot = 0; slot < BLOCK_SEC; slot++) {
    const sec = block * BLOCK_SEC + slot
    const cents = 9_000_000 + Math.round(50_000 * Math.sin(sec / 5_000) + 900 * Math.sin(sec))
    const price = Number(`${Math.floor(cents / 100)}.${cents % 100}${(sec * 7919) % 1_000_000}`)
    const quotes = hasQuotes ? { bid: price - 1.25, ask: price + 1.75 } : {}
    ticks.put(slot, { price, bid: null, ask: null, ...quotes })
  }
  return { stream: streamId(stream), block, ticks }
}
