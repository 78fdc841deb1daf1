import type { Books } from './books.js'
import type { Conditions } from './conditions.js'
import { NEG_RISK_ADAPTER, NEG_RISK_UMA_ADAPTER } from './contracts.js'
import { addressIn, amountAt, amountsAt, type RawLog, topicAt } from './log.js'

/** What the oracle's price means. */
const RESULTS: ReadonlyMap<bigint, string> = new Map([
  [0n, '0,1'],
  [500_000_000_000_000_000n, '1,1'],
  [1_000_000_000_000_000_000n, '1,0'],
])

/** Questions and results: all that have to do with one say the same of it in one transaction. */
export class Oracle {
  readonly #books: Books
  readonly #conditions: Conditions
  #declared = nothingDeclared()

  constructor(books: Books, conditions: Conditions) {
    this.#books = books
    this.#conditions = conditions
  }

  prepare(log: RawLog): void {
    this.#conditions.prepare(log)
    const oracle = addressIn(topicAt(log, 2))
    this.#declared.prepared.push(oracle === NEG_RISK_ADAPTER ? oracle : oracle + topicAt(log, 3))
  }

  /** For neg-risk under an id that the conditional tokens do not know. */
  ask({ address, topics }: RawLog): void {
    const isNegRisk = address === NEG_RISK_UMA_ADAPTER
    this.#declared.asked.push(isNegRisk ? NEG_RISK_ADAPTER : address + topics[1])
  }

  answer(log: RawLog): void {
    const result = amountsAt(log, 0).join()
    const price = BigInt(topicAt(log, 2))
    if (RESULTS.get(price) !== result) this.#books.report(`price ${price} becomes ${result}`)
    this.#declared.answers.push(result)
  }

  resolve(log: RawLog): void {
    this.#conditions.resolve(log)
    const result = amountsAt(log, 1).join()
    this.#declared.results.push(result)
    this.#books.note(`result ${result}`)
    const isNegRisk = addressIn(topicAt(log, 2)) === NEG_RISK_ADAPTER
    if (isNegRisk) this.#declared.negRiskResults.push(topicAt(log, 3) + result)
  }

  /** The neg-risk adapter logs which way a question of its market went. */
  report(log: RawLog): void {
    const outcome = amountAt(log, 0)
    this.#declared.negRiskReports.push(`${topicAt(log, 2)}${outcome},${1n - outcome}`)
  }

  endTransaction(): void {
    const { asked, prepared, answers, results, negRiskResults, negRiskReports } = this.#declared
    if (asked.join() !== prepared.join()) this.#books.report('a condition was not asked about')
    const isReported = negRiskResults.join() === negRiskReports.join()
    if (answers.join(' ') !== results.join(' ') || !isReported) {
      this.#books.report('the logs of a result differ')
    }
    this.#declared = nothingDeclared()
  }
}

function nothingDeclared() {
  const none = (): string[] => []
  return {
    asked: none(),
    prepared: none(),
    answers: none(),
    results: none(),
    negRiskResults: none(),
    negRiskReports: none(),
  }
}
