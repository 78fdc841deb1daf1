import { type Books, ctfAsset } from './books.js'
import { PUSD, USDCE } from './contracts.js'
import {
  type Fill,
  isZero,
  type MatchLogs,
  readParties,
  readTermsV1,
  readTermsV2,
  type Terms,
} from './fills.js'
import { addressIn, amountAt, type RawLog, topicAt, wordAt } from './log.js'
import { checkMatch, FEE_MODULES } from './match.js'

/** What the exchanges say in a transaction, and what moves by it. */
export class Trades {
  readonly #books: Books
  #logs = noLogs()

  constructor(books: Books) {
    this.#books = books
  }

  get isMatch(): boolean {
    return Object.values(this.#logs).some((logs) => logs.length > 0)
  }

  /** Fees of the first exchanges come out of what an order gets. */
  fillV1(log: RawLog): void {
    const terms = readTermsV1(log)
    const { buys, asset, making, taking } = terms
    const feeAsset = buys ? asset : USDCE
    const { maker, fee } = this.#addFill(log, terms, feeAsset)
    const { moves } = this.#books
    moves.declare(buys ? USDCE : asset, maker, log.address, making)
    moves.declare(feeAsset, log.address, maker, taking - fee)
  }

  /** Later a buyer pays the fee on top, and a seller out of the proceeds. */
  fillV2(log: RawLog): void {
    const terms = readTermsV2(log)
    const { buys, asset, making, taking } = terms
    const { maker, fee } = this.#addFill(log, terms, PUSD)
    const { moves } = this.#books
    moves.declare(buys ? PUSD : asset, maker, log.address, making + (buys ? fee : 0n))
    moves.declare(buys ? asset : PUSD, log.address, maker, taking - (buys ? 0n : fee))
  }

  matchV1(log: RawLog): void {
    this.#addMatch(log, readTermsV1(log))
  }

  matchV2(log: RawLog): void {
    this.#addMatch(log, readTermsV2(log))
  }

  chargeV1(log: RawLog): void {
    if (addressIn(topicAt(log, 1)) !== FEE_MODULES.get(log.address)) {
      this.#books.report('a fee goes elsewhere than to the fee module')
    }
    this.#charge(log, feeAssetOf(log), amountAt(log, 1))
  }

  chargeV2(log: RawLog): void {
    this.#charge(log, PUSD, amountAt(log, 0))
  }

  refund(log: RawLog): void {
    const [orderHash, to] = [topicAt(log, 1), addressIn(topicAt(log, 2))]
    const charged = BigInt(topicAt(log, 3))
    const refund = amountAt(log, 1)
    this.#logs.refunds.push({ module: log.address, orderHash, refund, charged })
    this.#books.moves.declare(feeAssetOf(log), log.address, to, refund)
  }

  endTransaction(): void {
    if (!this.isMatch) return
    checkMatch(this.#books, this.#logs)
    this.#logs = noLogs()
  }

  #addFill(log: RawLog, terms: Terms, feeAsset: string): Fill {
    const taker = addressIn(topicAt(log, 3))
    const fill = { ...readParties(log), taker, terms, fee: amountAt(log, 4), feeAsset }
    this.#logs.fills.push(fill)
    return fill
  }

  #addMatch(log: RawLog, terms: Terms): void {
    const { fills, matched } = this.#logs
    matched.push({ ...readParties(log), terms, after: fills.length })
  }

  #charge(log: RawLog, asset: string, amount: bigint): void {
    this.#logs.fees.push({ asset, amount })
    this.#books.moves.declare(asset, log.address, addressIn(topicAt(log, 1)), amount)
  }
}

function noLogs(): MatchLogs {
  return { fills: [], matched: [], fees: [], refunds: [] }
}

/** What a fee of the first exchanges is in: shares, or money under the id 0. */
function feeAssetOf(log: RawLog): string {
  const id = wordAt(log, 0)
  return isZero(id) ? USDCE : ctfAsset(id)
}
