import type { PolygonClient } from '../../upstreams/polygon/client.js'
import { WATCHED } from '../../upstreams/polygon/filter.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { Head } from '../../upstreams/polygon/messages.js'
import { askBlockReceipts, askLogs } from '../../upstreams/polygon/requests.js'
import { RpcError } from '../../upstreams/polygon/rpc-error.js'
import { canHold, isDoubtful } from './doubt.js'
import { checkPlace } from './links.js'
import { blocksFrom, notThere, readHeadsWhileThere } from './read-heads.js'

/** A block with its watched logs, and the logs that the node gave although it does not have them. */
export type ReadBlock = { head: Head; logs: ChainLog[]; refused: ChainLog[] }

type OnReceipts = (result: 'agreed' | 'corrected' | 'unavailable') => void

type ReadOptions = {
  /** The newest head, whose header is here already. */
  announced: Head
  onReceipts: OnReceipts
  signal: AbortSignal
}

/**
 * Reads blocks near the head with their logs, which are asked for by hash: so they are of these
 * very blocks. Ends early where the node does not have more, and throws when it has none.
 */
export async function readBlocks(
  polygon: PolygonClient,
  { fromBlock, toBlock }: BlockRange,
  { announced, onReceipts, signal }: ReadOptions,
): Promise<ReadBlock[]> {
  const heads =
    fromBlock === announced.number
      ? [announced]
      : await readHeadsWhileThere(polygon, blocksFrom(fromBlock, toBlock), signal)
  const outcomes = await polygon.batch(
    heads.map(({ hash }) => askLogs({ blockHash: hash }, WATCHED)),
    signal,
  )
  const blocks: ReadBlock[] = []
  for (const [index, head] of heads.entries()) {
    const outcome = outcomes[index]
    if (outcome?.ok !== true) {
      if (index === 0) throw outcome?.error ?? notThere(head.number)
      break
    }
    blocks.push(await checkLogs(polygon, head, outcome.value, onReceipts, signal))
  }
  return blocks
}

/** Where the header contradicts the logs, the receipts decide. */
async function checkLogs(
  polygon: PolygonClient,
  head: Head,
  given: readonly ChainLog[],
  onReceipts: OnReceipts,
  signal: AbortSignal,
): Promise<ReadBlock> {
  const { logsBloom: bloom } = head
  const logs = given.filter(({ removed }) => !removed)
  if (bloom === undefined || !isDoubtful(bloom, logs)) return toBlock(head, logs, [])
  const truth = await readReceiptLogs(polygon, head, signal)
  if (truth === undefined) {
    onReceipts('unavailable')
    const [held, refused] = part(logs, (log) => canHold(bloom, log))
    return toBlock(head, held, refused)
  }
  const real = new Map(truth.map((log) => [log.at.logIndex, log]))
  const refused = logs.filter((log) => !isSame(log, real.get(log.at.logIndex)))
  onReceipts(refused.length === 0 && logs.length === truth.length ? 'agreed' : 'corrected')
  return toBlock(head, truth, refused)
}

/** `undefined`: the node does not give receipts at all. */
async function readReceiptLogs(
  polygon: PolygonClient,
  { hash, number }: Head,
  signal: AbortSignal,
): Promise<ChainLog[] | undefined> {
  const [outcome] = await polygon.batch([askBlockReceipts({ hash })], signal)
  if (!outcome.ok) {
    if (outcome.error instanceof RpcError && outcome.error.fault === 'refused') return undefined
    throw outcome.error
  }
  if (outcome.value === undefined) throw notThere(number)
  return outcome.value
    .flatMap(({ logs }) => logs)
    .filter(isWatched)
    .sort((a, b) => a.at.logIndex - b.at.logIndex)
}

const ADDRESSES = new Set(WATCHED.address)

const isWatched = ({ at }: ChainLog) => ADDRESSES.has(at.address)

function isSame({ at, topics, data }: ChainLog, other: ChainLog | undefined): boolean {
  return (
    other !== undefined &&
    at.address === other.at.address &&
    at.txHash === other.at.txHash &&
    data === other.data &&
    topics.join() === other.topics.join()
  )
}

/** The header is the one to say when the block was made. */
function toBlock(head: Head, logs: ChainLog[], refused: ChainLog[]): ReadBlock {
  for (const { at } of [...logs, ...refused]) {
    checkPlace(at, head.number)
    at.timestampSec = head.timestampSec
  }
  return { head, logs, refused }
}

function part<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
