import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { OperatorError } from '../../core/errors.js'
import { seqOf } from '../../core/seq.js'
import { systemTiming } from '../../lib/timing.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import { chargeConversions, chargeStoredConversions } from '../facts/conversion.js'
import { selectPools } from '../facts/raw-log.js'
import type { ChainCursor } from '../follow/block-sink.js'
import { blockNumbers, checkParents, inconsistentAnswer, readHeads, toBatchBlock } from '../follow/headers.js'
import { selectState } from '../queries.js'
import { areDigestsRight, replaceDigests } from '../write/fact-digests.js'
import { cutFacts } from '../write/fact-writer.js'
import { ensurePartitions, forgetLostPartitions } from '../write/partitions.js'
import {
  addCoverage,
  cutCoverage,
  cutRecentBlocks,
  lockState,
  mendRecentBlocks,
  moveEpoch,
  readState,
  selectHoles,
  selectRecentBlock,
} from '../write/state.js'
import { BatchIds } from './batch-ids.js'
import { eachFacts, type ReadBatch } from './each-facts.js'
import { updateChecksums } from './id-queries.js'
import { mendIds } from './mend-ids.js'
import { moveRepair } from './queries.js'
import { type ReadOptions, readRange, retryFaults } from './read-range.js'
import {
  addReplacements,
  countDifferences,
  type Replacements,
  replaceFacts,
  stageFacts,
  unstageFacts,
} from './replace-facts.js'
import { dropTwins } from './twin-tables.js'

type ReadAgainOptions = ReadOptions & { pool: Pool }

/** Only this few blocks are replaced in the transaction in which the head waits. */
const LAST_BLOCKS_MAX = REORG_BLOCKS_MAX + 32
/** While blocks are replaced, node and ledger disagree for a moment. */
const CHAIN_TRIES = 4
const CHAIN_RETRY_MS = 2_000

/**
 * Reads booked blocks again and makes the stored facts what the node has, beside the block writer of
 * the head. Each batch is one transaction, which also notes how far it has come: an interrupted run
 * goes on there. The blocks that a reorganisation may take back are one transaction together.
 */
export class RepairReader {
  /** Read so far. */
  fills = 0
  readonly replaced: Replacements = new Map()
  readonly #pool: Pool
  readonly #pools: Set<string>

  private constructor(pool: Pool, pools: Set<string>) {
    this.#pool = pool
    this.#pools = pools
  }

  static async open(pool: Pool): Promise<RepairReader> {
    return new RepairReader(pool, await selectPools(pool))
  }

  async read(range: BlockRange, options: ReadAgainOptions, signal: AbortSignal): Promise<void> {
    const { toBlock } = range
    for (let next = range.fromBlock; next <= toBlock; ) {
      const { block: lastBlock } = await selectState(this.#pool)
      const lastSafe = (lastBlock ?? 0) - REORG_BLOCKS_MAX
      if (toBlock <= lastSafe || lastSafe - next > LAST_BLOCKS_MAX) {
        const old = { fromBlock: next, toBlock: Math.min(toBlock, lastSafe) }
        const store = (read: ReadBatch) => this.#replaceOld(read)
        const place = { ...old, previousHash: undefined }
        await readRange(place, { ...options, pools: this.#pools, store }, signal)
        next = old.toBlock + 1
      } else {
        await this.#readRecent({ fromBlock: next, toBlock }, options, signal)
        next = toBlock + 1
      }
    }
  }

  async #replaceOld(read: ReadBatch): Promise<void> {
    await this.#preparePartitions(read.batch)
    const replaced = await transact(this.#pool, async (tx) => {
      await tx`set local statement_timeout = 0`
      const changes = await replaceBatch(tx, read)
      await moveRepair(tx, read.batch.toBlock)
      return changes
    })
    this.#count(read, replaced)
  }

  /** The blocks up to the booked head must be those of the node: their headers prove that they are. */
  async #readRecent(range: BlockRange, options: ReadAgainOptions, signal: AbortSignal): Promise<void> {
    const { polygon, onBatch, limits, timing } = options
    const readOnce = async () => {
      const { cursor } = await readState(this.#pool)
      if (cursor === undefined) throw new Error('a ledger has a last block')
      const heads = await readHeads(polygon, blockNumbers(range.fromBlock, cursor.block), signal)
      checkLinks(heads, cursor)
      const reads: ReadBatch[] = []
      const place = { ...range, previousHash: undefined }
      const facts = eachFacts(polygon, place, signal, { pools: this.#pools, limits, timing })
      for await (const read of facts) {
        checkHashes(read, heads)
        reads.push(read)
      }
      signal.throwIfAborted()
      await this.#replaceRecent(range, cursor, heads, reads)
      for (const { batch } of reads) onBatch(batch)
    }
    await retryFaults(() => range.fromBlock, readOnce, options, signal)
  }

  async #replaceRecent(
    range: BlockRange,
    linked: ChainCursor,
    heads: readonly Head[],
    reads: readonly ReadBatch[],
  ): Promise<void> {
    await this.#preparePartitions(range)
    const counts = await transact(this.#pool, async (tx) => {
      await tx`set local statement_timeout = 0`
      const all: Replacements[] = []
      for (const read of reads) all.push(await replaceBatch(tx, read))
      const { cursor } = await lockState(tx)
      // The block that the headers link to is still booked, so all blocks below it are, too.
      if (cursor === undefined || (await hashOf(tx, cursor, linked.block)) !== linked.hash) {
        throw inconsistentAnswer('blocks were replaced while they were read again')
      }
      // What a database has above its last block, no block has booked.
      await cutFacts(tx, cursor.block + 1)
      await cutRecentBlocks(tx, cursor.block + 1)
      await cutCoverage(tx, cursor.block + 1)
      const within = heads.filter(({ number }) => number <= range.toBlock)
      const recent = await mendRecentBlocks(tx, within.map(toBatchBlock))
      await moveRepair(tx, range.toBlock)
      return [...all, new Map([['recent_blocks', recent]])]
    })
    for (const read of reads) this.#count(read, new Map())
    for (const each of counts) this.#add(each)
  }

  async #preparePartitions({ fromBlock, toBlock }: BlockRange): Promise<void> {
    await transact(this.#pool, async (tx) => {
      await forgetLostPartitions(tx)
      await ensurePartitions(tx, fromBlock, toBlock, { bare: false })
    })
  }

  #count({ facts }: ReadBatch, replaced: Replacements): void {
    this.fills += facts.fills.length
    this.#add(replaced)
  }

  #add(replaced: Replacements): void {
    for (const [table, count] of replaced) addReplacements(this.replaced, table, count)
  }
}

/**
 * Makes what is stored of a batch what was read. The head waits only where something differs. Returns
 * how many rows differed.
 */
async function replaceBatch(tx: Sql, { batch, facts }: ReadBatch): Promise<Replacements> {
  const range = { fromBlock: batch.fromBlock, toBlock: batch.toBlock }
  await unstageFacts(tx)
  await chargeConversions(tx, facts)
  const ids = await BatchIds.read(tx, facts, range)
  await stageFacts(tx, facts, ids)
  const differences = await countDifferences(tx, range)
  const isCovered = (await selectHoles(tx, range)).length === 0
  if (ids.isSound) {
    await updateChecksums(tx, {
      fromSeq: seqOf(range.fromBlock, 0),
      toSeq: seqOf(range.toBlock + 1, 0) - 1,
    })
  }
  const isSame = isCovered && differences.size === 0 && (await areDigestsRight(tx, range))
  if (ids.isSound && isSame) return differences
  const { cursor } = await lockState(tx)
  const mended = ids.isSound
    ? new Map<string, number>()
    : await mendIds(tx, facts, range, cursor?.block ?? range.toBlock)
  if (!ids.isSound) {
    await stageFacts(tx, facts, await BatchIds.read(tx, facts, range))
    // The ids that the block writer has in memory are void.
    await moveEpoch(tx)
  }
  const replaced = await countDifferences(tx, range)
  await replaceFacts(tx, range)
  await replaceDigests(tx, range)
  await unstageFacts(tx)
  if (replaced.has('neg_risk_markets')) await chargeStoredConversions(tx, facts.negRiskMarkets)
  await addCoverage(tx, range)
  // A new ledger that was begun has folded other facts.
  await dropTwins(tx)
  return new Map([...mended, ...replaced])
}

async function hashOf(tx: Sql, cursor: ChainCursor, block: number): Promise<string | undefined> {
  return block === cursor.block ? cursor.hash : (await selectRecentBlock(tx, block))?.hash
}

function checkLinks(heads: readonly Head[], { block, hash }: ChainCursor): void {
  checkParents(
    heads.map((head) => ({ first: head, last: head })),
    undefined,
  )
  if (heads.at(-1)?.hash !== hash) {
    throw inconsistentAnswer(`the node has another block ${block} than the booked one`)
  }
}

function checkHashes({ batch }: ReadBatch, heads: readonly Head[]): void {
  const hashes = new Map(heads.map(({ number, hash }) => [number, hash]))
  for (const { number, hash } of batch.blocks) {
    if (hashes.get(number) !== hash) {
      throw inconsistentAnswer(`block ${number} changed while it was read`)
    }
  }
}

/** A node of another chain must not replace facts: it has the last block that is booked. */
export async function checkBookedChain(
  { pool, polygon, timing = systemTiming }: Pick<ReadAgainOptions, 'pool' | 'polygon' | 'timing'>,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { cursor } = await readState(pool)
    if (cursor === undefined) return
    const head = await polygon.getBlock(cursor.block, signal)
    if (head?.hash === cursor.hash) return
    if (tries < CHAIN_TRIES) {
      await timing.sleep(CHAIN_RETRY_MS, signal)
      continue
    }
    throw new OperatorError(
      head === undefined
        ? `The node does not have block ${cursor.block}, the last one that is booked: it is behind. Wait until it is in sync, or set another node (AUSPEX_POLYGON_URL or --polygon-url).`
        : `The node has another block ${cursor.block} than the booked one: it is of another chain, or the chain was reorganised. Set the right node (AUSPEX_POLYGON_URL or --polygon-url), or start the service, which books the reorganisation.`,
    )
  }
}
