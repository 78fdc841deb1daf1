import { type Books, ctfAsset, managerAsset } from './books.js'
import { CTF, OFFRAMP, ONRAMP, PUSD, PUSD_VAULT, USDCE, ZERO } from './contracts.js'
import { addressIn, amountAt, amountsAt, arrayAt, type RawLog, topicAt, wordAt } from './log.js'

/** What the tokens themselves log, and how USDC.e becomes pUSD and pUSD USDC.e. */
export class Transfers {
  readonly #books: Books

  constructor(books: Books) {
    this.#books = books
  }

  moveMoney(log: RawLog): void {
    const [from, to] = [addressIn(topicAt(log, 1)), addressIn(topicAt(log, 2))]
    this.#books.moves.transfer(log.address, from, to, amountAt(log, 0))
  }

  moveShares(log: RawLog): void {
    const [from, to] = [addressIn(topicAt(log, 2)), addressIn(topicAt(log, 3))]
    this.#books.moves.transfer(assetOf(log, wordAt(log, 0)), from, to, amountAt(log, 1))
  }

  moveManyShares(log: RawLog): void {
    const [from, to] = [addressIn(topicAt(log, 2)), addressIn(topicAt(log, 3))]
    const amounts = amountsAt(log, 1)
    for (const [n, id] of arrayAt(log, 0).entries()) {
      this.#books.moves.transfer(assetOf(log, id), from, to, amounts[n] ?? 0n)
    }
  }

  /** The caller brings the USDC.e, from whomever he has it; the vault keeps it. */
  wrap(log: RawLog): void {
    const { caller, to, amount } = this.#readWrapping(log)
    this.#books.moves.declare(USDCE, caller, PUSD_VAULT, amount)
    this.#books.moves.declare(PUSD, ZERO, to, amount)
    if (this.#books.redemptions.length === 0 && caller === ONRAMP) this.#books.note('deposit')
  }

  unwrap(log: RawLog): void {
    const { caller, to, amount } = this.#readWrapping(log)
    this.#books.moves.declare(PUSD, caller, ZERO, amount)
    this.#books.moves.declare(USDCE, PUSD_VAULT, to, amount)
    if (caller === OFFRAMP) this.#books.note('withdrawal')
  }

  #readWrapping(log: RawLog) {
    const asset = addressIn(topicAt(log, 2))
    if (asset !== USDCE) this.#books.report(`pUSD stands for ${asset}`)
    const [caller, to] = [addressIn(topicAt(log, 1)), addressIn(topicAt(log, 3))]
    return { caller, to, amount: amountAt(log, 0) }
  }
}

function assetOf({ address }: RawLog, id: string): string {
  return address === CTF ? ctfAsset(id) : managerAsset(id)
}
