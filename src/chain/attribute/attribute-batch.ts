import { LogDecoder } from '../../upstreams/polygon/decode.js'
import type { ChainLog, LogPosition } from '../../upstreams/polygon/log.js'
import type { BatchBlock } from '../facts/block.js'
import type { BatchFacts } from '../facts/registry.js'
import { attributeTransaction } from './attribute-transaction.js'
import { Attribution } from './attribution.js'
import { isNext, orderLogs, UntrustedLogsError } from './order-logs.js'

type BatchInput = {
  logs: readonly ChainLog[]
  /** Logs that the node returned although their blocks lack them: they go into quarantine. */
  refused?: readonly ChainLog[] | undefined
  /** Headers that were read; the time of other blocks is that of their logs. */
  blocks: readonly BatchBlock[]
  /** Market makers that earlier logs created (`fpmmCreation`): their acts bear no cost. */
  pools?: ReadonlySet<string>
  /** Keeps texts for the next batch; without it the batch has one of its own. */
  decoder?: LogDecoder
}

/**
 * The facts of one batch of blocks. Every log becomes a fact, a raw log or a row of the quarantine.
 * Throws UntrustedLogsError when the logs contradict each other about the chain itself, and another
 * error when neither a header nor a log has the time of a block.
 */
export function attributeBatch(input: BatchInput): BatchFacts {
  for (const steps = attributeBatchInSteps(input); ; ) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same in steps of a few milliseconds, so that the caller can let the event loop run. */
export function* attributeBatchInSteps(input: BatchInput): Generator<void, BatchFacts> {
  // Nodes usually return logs in order, and then they need no sorting.
  const attribution =
    (yield* attributeInOrder(input)) ?? (yield* attributeInOrder({ ...input, logs: orderLogs(input.logs) }))
  if (attribution === undefined) throw new Error('logs that were sorted are in order')
  for (const log of input.refused ?? [])
    attribution.quarantine('not_in_receipts', 'its block does not have it', log)
  return finish(attribution)
}

const LOGS_PER_STEP = 1_000

const NO_POOLS: ReadonlySet<string> = new Set()

/** `undefined`: the logs are not in the order of the chain. */
function* attributeInOrder({
  logs,
  blocks,
  pools = NO_POOLS,
  decoder = new LogDecoder(),
}: BatchInput): Generator<void, Attribution | undefined> {
  const batchBlocks = new BatchBlocks(blocks)
  const attribution = new Attribution(pools, decoder)
  let first: ChainLog | undefined
  let previous: ChainLog | undefined
  let from = 0
  let stepEnd = LOGS_PER_STEP
  for (let index = 0; index < logs.length; index++) {
    const log = logs[index]
    if (log === undefined || !isNext(previous, log)) return undefined
    if (first !== undefined && !isSameTransaction(first, log)) {
      attributeTransaction(attribution, logs, from, index, batchBlocks.of(first.at))
      from = index
      first = log
      if (index >= stepEnd) {
        stepEnd = index + LOGS_PER_STEP
        yield
      }
    }
    first ??= log
    previous = log
  }
  if (first !== undefined)
    attributeTransaction(attribution, logs, from, logs.length, batchBlocks.of(first.at))
  attribution.facts.blocks = batchBlocks.list()
  return attribution
}

function isSameTransaction({ at: a }: ChainLog, { at: b }: ChainLog): boolean {
  return a.txHash === b.txHash && a.blockNumber === b.blockNumber && a.blockHash === b.blockHash
}

function finish({ facts }: Attribution): BatchFacts {
  // Within a transaction these lists are filled in more than one pass.
  const { resolutions, outcomes, rawLogs, quarantine, approvals } = facts
  for (const rows of [resolutions, outcomes, rawLogs, quarantine, approvals])
    rows.sort((a, b) => a.seq - b.seq)
  return facts
}

/** The blocks of a batch: those whose headers were read, and those of which only logs were read. */
class BatchBlocks {
  readonly #blocks = new Map<number, BatchBlock>()

  constructor(blocks: readonly BatchBlock[]) {
    for (const block of blocks) {
      const other = this.#blocks.get(block.number)
      if (other !== undefined && other.hash !== block.hash)
        throw new UntrustedLogsError(`two versions of block ${block.number}`)
      this.#blocks.set(block.number, block)
    }
  }

  /** The block of a log. Throws UntrustedLogsError when the block of that number has another hash. */
  of({ blockNumber, blockHash, timestampSec }: LogPosition): BatchBlock {
    const known = this.#blocks.get(blockNumber)
    if (known !== undefined) {
      if (known.hash !== blockHash) throw new UntrustedLogsError(`two versions of block ${blockNumber}`)
      return known
    }
    if (timestampSec === undefined) throw new Error(`no log or header has the time of block ${blockNumber}`)
    const block = {
      number: blockNumber,
      hash: blockHash,
      parentHash: undefined,
      timeSec: timestampSec,
    }
    this.#blocks.set(blockNumber, block)
    return block
  }

  list(): BatchBlock[] {
    return [...this.#blocks.values()].sort((a, b) => a.number - b.number)
  }
}
