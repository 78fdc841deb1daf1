import type { SupplyFact } from './tape.js'

/** Adds up what is made and destroyed of each token in a block. */
export class SupplyBook {
  readonly #supplies: SupplyFact[]
  readonly #ofBlock = new Map<string, SupplyFact>()
  #block = 0

  constructor(supplies: SupplyFact[]) {
    this.#supplies = supplies
  }

  add(block: number, token: string, minted: bigint, burned: bigint): void {
    if (block !== this.#block) {
      this.#block = block
      this.#ofBlock.clear()
    }
    const known = this.#ofBlock.get(token)
    if (known === undefined) {
      const supply = { block, token, minted, burned }
      this.#ofBlock.set(token, supply)
      this.#supplies.push(supply)
    } else {
      known.minted += minted
      known.burned += burned
    }
  }
}
