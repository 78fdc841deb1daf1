/** How much more or less of a token a wallet has. */
type Holding = { wallet: string; token: string; amount: bigint }

/** Up to this number a linear search is faster than hashing the keys. */
const FEW = 64

/** The net effect of a transaction's moves on each wallet and token. Mostly there are very few. */
export class NetMoves {
  #holdings: Holding[] = []
  /** All holdings by key; only when there are many. */
  #byKey: Map<string, Holding> | undefined

  clear(): void {
    this.#holdings = []
    this.#byKey = undefined
  }

  get isEmpty(): boolean {
    return this.#holdings.length === 0
  }

  move(from: string, to: string, token: string, amount: bigint): void {
    if (amount === 0n) return
    this.#add(from, token, -amount)
    this.#add(to, token, amount)
  }

  /** Yields moves with the same net effect, deterministically; none when the net effect is zero. */
  settle(pay: (from: string, to: string, token: string, amount: bigint) => void): void {
    // Sorted, so that the opposite holding of the same token is near.
    if (this.#byKey !== undefined) this.#holdings.sort(byToken)
    for (let index = 0; index < this.#holdings.length; index++) {
      const holding = this.#holdings[index]
      while (holding !== undefined && holding.amount !== 0n) {
        const other = this.#findOpposite(holding, index + 1)
        const giver = holding.amount < 0n ? holding : other
        const taker = holding.amount < 0n ? other : holding
        const amount = -giver.amount < taker.amount ? -giver.amount : taker.amount
        pay(giver.wallet, taker.wallet, holding.token, amount)
        giver.amount += amount
        taker.amount -= amount
      }
    }
  }

  #add(wallet: string, token: string, amount: bigint): void {
    const known = this.#find(wallet, token)
    if (known !== undefined) {
      known.amount += amount
      return
    }
    const holding = { wallet, token, amount }
    this.#holdings.push(holding)
    if (this.#byKey !== undefined) this.#byKey.set(keyOf(holding), holding)
    else if (this.#holdings.length > FEW)
      this.#byKey = new Map(this.#holdings.map((each) => [keyOf(each), each]))
  }

  #find(wallet: string, token: string): Holding | undefined {
    if (this.#byKey !== undefined) return this.#byKey.get(keyOf({ wallet, token }))
    for (let index = 0; index < this.#holdings.length; index++) {
      const holding = this.#holdings[index]
      if (holding?.wallet === wallet && holding.token === token) return holding
    }
    return undefined
  }

  /** Every move adds as much as it subtracts, so there is one while an amount is not zero. */
  #findOpposite({ token, amount }: Holding, from: number): Holding {
    for (let index = from; index < this.#holdings.length; index++) {
      const other = this.#holdings[index]
      if (other?.token === token && (amount < 0n ? other.amount > 0n : other.amount < 0n)) return other
    }
    throw new Error('what was given was not taken')
  }
}

const keyOf = ({ wallet, token }: Pick<Holding, 'wallet' | 'token'>) => `${wallet} ${token}`

const byToken = (a: Holding, b: Holding): number => (a.token === b.token ? 0 : a.token < b.token ? -1 : 1)
