import assert from 'node:assert'
import { partitionEnd, REORG_BLOCKS_MAX } from '../../core/blocks.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { Batch } from '../read/batch.js'
import type { Batches, BlockId, BlockSink, BookedRange, ChainCursor } from './block-sink.js'

type BookedBlock = { cursor: ChainCursor; parentHash: string | undefined; isNearHead: boolean }

/** A sink in memory that asserts what every sink may rely on. For tests. */
export class MemorySink implements BlockSink {
  readonly batches: Batch[] = []
  readonly reverts: { from: number; to: number }[] = []
  logs: ChainLog[] = []
  refused: ChainLog[] = []
  /** Blocks whose headers were given, by number. */
  readonly #booked = new Map<number, BookedBlock>()
  #cursor: ChainCursor | undefined
  #isBusy = false

  get cursor(): ChainCursor | undefined {
    return this.#cursor
  }

  async append(batches: Batches, onBooked?: (booked: BookedRange) => void): Promise<void> {
    for await (const batch of batches) {
      await this.#book(batch)
      const { logs, refused = [] } = batch
      onBooked?.({ ...batch, logs: logs.length, refused: refused.length })
    }
  }

  #book(batch: Batch): Promise<void> {
    return this.#alone(() => {
      const { fromBlock, toBlock, logs, refused = [], isNearHead } = batch
      this.#check(batch)
      for (const { number, hash, parentHash, timeSec } of batch.blocks) {
        const cursor = { block: number, hash, timeSec }
        this.#booked.set(number, { cursor, parentHash, isNearHead })
        if (number === toBlock) this.#cursor = cursor
      }
      assert.equal(this.#cursor?.block, toBlock, 'the last header is of the last block')
      assert(fromBlock <= toBlock)
      this.logs.push(...logs)
      this.refused.push(...refused)
      this.batches.push(batch)
    })
  }

  revert(toBlock: number): Promise<void> {
    return this.#alone(() => {
      const from = this.#cursor?.block ?? 0
      assert(toBlock < from && from - toBlock <= REORG_BLOCKS_MAX)
      for (let block = from; block > toBlock; block--) {
        assert(this.#booked.get(block)?.isNearHead, 'only what was journalled can be reverted')
        this.#booked.delete(block)
      }
      this.#cursor = this.#booked.get(toBlock)?.cursor
      assert(this.#cursor !== undefined, 'a sink is rewound to a block that it has')
      this.logs = this.logs.filter(({ at }) => at.blockNumber <= toBlock)
      this.refused = this.refused.filter(({ at }) => at.blockNumber <= toBlock)
      this.reverts.push({ from, to: toBlock })
    })
  }

  async hashOf(block: number): Promise<string | undefined> {
    const isKept = block >= (this.#cursor?.block ?? 0) - REORG_BLOCKS_MAX
    return isKept ? this.#booked.get(block)?.cursor.hash : undefined
  }

  async findAnchors(headBlock: number): Promise<readonly BlockId[]> {
    const known = [...this.#booked.values()].map(({ cursor }) => cursor)
    const shared = known.filter(({ block }) => block <= headBlock)
    const settled = known.findLast(({ block }) => block <= headBlock - REORG_BLOCKS_MAX)
    return [settled ?? [], shared[0] ?? []].flat()
  }

  #check({ fromBlock, toBlock, logs, blocks, isNearHead }: Batch): void {
    if (this.#cursor !== undefined) assert.equal(fromBlock, this.#cursor.block + 1, 'no hole')
    assert.equal(partitionEnd(fromBlock), partitionEnd(toBlock), 'one partition')
    assert.equal(blocks.at(-1)?.number, toBlock)
    if (isNearHead) assert.equal(blocks.length, toBlock - fromBlock + 1, 'every header')
    const [first] = blocks
    if (this.#cursor !== undefined) assert.equal(first?.parentHash, this.#cursor.hash, 'linked')
    for (const { at } of logs) {
      assert(at.blockNumber >= fromBlock && at.blockNumber <= toBlock)
      assert(at.timestampSec !== undefined, 'every log has a time')
    }
  }

  /** Booking takes a tick of the event loop, so that a caller that does not wait is detected. */
  async #alone(work: () => void): Promise<void> {
    assert(!this.#isBusy, 'one append or revert at a time')
    this.#isBusy = true
    await new Promise((resolve) => setImmediate(resolve))
    try {
      work()
    } finally {
      this.#isBusy = false
    }
  }
}
