import type { HostFaults } from '../server/faults.js'
import type { Block } from '../universe/block.js'
import { type Chain, findBlock, findIncluded } from '../universe/chain.js'
import type { Universe } from '../universe/universe.js'

/** What a node has of the chain. */
export type NodeChain = Pick<
  Chain,
  'head' | 'finalized' | 'firstNumber' | 'block' | 'blockByHash' | 'find' | 'hashOf' | 'parentHashOf'
>

/** The block that was the head this many blocks ago. */
export function headBefore(chain: NodeChain, blocks: number): Block {
  return chain.block(Math.max(chain.firstNumber, chain.head.number - blocks)) ?? chain.head
}

const BLOCK_MS = 2_000

/** The blocks that a reorganisation replaced, and when. */
type OldBranch = { atMs: number; head: Block; blocks: ReadonlyMap<number, Block> }

/**
 * The chain as the second node of `two-nodes` has it, which lags some blocks behind the head. It sees a
 * reorganisation as late as other blocks, and keeps the reverted blocks until then.
 */
export class LaggingChain implements NodeChain {
  readonly #universe: Universe
  readonly #faults: HostFaults
  #old: OldBranch | undefined

  constructor(universe: Universe, faults: HostFaults) {
    this.#universe = universe
    this.#faults = faults
    universe.on('reorg', (removed) => {
      const [head] = removed
      const blocks = new Map(removed.map((block) => [block.number, block]))
      if (head !== undefined) this.#old = { atMs: universe.nowMs, head, blocks }
    })
  }

  get firstNumber(): number {
    return this.#chain.firstNumber
  }

  get head(): Block {
    return this.#branch?.head ?? headBefore(this.#chain, this.#lagBlocks)
  }

  get finalized(): Block {
    const lag = this.#chain.head.number - this.#chain.finalized.number
    return headBefore(this, lag)
  }

  block(number: number): Block | undefined {
    if (number > this.head.number) return undefined
    return this.#branch?.blocks.get(number) ?? this.#chain.block(number)
  }

  hashOf(block: Block): string {
    return this.#chain.hashOf(block)
  }

  parentHashOf(block: Block): string {
    const parent = this.block(block.number - 1)
    return parent === undefined ? this.#chain.parentHashOf(block) : this.hashOf(parent)
  }

  blockByHash(hash: string): Block | undefined {
    return findBlock(this, hash)
  }

  /** Of a transaction that is in a block which it lacks it knows nothing. */
  find(hash: string): ReturnType<Chain['find']> {
    const included = findIncluded(this, hash)
    if (included !== undefined) return included
    const found = this.#chain.find(hash)
    return found?.block === undefined ? found : undefined
  }

  get #chain(): Chain {
    return this.#universe.chain
  }

  get #lagBlocks(): number {
    return this.#faults.get('two-nodes')?.blocks ?? 0
  }

  /** The branch that this node still has for the real one. */
  get #branch(): OldBranch | undefined {
    const { nowMs } = this.#universe
    if (this.#old !== undefined && nowMs >= this.#old.atMs + this.#lagBlocks * BLOCK_MS) this.#old = undefined
    return this.#old
  }
}
