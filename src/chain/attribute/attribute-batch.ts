import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BatchBlock } from '../facts/block.js'
import type { BatchFacts } from '../facts/registry.js'
import { attributeTransaction } from './attribute-transaction.js'
import { Attribution } from './attribution.js'
import { BatchBlocks } from './batch-blocks.js'
import { isNext, orderLogs } from './order-logs.js'

type BatchInput = {
  logs: readonly ChainLog[]
  /** Logs that their blocks do not have after all. */
  refused?: readonly ChainLog[] | undefined
  /** Headers that were read; without one a block has the time that its logs give. */
  blocks: readonly BatchBlock[]
  /** Market makers that earlier logs created (`fpmmCreation`): their acts are nobody's. */
  pools?: ReadonlySet<string>
}

/**
 * Everything that the logs of some blocks say. Whatever stands in a log, it is kept, put apart or
 * booked. Throws UntrustedLogsError when the logs contradict each other about the chain itself, and
 * when nobody knows the time of a block.
 */
export function attributeBatch(input: BatchInput): BatchFacts {
  for (const steps = attributeBatchInSteps(input); ; ) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** The same, for whoever has something else to do in between. */
export function* attributeBatchInSteps(input: BatchInput): Generator<void, BatchFacts> {
  // Nodes usually give logs in their order, and then they need no sorting.
  const attribution =
    (yield* attributeInOrder(input)) ??
    (yield* attributeInOrder({ ...input, logs: orderLogs(input.logs) }))
  if (attribution === undefined) throw new Error('logs that were sorted are in order')
  for (const log of input.refused ?? [])
    attribution.quarantine('not_in_receipts', 'its block does not have it', log)
  return finish(attribution)
}

/** A few milliseconds. */
const LOGS_PER_STEP = 1_000

const NO_POOLS: ReadonlySet<string> = new Set()

/** `undefined`: the logs are not in the order of the chain. */
function* attributeInOrder({
  logs,
  blocks,
  pools = NO_POOLS,
}: BatchInput): Generator<void, Attribution | undefined> {
  const tapeBlocks = new BatchBlocks(blocks)
  const attribution = new Attribution(pools)
  let first: ChainLog | undefined
  let previous: ChainLog | undefined
  let from = 0
  let stepEnd = LOGS_PER_STEP
  for (let index = 0; index < logs.length; index++) {
    const log = logs[index]
    if (log === undefined || !isNext(previous, log)) return undefined
    if (first !== undefined && !isSameTransaction(first, log)) {
      attributeTransaction(attribution, logs, from, index, tapeBlocks.of(first.at))
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
    attributeTransaction(attribution, logs, from, logs.length, tapeBlocks.of(first.at))
  attribution.tape.blocks = tapeBlocks.list()
  return attribution
}

function isSameTransaction({ at: a }: ChainLog, { at: b }: ChainLog): boolean {
  return a.txHash === b.txHash && a.blockNumber === b.blockNumber && a.blockHash === b.blockHash
}

function finish({ tape }: Attribution): BatchFacts {
  // Within a transaction these are filled in more than one go.
  for (const rows of [tape.resolutions, tape.outcomes, tape.rawLogs, tape.quarantine])
    rows.sort((a, b) => a.seq - b.seq)
  return tape
}
