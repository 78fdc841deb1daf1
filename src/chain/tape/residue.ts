/** What a hand has more or less of a token. */
type Holding = { wallet: string; token: string; amount: bigint }

/**
 * What the moves of a transaction leave of each token in each hand. A transaction has few hands and
 * few tokens, so looking through all of them is quicker than hashing their names.
 */
export class Residue {
  #holdings: Holding[] = []

  clear(): void {
    this.#holdings = []
  }

  get isEmpty(): boolean {
    return this.#holdings.length === 0
  }

  move(from: string, to: string, token: string, amount: bigint): void {
    this.#add(from, token, -amount)
    this.#add(to, token, amount)
  }

  /** Moves that even everything out, the same ones for the same history; none when all is even. */
  settle(pay: (from: string, to: string, token: string, amount: bigint) => void): void {
    for (const [index, holding] of this.#holdings.entries()) {
      while (holding.amount !== 0n) {
        const other = this.#findOpposite(holding, index + 1)
        const [giver, taker] = holding.amount < 0n ? [holding, other] : [other, holding]
        const amount = -giver.amount < taker.amount ? -giver.amount : taker.amount
        pay(giver.wallet, taker.wallet, holding.token, amount)
        giver.amount += amount
        taker.amount -= amount
      }
    }
  }

  #add(wallet: string, token: string, amount: bigint): void {
    for (let index = 0; index < this.#holdings.length; index++) {
      const holding = this.#holdings[index]
      if (holding?.wallet === wallet && holding.token === token) {
        holding.amount += amount
        return
      }
    }
    this.#holdings.push({ wallet, token, amount })
  }

  /** Every move takes what it gives, so there is one as long as something is uneven. */
  #findOpposite({ token, amount }: Holding, from: number): Holding {
    for (let index = from; index < this.#holdings.length; index++) {
      const other = this.#holdings[index]
      if (other?.token === token && (amount < 0n ? other.amount > 0n : other.amount < 0n))
        return other
    }
    throw new Error('what was given was not taken')
  }
}
