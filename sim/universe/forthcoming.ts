import type { Block, Transaction } from './block.js'
import type { BlockMaker } from './block-maker.js'
import { Ledger } from './ledger.js'

/** Blocks that are decided before they are shown, so that their transactions can be seen pending. */
export const BLOCKS_AHEAD = 3

/** Something that becomes known of a block before the block itself does. */
type News = { atMs: number; what: 'matched' | 'pending'; tx: Transaction }

/** What is decided but not yet shown. */
export class Forthcoming {
  /** What these blocks do to balances. */
  readonly ledger = new Ledger()
  readonly #maker: BlockMaker
  /** The next one first. */
  #blocks: Block[] = []
  #news: News[] = []

  constructor(maker: BlockMaker) {
    this.#maker = maker
  }

  get nextBlock(): Block | undefined {
    return this.#blocks[0]
  }

  get nextNews(): News | undefined {
    return this.#news[0]
  }

  decide(number: number, branch: number): void {
    const block = this.#maker.make(number, branch)
    this.#blocks.push(block)
    for (const tx of block.transactions) {
      const { act, pendingMs } = tx
      this.ledger.apply(act, 1)
      if (pendingMs !== undefined) this.#news.push({ atMs: pendingMs, what: 'pending', tx })
      if (act.kind === 'match') this.#news.push({ atMs: act.matchedMs, what: 'matched', tx })
    }
    if (block.transactions.length > 0) this.#news.sort((a, b) => a.atMs - b.atMs)
  }

  takeBlock(): Block | undefined {
    const block = this.#blocks.shift()
    for (const { act } of block?.transactions ?? []) this.ledger.apply(act, -1)
    return block
  }

  takeNews(): News | undefined {
    return this.#news.shift()
  }

  forgetNews(): void {
    this.#news = []
  }

  /** Nothing of it will happen. Returns the blocks, the newest first. */
  drop(): Block[] {
    const dropped = this.#blocks.toReversed()
    for (const block of dropped) {
      this.#maker.undo(block)
      for (const { act } of block.transactions) this.ledger.apply(act, -1)
    }
    this.#blocks = []
    this.forgetNews()
    return dropped
  }
}
