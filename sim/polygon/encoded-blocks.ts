import { LRUCache } from 'lru-cache'
import { encodeAct } from '../contracts/encode.js'
import type { LogBody } from '../contracts/log.js'
import type { HostFaults } from '../server/faults.js'
import type { Block, Transaction } from '../universe/block.js'
import type { Chain } from '../universe/chain.js'
import type { Universe } from '../universe/universe.js'
import { quantity } from './hex.js'
import type { NodeChain } from './lagging-chain.js'

const KEPT_BLOCKS_MAX = 256
const KEPT_BYTES_MAX = 16_000_000
/** What a block takes without logs, and a log beside its data, as a body and as text. */
const BLOCK_BYTES = 200
const LOG_BYTES = 1_500

export type EncodedTransaction = { tx: Transaction; logs: readonly BlockLog[] }
export type EncodedBlock = { hash: string; transactions: readonly EncodedTransaction[] }

/** Blocks with their logs. Those near the head are kept, because all clients ask for them. */
export class EncodedBlocks {
  readonly #chain: Chain
  readonly #kept = new LRUCache<string, EncodedBlock>({
    maxSize: KEPT_BYTES_MAX,
    maxEntrySize: KEPT_BYTES_MAX / 4,
    sizeCalculation: countBytes,
  })

  constructor(chain: Chain) {
    this.#chain = chain
  }

  get(block: Block): EncodedBlock {
    if (block.number <= this.#chain.head.number - KEPT_BLOCKS_MAX) {
      return encodeBlock(block, this.#chain.hashOf(block))
    }
    const key = `${block.number} ${block.branch}`
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const encoded = encodeBlock(block, this.#chain.hashOf(block))
    this.#kept.set(key, encoded)
    return encoded
  }
}

/** A log in its block. Its text, which is most of all we send, is built when first asked for. */
class BlockLog {
  readonly body: LogBody
  readonly #positionFields: string
  readonly #index: number
  #text: string | undefined

  constructor(body: LogBody, positionFields: string, index: number) {
    this.body = body
    this.#positionFields = positionFields
    this.#index = index
  }

  show(isRemoved = false): string {
    this.#text ??= this.#build()
    return `${this.#text}${isRemoved}}`
  }

  #build(): string {
    const { address, topics, data } = this.body
    const shownTopics = topics.length === 0 ? '' : `"${topics.join('","')}"`
    const what = `{"address":"${address}","topics":[${shownTopics}],"data":"${data}"`
    return `${what},${this.#positionFields},"logIndex":"${quantity(this.#index)}","removed":`
  }
}

function encodeBlock(block: Block, hash: string): EncodedBlock {
  const [number, timestamp] = [quantity(block.number), quantity(block.timestampSec)]
  const when = `"blockNumber":"${number}","blockHash":"${hash}","blockTimestamp":"${timestamp}"`
  let logIndex = 0
  const transactions = block.transactions.map((tx, index) => {
    const where = `"transactionHash":"${tx.hash}","transactionIndex":"${quantity(index)}"`
    const positionFields = `${when},${where}`
    const logs = encodeAct(tx.act).map((body) => new BlockLog(body, positionFields, logIndex++))
    return { tx, logs }
  })
  return { hash, transactions }
}

function countBytes({ transactions }: EncodedBlock): number {
  let bytes = BLOCK_BYTES
  for (const { logs } of transactions) {
    for (const { body } of logs) bytes += LOG_BYTES + 2 * body.data.length
  }
  return bytes
}

export type NodeLimits = { rangeBlocksMax: number; logsMax: number }

/** What every method of the node works on. */
export type ChainNode = {
  universe: Universe
  /** The blocks that this node has. */
  chain: NodeChain
  faults: HostFaults
  blocks: EncodedBlocks
  limits: NodeLimits
}
