import type { Peer } from '../server/handlers.js'
import type { Block, Transaction } from '../universe/block.js'
import { showHeader } from './block-text.js'
import type { ChainNode } from './encoded-blocks.js'
import { blockLogs } from './get-logs.js'
import { derive } from './hex.js'
import { headBefore } from './lagging-chain.js'
import { type LogFilter, readLogFilter } from './log-filter.js'
import { readBoolean, readCount, readObject } from './params.js'
import { RpcError, serverError } from './rpc-error.js'
import { pendingTransaction } from './transaction-text.js'

type Topic =
  | { kind: 'newHeads' }
  | { kind: 'logs'; filter: LogFilter }
  | { kind: 'newPendingTransactions'; isFull: boolean }

type Subscription = { peer: Peer; topic: Topic }

/** What one connection may have at once. */
const SUBSCRIPTIONS_MAX = 1_000

/** The subscriptions of the clients of the node's socket, and the notices that they get. */
export class Subscriptions {
  readonly #node: ChainNode
  readonly #all = new Map<string, Subscription>()
  #count = 0

  constructor(node: ChainNode) {
    this.#node = node
    node.universe.on('block', (block) => this.#onBlock(block))
    node.universe.on('reorg', (removed) => this.#onReorg(removed))
    node.universe.on('pending', (tx) => this.#onPending(tx))
  }

  /** Returns the id of the subscription. */
  add(peer: Peer, params: readonly unknown[]): string {
    const topic = readTopic(params)
    if (this.#countOf(peer) >= SUBSCRIPTIONS_MAX) throw serverError('too many subscriptions')
    this.#count += 1
    const id = derive(`${this.#count}`, 'subscription').slice(0, 34)
    this.#all.set(id, { peer, topic })
    return id
  }

  remove(peer: Peer, [id]: readonly unknown[]): void {
    const found = this.#all.get(String(id))
    if (found?.peer !== peer) throw serverError('subscription not found')
    this.#all.delete(String(id))
  }

  removeAll(peer: Peer): void {
    for (const [id, subscription] of this.#all) {
      if (subscription.peer === peer) this.#all.delete(id)
    }
  }

  #countOf(peer: Peer): number {
    let count = 0
    for (const subscription of this.#all.values()) if (subscription.peer === peer) count += 1
    return count
  }

  #onBlock(block: Block): void {
    if (this.#all.size === 0 || this.#node.faults.hits('missed-heads')) return
    this.#announce(block)
    const back = this.#node.faults.get('head-back')
    if (back === undefined || !this.#node.faults.hits('head-back')) return
    this.#announceHead(headBefore(this.#node.chain, back.blocks))
  }

  #announceHead(block: Block): void {
    for (const [id, { peer, topic }] of this.#all) {
      if (topic.kind === 'newHeads') peer.send(showEvent(id, showHeader(this.#node, block)))
    }
  }

  #announce(block: Block): void {
    let header: string | undefined
    for (const [id, { peer, topic }] of this.#all) {
      if (topic.kind === 'newHeads') {
        header ??= showHeader(this.#node, block)
        peer.send(showEvent(id, header))
      } else if (topic.kind === 'logs') {
        for (const log of blockLogs(this.#node, block, topic.filter)) peer.send(showEvent(id, log))
      }
    }
  }

  #onReorg(removed: readonly Block[]): void {
    for (const [id, { peer, topic }] of this.#all) {
      if (topic.kind !== 'logs') continue
      for (const block of removed) {
        const logs = blockLogs(this.#node, block, topic.filter, true)
        for (const log of logs.reverse()) peer.send(showEvent(id, log))
      }
    }
  }

  #onPending(tx: Transaction): void {
    let body: string | undefined
    for (const [id, { peer, topic }] of this.#all) {
      if (topic.kind !== 'newPendingTransactions') continue
      if (topic.isFull) body ??= JSON.stringify(pendingTransaction(tx))
      peer.send(showEvent(id, topic.isFull && body !== undefined ? body : `"${tx.hash}"`))
    }
  }
}

function readTopic(params: readonly unknown[]): Topic {
  readCount(params, 1, 2)
  const [kind, option] = params
  switch (kind) {
    case 'newHeads':
      return { kind }
    case 'logs':
      return { kind, filter: readLogFilter(readObject(option ?? {}, 'filter')) }
    case 'newPendingTransactions':
      return { kind, isFull: readBoolean(option ?? false, 'argument 1') }
    default:
      throw new RpcError(-32601, `no "${String(kind)}" subscription in eth namespace`)
  }
}

const showEvent = (id: string, result: string) => {
  const params = `{"subscription":"${id}","result":${result}}`
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`
}
