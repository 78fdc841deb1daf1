import { hexDigits } from '../contracts/words.js'
import type { Block, Transaction } from './block.js'
import { hash32 } from './random.js'

/** The cut-over from the first exchange generation; blocks before it belong to the old era. */
const CUT_OVER_NUMBER = 86_126_998
const OLD_ERA_BLOCKS = 900
/** The block with which every universe begins. */
export const FIRST_NUMBER = CUT_OVER_NUMBER - OLD_ERA_BLOCKS
/** When the old era's half hour is set. */
export const OLD_ERA_START_MS = Date.UTC(2026, 3, 20, 14)
export const OLD_ERA_END_MS = OLD_ERA_START_MS + 2_000 * OLD_ERA_BLOCKS
const FINAL_AFTER_BLOCKS = 3

type FoundTransaction = { tx: Transaction; block: Block | undefined; index: number }

/** The visible chain, and the numbering, hashing and dating of its blocks. */
export class Chain {
  readonly firstNumber = FIRST_NUMBER
  readonly #seed: number
  readonly #startSec: number
  readonly #blocks: Block[] = []
  readonly #pending = new Set<Transaction>()

  constructor(seed: number, startMs: number) {
    this.#seed = seed
    this.#startSec = Math.floor(startMs / 1000)
  }

  /** The newest visible block. */
  get head(): Block {
    const head = this.#blocks.at(-1)
    if (head === undefined) throw new RangeError('the chain has no block yet')
    return head
  }

  /** Newest block that will not be replaced, short of a fault. */
  get finalized(): Block {
    return this.block(Math.max(this.firstNumber, this.head.number - FINAL_AFTER_BLOCKS)) ?? this.head
  }

  block(number: number): Block | undefined {
    return this.#blocks[number - this.firstNumber]
  }

  /** Two seconds apart on average, but never to be relied on. */
  timestampSec(number: number): number {
    const index = number - this.firstNumber
    const jitter = hash32(this.#seed, number, 151) & 1
    if (index < OLD_ERA_BLOCKS) return OLD_ERA_START_MS / 1000 + 2 * index + jitter
    return this.#startSec + 2 * (index - OLD_ERA_BLOCKS) + jitter
  }

  hashOf({ number, branch }: Block): string {
    return this.#hash(number, branch)
  }

  parentHashOf({ number }: Block): string {
    const parent = this.block(number - 1)
    return this.#hash(number - 1, parent?.branch ?? 0)
  }

  blockByHash(hash: string): Block | undefined {
    return findBlock(this, hash)
  }

  /** A transaction in a visible block, or one that is pending. */
  find(hash: string): FoundTransaction | undefined {
    const included = findIncluded(this, hash)
    if (included !== undefined) return included
    // There are never more than a few.
    for (const tx of this.#pending) if (tx.hash === hash) return { tx, block: undefined, index: 0 }
    return undefined
  }

  /** The hash of a transaction to be; it ends in its block number and index. */
  transactionHash(number: number, branch: number, index: number): string {
    const position = hexDigits(number, 8) + hexDigits(index, 4)
    return `0x${this.#digest(number, branch, index).slice(0, 52)}${position}`
  }

  append(block: Block): void {
    this.#blocks.push(block)
    for (const tx of block.transactions) this.#pending.delete(tx)
  }

  removeHead(): Block {
    const block = this.head
    this.#blocks.pop()
    return block
  }

  addPending(tx: Transaction): void {
    this.#pending.add(tx)
  }

  /** For a transaction that a reorganisation made impossible. */
  dropPending(tx: Transaction): void {
    this.#pending.delete(tx)
  }

  /** Ends in the number, so that finding a block by its hash takes no index. */
  #hash(number: number, branch: number): string {
    return `0x${this.#digest(number, branch, BLOCK_INDEX)}${hexDigits(number, 8)}`
  }

  /** 56 digits of chance: only real hashes of contents would be worth a hash function. */
  #digest(number: number, branch: number, index: number): string {
    for (let word = 0; word < 7; word++) {
      scratch.writeUInt32BE(hash32(this.#seed, number, branch, index + word * INDEXES_PER_BLOCK), 4 * word)
    }
    return scratch.toString('hex')
  }
}

type HashedBlocks = Pick<Chain, 'block' | 'hashOf'>

/** Hashes of blocks end in their numbers. */
export function findBlock(chain: HashedBlocks, hash: string): Block | undefined {
  const block = chain.block(Number.parseInt(hash.slice(-8), 16))
  return block !== undefined && chain.hashOf(block) === hash ? block : undefined
}

/** A transaction in a block: its hash ends in its block number and index. */
export function findIncluded(chain: Pick<Chain, 'block'>, hash: string): FoundTransaction | undefined {
  const block = chain.block(Number.parseInt(hash.slice(-12, -4), 16))
  const index = Number.parseInt(hash.slice(-4), 16)
  const tx = block?.transactions[index]
  return tx?.hash === hash ? { tx, block, index } : undefined
}

const scratch = Buffer.alloc(28)
/** A block has fewer transactions. */
const INDEXES_PER_BLOCK = 0x10000
/** Stands for the block itself where transactions have their index. */
const BLOCK_INDEX = INDEXES_PER_BLOCK - 1
