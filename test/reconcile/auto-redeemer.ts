import type { Books } from './books.js'
import { AUTO_REDEEMER, PUSD } from './contracts.js'
import { addressIn, amountAt, type RawLog, topicAt } from './log.js'

/** The AutoRedeemer logs for whom it redeemed, once for each redemption in its name. */
export class AutoRedeemer {
  readonly #books: Books
  #declared: bigint[] = []

  constructor(books: Books) {
    this.#books = books
  }

  declare(log: RawLog): void {
    const payout = amountAt(log, 0)
    const wallet = addressIn(topicAt(log, 1))
    if (this.#books.moves.made.get(PUSD, wallet) !== payout) {
      this.#books.report(`${wallet} did not get the ${payout} of its redemption`)
    }
    this.#declared.push(payout)
  }

  endTransaction(): void {
    const done = this.#books.redemptions.filter(({ redeemer }) => redeemer === AUTO_REDEEMER)
    if (this.#declared.join() !== done.map(({ payout }) => payout).join()) {
      this.#books.report(`the AutoRedeemer logs other payouts than ${done.length} redemptions`)
    }
    this.#declared = []
  }
}
