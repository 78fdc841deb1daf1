import { AutoRedeemer } from './auto-redeemer.js'
import { Books } from './books.js'
import { Combos } from './combos.js'
import { Conditions } from './conditions.js'
import { type EventName, eventOf, saysNothing } from './events.js'
import { Legs } from './legs.js'
import type { RawLog } from './log.js'
import { Moves } from './moves.js'
import { NegRisk } from './neg-risk.js'
import { checkNegRiskMarket } from './neg-risk-cover.js'
import { Oracle } from './oracle.js'
import { checkReserves } from './reserves.js'
import { bookBalances, checkSettlement } from './settlement.js'
import { Trades } from './trades.js'
import { Transfers } from './transfers.js'

/**
 * Reads all logs of a chain, in their order and from its beginning, and complains of everything that
 * real contracts could not have logged. It is written from the contracts alone, without the code that made the logs.
 */
export class Checker {
  readonly #books = new Books()
  readonly #transfers = new Transfers(this.#books)
  readonly #conditions = new Conditions(this.#books)
  readonly #oracle = new Oracle(this.#books, this.#conditions)
  readonly #negRisk = new NegRisk(this.#books, this.#conditions)
  readonly #legs = new Legs(this.#books, this.#conditions)
  readonly #combos = new Combos(this.#books, this.#legs)
  readonly #trades = new Trades(this.#books)
  readonly #autoRedeemer = new AutoRedeemer(this.#books)
  /** The logs of the transaction so far. */
  #logs = 0
  #lastEvent: EventName | undefined

  get violations(): readonly string[] {
    return this.#books.violations
  }

  /** How often each event, and each way to do a thing, was seen. */
  get seen(): ReadonlyMap<string, number> {
    return this.#books.seen
  }

  read(log: RawLog): void {
    const books = this.#books
    if (log.transactionHash !== books.transaction) {
      this.#endTransaction()
      books.transaction = log.transactionHash
      books.block = Number(log.blockNumber)
    }
    this.#logs += 1
    const event = eventOf(log)
    this.#lastEvent = event
    if (event !== undefined) {
      books.note(event)
      this.#handlers[event](log)
    } else if (!saysNothing(log)) {
      books.report(`an unknown log of ${log.address}: ${log.topics[0]}`)
    }
  }

  /** After the last log. */
  finish(): void {
    this.#endTransaction()
    this.#books.transaction = 'none'
    this.#conditions.finish()
    this.#legs.finish()
    this.#combos.finish()
    for (const market of this.#negRisk.markets.values()) checkNegRiskMarket(this.#books, market)
    checkReserves(this.#books, {
      conditions: this.#conditions,
      negRisk: this.#negRisk,
      combos: this.#combos,
      legs: this.#legs,
    })
  }

  readonly #handlers: Record<EventName, (log: RawLog) => void> = {
    'USDC.e Transfer': (log) => this.#transfers.moveMoney(log),
    'WCOL Transfer': (log) => this.#transfers.moveMoney(log),
    'pUSD Transfer': (log) => this.#transfers.moveMoney(log),
    'pUSD Wrapped': (log) => this.#transfers.wrap(log),
    'pUSD Unwrapped': (log) => this.#transfers.unwrap(log),

    'CTF TransferSingle': (log) => this.#transfers.moveShares(log),
    'CTF TransferBatch': (log) => this.#transfers.moveManyShares(log),
    'PositionManager TransferSingle': (log) => this.#transfers.moveShares(log),
    'PositionManager TransferBatch': (log) => this.#transfers.moveManyShares(log),

    'CTF ConditionPreparation': (log) => this.#oracle.prepare(log),
    'CTF ConditionResolution': (log) => this.#oracle.resolve(log),
    'CTF PositionSplit': (log) => this.#conditions.split(log),
    'CTF PositionsMerge': (log) => this.#conditions.merge(log),
    'CTF PayoutRedemption': (log) => this.#conditions.redeem(log),
    'UMA QuestionInitialized': (log) => this.#oracle.ask(log),
    'UMA QuestionResolved': (log) => this.#oracle.answer(log),

    'V1 OrderFilled': (log) => this.#trades.fillV1(log),
    'V1 OrdersMatched': (log) => this.#trades.matchV1(log),
    'V1 FeeCharged': (log) => this.#trades.chargeV1(log),
    'V1 FeeRefunded': (log) => this.#trades.refund(log),
    'V1 TokenRegistered': (log) => this.#conditions.registerTokens(log),
    'V2 OrderFilled': (log) => this.#trades.fillV2(log),
    'V2 OrdersMatched': (log) => this.#trades.matchV2(log),
    'V2 FeeCharged': (log) => this.#trades.chargeV2(log),

    'NegRisk MarketPrepared': (log) => this.#negRisk.prepareMarket(log),
    'NegRisk QuestionPrepared': (log) => this.#negRisk.prepareQuestion(log),
    'NegRisk OutcomeReported': (log) => this.#oracle.report(log),
    'NegRisk PositionSplit': (log) => this.#negRisk.split(log),
    'NegRisk PositionsMerge': (log) => this.#negRisk.merge(log),
    'NegRisk PayoutRedemption': (log) => this.#negRisk.redeem(log),
    'NegRisk PositionsConverted': (log) => this.#negRisk.convert(log),

    'Module MigrationConditionRegistered': (log) => this.#legs.register(log),
    'Module ConditionResolved': (log) => this.#legs.resolve(log),
    'Module ResultReported': (log) => this.#legs.report(log),
    'Module MigrationResolved': (log) => this.#legs.copy(log),
    'Module PositionMigrated': (log) => this.#legs.move(log),
    'Module LegacyCollateralSettled': (log) => this.#legs.settle(log),
    'Module CombinatorialConditionPrepared': (log) => this.#combos.prepare(log),
    'Module PositionsSplit': (log) => this.#combos.split(log),
    'Module PositionsMerged': (log) => this.#combos.merge(log),
    'Module PositionRedeemed': (log) => this.#combos.redeem(log),

    'AutoRedeemer Redemption': (log) => this.#autoRedeemer.declare(log),
    'AutoRedeemer BinaryRedemption': (log) => this.#autoRedeemer.declare(log),
    'AutoRedeemer NegRiskRedemption': (log) => this.#autoRedeemer.declare(log),
  }

  #endTransaction(): void {
    const books = this.#books
    if (this.#logs === 0) return
    const isGift = this.#logs === 1 && isShareTransfer(this.#lastEvent)
    if (isGift) books.note(this.#lastEvent?.endsWith('Batch') ? 'gift of several' : 'gift')
    checkSettlement(books, this.#trades.isMatch ? 'match' : isGift ? 'gift' : 'other')
    bookBalances(books)
    this.#trades.endTransaction()
    this.#oracle.endTransaction()
    this.#conditions.endTransaction()
    this.#autoRedeemer.endTransaction()
    books.moves = new Moves()
    books.redemptions = []
    this.#logs = 0
  }
}

const isShareTransfer = (event: EventName | undefined): boolean =>
  event?.endsWith('TransferSingle') === true || event?.endsWith('TransferBatch') === true
