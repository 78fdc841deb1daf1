import { keccak } from '../contracts/keccak.js'
import type { Block, Transaction } from './block.js'
import { hash32 } from './random.js'

/** The cut-over from the first exchange generation; blocks before it belong to the old era. */
const CUT_OVER_NUMBER = 86_126_998
export const OLD_ERA_BLOCKS = 900
/** When the old era's half hour is set. */
export const OLD_ERA_START_MS = Date.UTC(2026, 3, 20, 14)
const FINAL_AFTER_BLOCKS = 3

export type FoundTransaction = { tx: Transaction; block: Block | undefined; index: number }

/** The visible chain, and the numbering, hashing and dating of its blocks. */
export class Chain {
  readonly firstNumber = CUT_OVER_NUMBER - OLD_ERA_BLOCKS
  readonly #seed: number
  readonly #startSec: number
  readonly #blocks: Block[] = []
  /** Number times 4,096 plus index: one number instead of an object for each of very many. */
  readonly #included = new Map<string, number>()
  readonly #pending = new Map<string, Transaction>()
  readonly #hashes = new Map<string, number>()

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
    return (
      this.block(Math.max(this.firstNumber, this.head.number - FINAL_AFTER_BLOCKS)) ?? this.head
    )
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

  /** Hashes are derived when somebody needs them; before one is asked for here it must have been given out. */
  blockByHash(hash: string): Block | undefined {
    const number = this.#hashes.get(hash) ?? this.#searchHash(hash)
    if (number === undefined) return undefined
    const block = this.block(number)
    return block !== undefined && this.hashOf(block) === hash ? block : undefined
  }

  /** A transaction in a visible block, or one that is pending. */
  find(hash: string): FoundTransaction | undefined {
    const place = this.#included.get(hash)
    if (place === undefined) {
      const tx = this.#pending.get(hash)
      return tx === undefined ? undefined : { tx, block: undefined, index: 0 }
    }
    const index = place % PLACES
    const block = this.block((place - index) / PLACES)
    const tx = block?.transactions[index]
    return tx === undefined ? undefined : { tx, block, index }
  }

  append(block: Block): void {
    this.#blocks.push(block)
    block.transactions.forEach((tx, index) => {
      this.#included.set(tx.hash, block.number * PLACES + index)
      this.#pending.delete(tx.hash)
    })
  }

  removeHead(): Block {
    const block = this.head
    this.#blocks.pop()
    for (const tx of block.transactions) this.#included.delete(tx.hash)
    return block
  }

  addPending(tx: Transaction): void {
    this.#pending.set(tx.hash, tx)
  }

  /** For a transaction that a reorganisation made impossible. */
  dropPending(tx: Transaction): void {
    this.#pending.delete(tx.hash)
  }

  #hash(number: number, branch: number): string {
    const hash = `0x${keccak(hex(this.#seed, 16) + hex(number, 12) + hex(branch, 8))}`
    this.#hashes.set(hash, number)
    if (this.#hashes.size > HASHES_KEPT) {
      const [oldest] = this.#hashes.keys()
      if (oldest !== undefined) this.#hashes.delete(oldest)
    }
    return hash
  }

  /** Somebody remembers a block from long ago: walks back through all of them. */
  #searchHash(hash: string): number | undefined {
    for (let index = this.#blocks.length - 1; index >= 0; index--) {
      const block = this.#blocks[index]
      if (block !== undefined && this.hashOf(block) === hash) return block.number
    }
    return undefined
  }
}

const HASHES_KEPT = 20_000
const PLACES = 4_096

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')
