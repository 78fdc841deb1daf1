import type { PolygonClient } from '../../upstreams/polygon/client.js'
import { WATCHED } from '../../upstreams/polygon/filter.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import { askLogs, askReceiptLogs, askTransactionCount } from '../../upstreams/polygon/requests.js'
import type { RpcOutcome } from '../../upstreams/polygon/rpc-answer.js'
import { RpcError } from '../../upstreams/polygon/rpc-error.js'
import { isSameLog } from '../attribute/order-logs.js'
import type { Batch } from '../read/batch.js'
import {
  blockNumbers,
  checkLogPosition,
  missingBlock,
  readAvailableHeads,
  toBatchBlock,
} from '../read/headers.js'
import { bloomAllows, contradictsBloom } from './bloom-check.js'

/** A block with its watched logs, and the logs that the node returned although the block lacks them. */
export type ReadBlock = { head: Head; logs: ChainLog[]; refused: ChainLog[] }

type OnReceipts = (result: 'agreed' | 'corrected' | 'unavailable') => void

type LogOptions = { onReceipts?: OnReceipts | undefined; signal: AbortSignal }

type ReadOptions = LogOptions & {
  /** The newest head; its header needs no request. */
  announced: Head
}

/**
 * Reads blocks near the head with their logs, which are requested by block hash: so they belong to
 * exactly these blocks. Returns fewer blocks when the node lacks the rest, and throws when it lacks
 * all of them.
 */
export async function readBlocks(
  polygon: PolygonClient,
  { fromBlock, toBlock }: BlockRange,
  { announced, onReceipts, signal }: ReadOptions,
): Promise<ReadBlock[]> {
  const heads =
    fromBlock === announced.number
      ? [announced]
      : await readAvailableHeads(polygon, blockNumbers(fromBlock, toBlock), signal)
  return readLogsOf(polygon, heads, { onReceipts, signal })
}

/**
 * Reads the logs of these blocks, which need not follow each other. Returns fewer blocks when the node
 * lacks the logs of one, and throws when it lacks those of the first.
 */
export async function readLogsOf(
  polygon: PolygonClient,
  heads: readonly Head[],
  { onReceipts = () => undefined, signal }: LogOptions,
): Promise<ReadBlock[]> {
  const uncounted = heads.filter(({ txCount }) => txCount === undefined)
  const [outcomes, counts] = await askTogether(polygon, heads, uncounted, signal)
  const blocks: ReadBlock[] = []
  for (const [index, given] of heads.entries()) {
    const head = { ...given, txCount: given.txCount ?? counts.get(given.hash) }
    const outcome = outcomes[index]
    if (outcome?.ok !== true) {
      if (index === 0) throw outcome?.error ?? missingBlock(head.number)
      break
    }
    blocks.push(await checkLogs(polygon, head, outcome.value, onReceipts, signal))
  }
  return blocks
}

/** Blocks that follow each other, with all of their headers. */
export const joinBlocks = (blocks: readonly ReadBlock[]): Batch => ({
  fromBlock: blocks[0]?.head.number ?? 0,
  toBlock: blocks.at(-1)?.head.number ?? 0,
  logs: blocks.flatMap(({ logs }) => logs),
  refused: blocks.flatMap(({ refused }) => refused),
  blocks: blocks.map(({ head }) => toBatchBlock(head)),
  isNearHead: true,
})

/** Nodes may refuse to count: no fact depends on it. */
async function askTogether(
  polygon: PolygonClient,
  heads: readonly Head[],
  uncounted: readonly Head[],
  signal: AbortSignal,
): Promise<[RpcOutcome<ChainLog[]>[], ReadonlyMap<string, number>]> {
  const logs = heads.map(({ hash }) => askLogs({ blockHash: hash }, WATCHED))
  const outcomes = await polygon.batch(
    [...logs, ...uncounted.map(({ hash }) => askTransactionCount(hash))],
    signal,
  )
  const counts = uncounted.flatMap(({ hash }, index): [string, number][] => {
    const outcome = outcomes[heads.length + index]
    return outcome?.ok === true ? [[hash, Number(outcome.value)]] : []
  })
  return [outcomes.slice(0, heads.length) as RpcOutcome<ChainLog[]>[], new Map(counts)]
}

/** Where the bloom of the header contradicts the logs, the receipts of the block decide. */
async function checkLogs(
  polygon: PolygonClient,
  head: Head,
  given: readonly ChainLog[],
  onReceipts: OnReceipts,
  signal: AbortSignal,
): Promise<ReadBlock> {
  const { logsBloom: bloom } = head
  const logs = given.filter(({ removed }) => !removed)
  if (bloom === undefined || !contradictsBloom(bloom, logs)) return toBlock(head, logs, [])
  const receiptLogs = await readReceiptLogs(polygon, head, signal)
  if (receiptLogs === undefined) {
    onReceipts('unavailable')
    const allowed = logs.filter((log) => bloomAllows(bloom, log))
    const refused = logs.filter((log) => !bloomAllows(bloom, log))
    return toBlock(head, allowed, refused)
  }
  const real = new Map(receiptLogs.map((log) => [log.at.logIndex, log]))
  const refused = logs.filter((log) => {
    const other = real.get(log.at.logIndex)
    return other === undefined || !isSameLog(log, other)
  })
  onReceipts(refused.length === 0 && logs.length === receiptLogs.length ? 'agreed' : 'corrected')
  return toBlock(head, receiptLogs, refused)
}

/** `undefined`: the node does not serve receipts. */
async function readReceiptLogs(
  polygon: PolygonClient,
  { hash, number }: Head,
  signal: AbortSignal,
): Promise<ChainLog[] | undefined> {
  const [outcome] = await polygon.batch([askReceiptLogs(hash)], signal)
  if (!outcome.ok) {
    if (outcome.error instanceof RpcError && outcome.error.fault === 'refused') return undefined
    throw outcome.error
  }
  if (outcome.value === undefined) throw missingBlock(number)
  return outcome.value
    .filter(({ at }) => ADDRESSES.has(at.address))
    .sort((a, b) => a.at.logIndex - b.at.logIndex)
}

const ADDRESSES = new Set(WATCHED.address)

/** Gives every log the time of the header, because nodes may omit it or get it wrong. */
function toBlock(head: Head, logs: ChainLog[], refused: ChainLog[]): ReadBlock {
  for (const { at } of [...logs, ...refused]) {
    checkLogPosition(at, head.number)
    at.timestampSec = head.timestampSec
  }
  return { head, logs, refused }
}
