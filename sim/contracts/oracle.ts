import type { ActOf, OraclePrice, Propose, Resolve } from '../universe/acts.js'
import { isAnsweredByFeed, type Market, type NegRisk, type Payouts } from '../universe/market.js'
import { winnerOf } from '../universe/outcomes.js'
import { ADDRESS, WORD } from './addresses.js'
import { conditionPreparation, conditionResolution } from './events/ctf.js'
import { tokenRegistered } from './events/exchange-v1.js'
import { marketPrepared, outcomeReported, questionPrepared, questionReported } from './events/neg-risk.js'
import {
  disputePrice,
  type PriceRequest,
  proposePrice,
  questionInitialized,
  questionReset,
  questionResolved,
  requestPrice,
  settle,
} from './events/uma.js'
import type { LogBody } from './log.js'
import { addressWord, type Word, word, ZERO_WORD } from './words.js'

// Bonds stay between the oracle and those who answer: they are logged, but their money is no part of
// this world.
export const BOND = 500_000_000
export const LIVENESS_SEC = 2 * 60 * 60

export function encodePrepareMarket(act: ActOf<'prepareMarket'>): LogBody[] {
  const { era, market } = act
  const { negRisk } = market.event
  return [
    ...(negRisk ? initializeNegRisk(act, negRisk) : initialize(act)),
    ...(era === 'v1' ? registerTokens(market) : []),
  ]
}

export function encodePrepareEvent({ event }: ActOf<'prepareEvent'>): LogBody[] {
  const { negRisk } = event
  return negRisk ? marketPrepared(negRisk.marketId, negRisk.feeBips, negRisk.metadata) : []
}

export function encodePropose(act: Propose): LogBody[] {
  const from = addressWord(act.proposer)
  return [proposePrice(requestOf(act), from, priceWord(act.price), act.atSec + LIVENESS_SEC)]
}

/** The adapter answers the first dispute by requesting the price again. */
export function encodeDispute(act: ActOf<'dispute'>): LogBody[] {
  const { market, price, proposer, disputer, atSec } = act
  const parties = [addressWord(proposer), addressWord(disputer)] as const
  return [
    disputePrice(requestOf(act), ...parties, priceWord(price)),
    requestPrice(requestOf({ market, askedSec: atSec })),
    questionReset(umaAdapterOf(market), market.requestId),
  ]
}

/** The windows of coins and games are answered by a feed: there is no proposal and no settlement. */
export function encodeResolve(act: Resolve): LogBody[] {
  const { market, payouts } = act
  const { negRisk } = market.event
  const settled = isAnsweredByFeed(market.event) ? [] : [settleRequest(act)]
  const resolved = questionResolved(
    umaAdapterOf(market),
    market.requestId,
    priceWord(priceOf(payouts)),
    payouts,
  )
  const oracle = addressWord(market.oracle)
  const reported = conditionResolution(market.conditionId, oracle, market.questionId, payouts)
  if (negRisk === undefined) return [...settled, reported, resolved]

  const isYes = winnerOf(payouts) === 0
  return [
    ...settled,
    questionReported(market.questionId, market.requestId, isYes),
    resolved,
    reported,
    ...outcomeReported(negRisk.marketId, market.questionId, isYes),
  ]
}

/** The adapter that asks the oracle about the market. */
export function umaAdapterOf(market: Market): string {
  return market.event.negRisk ? ADDRESS.negRiskUmaAdapterV4 : market.oracle
}

/** The fourth adapters ask the managed oracle, those before them the open one. */
export function optimisticOracleOf(market: Market): string {
  const adapter = umaAdapterOf(market)
  const isOld = adapter === ADDRESS.umaAdapterV2 || adapter === ADDRESS.umaAdapterV3
  return isOld ? ADDRESS.optimisticOracleV2 : ADDRESS.managedOracleV2
}

/** An int256 with 18 decimals. */
export function priceWord(price: OraclePrice): Word {
  return PRICE_WORDS[price]
}

const PRICE_WORDS: Readonly<Record<OraclePrice, Word>> = {
  0: ZERO_WORD,
  0.5: word(500_000_000_000_000_000n),
  1: word(1_000_000_000_000_000_000n),
}

type Asked = { market: Market; askedSec: number }

export function requestOf({ market, askedSec }: Asked): PriceRequest {
  return {
    oracle: optimisticOracleOf(market),
    requester: addressWord(umaAdapterOf(market)),
    timestampSec: askedSec,
    ancillaryData: market.ancillaryData,
  }
}

function initialize(asked: Asked): LogBody[] {
  const { conditionId, oracle, questionId } = asked.market
  return [conditionPreparation(conditionId, addressWord(oracle), questionId), ...ask(asked)]
}

/** The oracle has the question under another id than the conditional tokens. */
function initializeNegRisk(asked: Asked, { marketId }: NegRisk): LogBody[] {
  const { conditionId, questionId, requestId, index, ancillaryData } = asked.market
  return [
    ...ask(asked),
    conditionPreparation(conditionId, WORD.negRiskAdapter, questionId),
    ...questionPrepared(marketId, questionId, requestId, index, ancillaryData),
  ]
}

function ask(asked: Asked): LogBody[] {
  const { market, askedSec } = asked
  const { requestId, ancillaryData } = market
  const adapter = umaAdapterOf(market)
  return [
    requestPrice(requestOf(asked)),
    questionInitialized(adapter, requestId, askedSec, creatorWord(market), ancillaryData, BOND),
  ]
}

function registerTokens({ event, tokens, conditionId }: Market): LogBody[] {
  const exchange = event.negRisk ? ADDRESS.negRiskExchangeV1 : ADDRESS.exchangeV1
  const [first, second] = tokens
  return [
    tokenRegistered(exchange, first.word, second.word, conditionId),
    tokenRegistered(exchange, second.word, first.word, conditionId),
  ]
}

/** Of the request that stood to the end: its answer was not disputed. */
function settleRequest(act: Resolve): LogBody {
  const price = priceWord(priceOf(act.payouts))
  return settle(requestOf(act), addressWord(act.proposer), ZERO_WORD, price)
}

function priceOf(payouts: Payouts): OraclePrice {
  const winner = winnerOf(payouts)
  return winner === undefined ? 0.5 : winner === 0 ? 1 : 0
}

/** Who asked stands at the end of the text. */
function creatorWord({ ancillaryData }: Market): Word {
  const creator = /,initializer:([0-9a-f]{40})$/.exec(ancillaryData)?.[1]
  return creator === undefined ? WORD.questionCreator : addressWord(`0x${creator}`)
}
