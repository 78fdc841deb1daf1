/** What a hand has more or less of a token. */
type Holding = { wallet: string; token: string; amount: bigint }

/** Up to here looking through all of them is quicker than hashing their names. */
const FEW = 64

/** What the moves of a transaction leave of each token in each hand. Mostly these are very few. */
export class NetMoves {
  #holdings: Holding[] = []
  /** All holdings by their names; only once there are many. */
  #named: Map<string, Holding> | undefined

  clear(): void {
    this.#holdings = []
    this.#named = undefined
  }

  get isEmpty(): boolean {
    return this.#holdings.length === 0
  }

  move(from: string, to: string, token: string, amount: bigint): void {
    if (amount === 0n) return
    this.#add(from, token, -amount)
    this.#add(to, token, amount)
  }

  /** Moves that even everything out, the same ones for the same history; none when all is even. */
  settle(pay: (from: string, to: string, token: string, amount: bigint) => void): void {
    // Then whoever evens a holding out stands near.
    if (this.#named !== undefined) this.#holdings.sort(byToken)
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
    if (this.#named !== undefined) this.#named.set(nameOf(holding), holding)
    else if (this.#holdings.length > FEW)
      this.#named = new Map(this.#holdings.map((each) => [nameOf(each), each]))
  }

  #find(wallet: string, token: string): Holding | undefined {
    if (this.#named !== undefined) return this.#named.get(nameOf({ wallet, token }))
    for (let index = 0; index < this.#holdings.length; index++) {
      const holding = this.#holdings[index]
      if (holding?.wallet === wallet && holding.token === token) return holding
    }
    return undefined
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

const nameOf = ({ wallet, token }: Pick<Holding, 'wallet' | 'token'>) => `${wallet} ${token}`

const byToken = (a: Holding, b: Holding): number =>
  a.token === b.token ? 0 : a.token < b.token ? -1 : 1
