import type { Match } from '../../sim/universe/acts.js'
import type { Block } from '../../sim/universe/block.js'
import type { Universe } from '../../sim/universe/universe.js'

/** Remembers every block that was ever shown, also those that were replaced, and what stood below it. */
export class ChainMemory {
  readonly #byNumber = new Map<number, Block[]>()
  readonly #parents = new Map<Block, Block | undefined>()

  constructor(universe: Universe) {
    const { chain } = universe
    for (let number = chain.firstNumber; number <= chain.head.number; number++) {
      const block = chain.block(number)
      if (block !== undefined) this.#add(block, chain.block(number - 1))
    }
    universe.on('block', (block) => this.#add(block, chain.block(block.number - 1)))
  }

  /** All blocks that had this number at some time. */
  blocksAt(number: number): readonly Block[] {
    return this.#byNumber.get(number) ?? []
  }

  /** Hashes of the transactions that traded markets, the newest first, of the chain that ends with that block. */
  *trades(head: Block): Generator<string> {
    for (let block: Block | undefined = head; block !== undefined; block = this.#parents.get(block)) {
      for (const { act, hash } of block.transactions.toReversed())
        if (act.kind === 'match' && tradesMarket(act)) yield hash
    }
  }

  /** The numbers of all blocks that had this transaction at some time. */
  *blocksOf(hash: string): Generator<number> {
    for (const [number, blocks] of this.#byNumber) {
      if (blocks.some(({ transactions }) => transactions.some((each) => each.hash === hash))) yield number
    }
  }

  #add(block: Block, parent: Block | undefined): void {
    this.#parents.set(block, parent)
    const known = this.#byNumber.get(block.number)
    if (known === undefined) this.#byNumber.set(block.number, [block])
    else known.push(block)
  }
}

/** On the exchange of combos markets are traded too: the first byte of a token there names its module. */
const tradesMarket = ({ exchange, taker, makers }: Match): boolean =>
  exchange !== 'v3' ||
  [taker, ...makers].some(({ order }) => BigInt(order.token.decimal) >> 248n !== COMBINATORIAL)

const COMBINATORIAL = 3n
