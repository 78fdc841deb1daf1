import { partitionEnd, REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { OperatorError } from '../../core/errors.js'
import { groupBy } from '../../lib/group-by.js'
import { systemTiming } from '../../lib/timing.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import { compareFacts, type FactPair, isSameFact } from '../compare/compare-facts.js'
import { areIdsSame, compareIds } from '../compare/compare-ids.js'
import { chargeConversions, chargeStoredConversions } from '../facts/conversion.js'
import { selectPools } from '../facts/raw-log.js'
import type { BatchFacts } from '../facts/registry.js'
import type { ChainCursor } from '../follow/block-sink.js'
import { joinBlocks, readLogsOf } from '../follow/read-blocks.js'
import { IdRegistry } from '../ids/id-registry.js'
import { selectState } from '../queries.js'
import {
  blockNumbers,
  checkParents,
  inconsistentAnswer,
  missingBlock,
  readHeads,
  toBatchBlock,
} from '../read/headers.js'
import { areDigestsRight, replaceDigests } from '../write/fact-digests.js'
import { deleteFacts, deleteFactsFrom, writeFacts } from '../write/fact-writer.js'
import { ensurePartitions, forgetLostPartitions } from '../write/partitions.js'
import {
  addCoverage,
  deleteCoverageFrom,
  deleteRecentBlocksFrom,
  lockState,
  moveEpoch,
  readState,
  repairRecentBlocks,
  selectHoles,
  selectRecentBlock,
} from '../write/state.js'
import { moveRepair } from './queries.js'
import { type ReadBatch, type ReadOptions, readRange, retryFaults, toReadBatch } from './read-range.js'
import { type Replacements, repairIds, updateChecksums } from './repair-ids.js'
import { dropShadowTables } from './shadow-tables.js'

type ReadAgainOptions = ReadOptions & { pool: Pool }

/** Only this few blocks are replaced in the transaction in which the head waits. */
const LAST_BLOCKS_MAX = REORG_BLOCKS_MAX + 32
/** While blocks are replaced, node and ledger disagree for a moment. */
const CHAIN_TRIES = 4
const CHAIN_RETRY_MS = 2_000

/**
 * Reads booked blocks again and makes the stored facts what the node has, beside the block writer of
 * the head. Each batch is one transaction, which also notes how far it has come: an interrupted run
 * goes on there. The blocks that a reorganisation may revert are one transaction together.
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
        const batchRange = { ...old, previousHash: undefined }
        await readRange(batchRange, { ...options, pools: this.#pools, store }, signal)
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
    const { polygon, onBatch } = options
    const readOnce = async () => {
      const { cursor } = await readState(this.#pool)
      if (cursor === undefined) throw new Error('a ledger has a last block')
      const heads = await readHeads(polygon, blockNumbers(range.fromBlock, cursor.block), signal)
      checkLinks(heads, cursor)
      const reads: ReadBatch[] = []
      for (let next = range.fromBlock; next <= range.toBlock; ) {
        const end = Math.min(range.toBlock, partitionEnd(next))
        const within = heads.filter(({ number }) => number >= next && number <= end)
        reads.push(await this.#readChecked(polygon, within, signal))
        next = end + 1
      }
      signal.throwIfAborted()
      await this.#replaceRecent(range, cursor, heads, reads)
      for (const { batch } of reads) onBatch(batch)
    }
    await retryFaults(() => range.fromBlock, readOnce, options, signal)
  }

  /** As the head reads blocks: a node that leaves out logs of a new block must not take right facts away. */
  async #readChecked(
    polygon: PolygonClient,
    heads: readonly Head[],
    signal: AbortSignal,
  ): Promise<ReadBatch> {
    const blocks = await readLogsOf(polygon, heads, { signal })
    const missing = heads[blocks.length]
    if (missing !== undefined) throw missingBlock(missing.number)
    return toReadBatch(joinBlocks(blocks), this.#pools)
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
      // Removes surplus rows above the last booked block: no booked block can have written them.
      await deleteFactsFrom(tx, cursor.block + 1)
      await deleteRecentBlocksFrom(tx, cursor.block + 1)
      await deleteCoverageFrom(tx, cursor.block + 1)
      const within = heads.filter(({ number }) => number <= range.toBlock)
      const recent = await repairRecentBlocks(tx, within.map(toBatchBlock))
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
    for (const [table, count] of replaced) {
      if (count > 0) this.replaced.set(table, (this.replaced.get(table) ?? 0) + count)
    }
  }
}

/**
 * Makes what is stored of a batch what was read: where anything differs, all its facts are deleted and
 * written again. The head waits only then. Returns how many rows differed.
 */
async function replaceBatch(tx: Sql, { batch, facts }: ReadBatch): Promise<Replacements> {
  const range = { fromBlock: batch.fromBlock, toBlock: batch.toBlock }
  await chargeConversions(tx, facts)
  const areIdsRight = areIdsSame(await compareIds(tx, facts, range))
  if (areIdsRight) await updateChecksums(tx, range)
  const differences = countDifferences(await compareFacts(tx, facts, range))
  const isCovered = (await selectHoles(tx, range)).length === 0
  const areFactsRight = isCovered && differences.size === 0 && (await areDigestsRight(tx, range))
  if (areIdsRight && areFactsRight) return differences
  const { cursor } = await lockState(tx)
  const replaced = areIdsRight ? differences : await repairBatchIds(tx, facts, range, cursor?.block)
  const ids = new IdRegistry()
  await ids.resolve(tx, facts, { journal: false })
  await deleteFacts(tx, range)
  await writeFacts(tx, facts, ids)
  await replaceDigests(tx, range)
  if (replaced.has('neg_risk_markets')) await chargeStoredConversions(tx, facts.negRiskMarkets)
  await addCoverage(tx, range)
  // A new ledger that was begun has folded other facts.
  await dropShadowTables(tx)
  return replaced
}

/** Returns how many rows of ids differed, and of facts with the right ids. */
async function repairBatchIds(
  tx: Sql,
  facts: BatchFacts,
  range: BlockRange,
  cursorBlock = range.toBlock,
): Promise<Replacements> {
  const repaired = await repairIds(tx, facts, range, cursorBlock)
  // The ids that the block writer has in memory are void.
  await moveEpoch(tx)
  return new Map([...repaired, ...countDifferences(await compareFacts(tx, facts, range))])
}

/** A row that was changed counts once, and so do one that is missing and one that is too many. */
function countDifferences(pairs: readonly FactPair[]): Replacements {
  const differences: Replacements = new Map()
  for (const [table, differing] of groupBy(
    pairs.filter((pair) => !isSameFact(pair)),
    (pair) => pair.table,
  )) {
    const missing = differing.filter(({ stored }) => stored === undefined).length
    const surplus = differing.filter(({ fromNode }) => fromNode === undefined).length
    differences.set(table, differing.length - Math.min(missing, surplus))
  }
  return differences
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
