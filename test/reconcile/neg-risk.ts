import type { Books } from './books.js'
import type { Condition } from './condition.js'
import type { Conditions } from './conditions.js'
import {
  COLLATERAL_ADAPTERS,
  NEG_RISK_ADAPTER,
  NEG_RISK_BURN,
  NEG_RISK_VAULT,
  USDCE,
  WCOL,
  ZERO,
} from './contracts.js'
import { addressIn, amountAt, amountsAt, type RawLog, topicAt } from './log.js'
import { conditionIdOf, negRiskMarketIdOf } from './token-ids.js'

/** Questions of which one comes true. `cash` is the USDC.e behind their shares. */
export type NegRiskMarket = { id: string; feeBips: bigint; questions: Condition[]; cash: bigint }

/** The neg-risk adapter: what it does in its own name, and the money behind each of its markets. */
export class NegRisk {
  readonly markets = new Map<string, NegRiskMarket>()
  readonly #books: Books
  readonly #conditions: Conditions

  constructor(books: Books, conditions: Conditions) {
    this.#books = books
    this.#conditions = conditions
  }

  prepareMarket(log: RawLog): void {
    const id = topicAt(log, 1).slice(2)
    const feeBips = amountAt(log, 0)
    const metadata = log.data.slice(2 + 2 * 64)
    if (id !== negRiskMarketIdOf(addressIn(topicAt(log, 2)), feeBips, metadata)) {
      this.#books.report(`market ${id} is not that of its metadata`)
    }
    if (this.markets.has(id)) this.#books.report(`market ${id} is prepared twice`)
    this.markets.set(id, { id, feeBips, questions: [], cash: 0n })
  }

  prepareQuestion(log: RawLog): void {
    const market = this.#findMarket(topicAt(log, 1).slice(2))
    const questionId = topicAt(log, 2).slice(2)
    const condition = this.#conditions.find(conditionIdOf(NEG_RISK_ADAPTER, questionId))
    if (market === undefined || condition === undefined) return
    const index = amountAt(log, 0)
    const isNext = index === BigInt(market.questions.length)
    if (!isNext || BigInt(`0x${questionId}`) !== BigInt(`0x${market.id}`) + index) {
      this.#books.report(`question ${questionId} is not the next of its market`)
    }
    market.questions.push(condition)
  }

  split(log: RawLog): void {
    const used = this.#findUsed(log)
    if (used === undefined) return
    const { holder, condition, market } = used
    const amount = amountAt(log, 0)
    const { moves } = this.#books
    market.cash += amount
    moves.declare(USDCE, holder, WCOL, amount)
    moves.declare(WCOL, ZERO, NEG_RISK_ADAPTER, amount)
    for (const asset of condition.assets) moves.declare(asset, NEG_RISK_ADAPTER, holder, amount)
  }

  merge(log: RawLog): void {
    const used = this.#findUsed(log)
    if (used === undefined) return
    const { holder, condition, market } = used
    const amount = amountAt(log, 0)
    const { moves } = this.#books
    market.cash -= amount
    for (const asset of condition.assets) moves.declare(asset, holder, NEG_RISK_ADAPTER, amount)
    moves.declare(WCOL, NEG_RISK_ADAPTER, ZERO, amount)
    moves.declare(USDCE, WCOL, holder, amount)
  }

  redeem(log: RawLog): void {
    const used = this.#findUsed(log)
    if (used === undefined) return
    const { holder, condition, market } = used
    const [first = 0n, second = 0n] = amountsAt(log, 0)
    const payout = amountAt(log, 1)
    if (payout !== condition.worthOf([first, second])) {
      this.#books.report(`${first} and ${second} of ${condition.id} are redeemed for ${payout}`)
    }
    const { moves } = this.#books
    market.cash -= payout
    this.#books.redemptions.push({ redeemer: holder, payout })
    moves.declare(condition.assets[0], holder, NEG_RISK_ADAPTER, first)
    moves.declare(condition.assets[1], holder, NEG_RISK_ADAPTER, second)
    moves.declare(WCOL, NEG_RISK_ADAPTER, ZERO, payout)
    moves.declare(USDCE, WCOL, holder, payout)
  }

  /**
   * NO of k questions for YES of the n − k others and k − 1 dollars a share. The adapter mints the
   * collateral for the others from nothing, and parks all n NO.
   */
  convert(log: RawLog): void {
    const market = this.#findMarket(topicAt(log, 2).slice(2))
    if (market === undefined) return
    const holder = addressIn(topicAt(log, 1))
    const indexSet = BigInt(topicAt(log, 3))
    const amount = amountAt(log, 0)
    const fee = (amount * market.feeBips) / 10_000n
    const isGiven = (_: Condition, index: number) => (indexSet >> BigInt(index)) % 2n === 1n
    const given = market.questions.filter(isGiven)
    const others = market.questions.filter((question, index) => !isGiven(question, index))
    if (given.length === 0 || indexSet >> BigInt(market.questions.length) !== 0n) {
      this.#books.report(`conversion of questions that market ${market.id} does not have`)
    }
    const which = others.length === 0 ? 'all' : given.length > 1 ? 'several' : 'one'
    this.#books.note(`conversion of ${which}`)
    const caller = COLLATERAL_ADAPTERS.includes(holder) ? 'an adapter' : 'the holder'
    if (fee > 0n) this.#books.note(`conversion of ${which} with a fee by ${caller}`)

    const { moves } = this.#books
    const dollars = BigInt(given.length - 1)
    market.cash -= dollars * amount
    moves.declare(USDCE, WCOL, holder, dollars * (amount - fee))
    moves.declare(USDCE, WCOL, NEG_RISK_VAULT, dollars * fee)
    moves.declare(WCOL, ZERO, NEG_RISK_ADAPTER, BigInt(others.length) * amount)
    for (const { assets } of given) moves.declare(assets[1], holder, NEG_RISK_BURN, amount)
    for (const { assets } of others) {
      moves.declare(assets[1], NEG_RISK_ADAPTER, NEG_RISK_BURN, amount)
      moves.declare(assets[0], NEG_RISK_ADAPTER, holder, amount - fee)
      moves.declare(assets[0], NEG_RISK_ADAPTER, NEG_RISK_VAULT, fee)
    }
  }

  #findUsed(log: RawLog) {
    const holder = addressIn(topicAt(log, 1))
    const condition = this.#conditions.find(topicAt(log, 2).slice(2))
    if (condition === undefined) return undefined
    const market = this.#findMarket(`${condition.questionId.slice(0, 62)}00`)
    return market && { holder, condition, market }
  }

  #findMarket(id: string): NegRiskMarket | undefined {
    const market = this.markets.get(id)
    if (market === undefined) this.#books.report(`market ${id} was never prepared`)
    return market
  }
}
