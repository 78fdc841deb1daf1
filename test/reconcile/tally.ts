/** Amounts by asset and party, negative ones included. */
export class Tally {
  readonly #amounts = new Map<string, Map<string, bigint>>()

  add(asset: string, party: string, amount: bigint): void {
    let parties = this.#amounts.get(asset)
    if (parties === undefined) {
      parties = new Map()
      this.#amounts.set(asset, parties)
    }
    parties.set(party, (parties.get(party) ?? 0n) + amount)
  }

  get(asset: string, party: string): bigint {
    return this.#amounts.get(asset)?.get(party) ?? 0n
  }

  get assets(): Iterable<string> {
    return this.#amounts.keys()
  }

  parties(asset: string): ReadonlyMap<string, bigint> {
    return this.#amounts.get(asset) ?? NO_HOLDERS
  }

  /** Amounts that are not zero. */
  forEach(use: (asset: string, party: string, amount: bigint) => void): void {
    for (const [asset, parties] of this.#amounts) {
      for (const [party, amount] of parties) if (amount !== 0n) use(asset, party, amount)
    }
  }
}

const NO_HOLDERS: ReadonlyMap<string, bigint> = new Map()
