import { type Fill, isV1, type Match, type Order } from '../universe/acts.js'
import { type Argument, arrayArgument, bytesArgument, encodeArguments, tupleArrayArgument } from './abi.js'
import { ADDRESS } from './addresses.js'
import { making, marketOf, taking } from './fills.js'
import { keccak } from './keccak.js'
import { usesFeeModule } from './match-v1.js'
import { orderHash, orderWordsV1, orderWordsV2 } from './order-hash.js'
import { SELECTOR } from './selectors.js'
import { type Word, word } from './words.js'

/** The `matchOrders` call that the operator sends. */
export function matchInput(match: Match): string {
  return selectorOf(match) + encodeArguments(argumentsOf(match))
}

/** The contract that the operator calls. */
export function matchTarget(match: Match): string {
  switch (match.exchange) {
    case 'v1':
      return usesFeeModule(match) ? ADDRESS.feeModule : ADDRESS.exchangeV1
    case 'v1NegRisk':
      return usesFeeModule(match) ? ADDRESS.negRiskFeeModule : ADDRESS.negRiskExchangeV1
    case 'v2':
      return ADDRESS.exchangeV2
    case 'v2NegRisk':
      return ADDRESS.negRiskExchangeV2
    case 'v3':
      return ADDRESS.exchangeV3
  }
}

/** What the operator charges each order in the end. */
export function matchFees({ taker, makers }: Match): { taker: number; makers: number[] } {
  const charged = ({ fee, refund }: Fill) => fee - refund
  return { taker: charged(taker), makers: makers.map(charged) }
}

function selectorOf(match: Match): string {
  if (match.exchange === 'v3') return SELECTOR.matchOrdersV3
  if (!isV1(match.exchange)) return SELECTOR.matchOrdersV2
  return usesFeeModule(match) ? SELECTOR.matchOrdersWithRefunds : SELECTOR.matchOrdersV1
}

function argumentsOf(match: Match): Argument[] {
  const { taker, makers } = match
  const fees = matchFees(match)
  const takerOrder = { tail: orderTuple(taker.order) }
  const makerOrders = tupleArrayArgument(makers.map(({ order }) => orderTuple(order)))
  const takerFill = word(making(taker))
  const takerReceives = word(taking(taker))
  const makerFills = arrayArgument(makers.map((maker: Fill) => word(making(maker))))
  const takerFee = word(fees.taker)
  const makerFees = arrayArgument(fees.makers.map(word))

  if (match.exchange === 'v3') {
    const takerAmounts = takerFill + takerReceives + takerFee
    return [takerOrder, makerOrders, makerFills, makerFees, takerAmounts]
  }
  if (!isV1(match.exchange)) {
    const condition = marketOf(match).conditionId.slice(2)
    return [condition, takerOrder, makerOrders, takerFill, makerFills, takerFee, makerFees]
  }
  return usesFeeModule(match)
    ? [takerOrder, makerOrders, takerFill, takerReceives, makerFills, takerFee, makerFees]
    : [takerOrder, makerOrders, takerFill, makerFills]
}

function orderTuple(order: Order): string {
  const words = isV1(order.exchange) ? orderWordsV1(order) : orderWordsV2(order)
  return encodeArguments([...words, bytesArgument(signatureOf(order))])
}

/** There are no private keys, so nothing that verifies: 65 bytes that follow from the order. */
function signatureOf(order: Order): string {
  const r: Word = keccak(`${orderHash(order).slice(2)}01`)
  const s: Word = keccak(`${orderHash(order).slice(2)}02`)
  // The upper half of s is not allowed, and v is 27 or 28.
  return `${r}0${s.slice(1)}${r < '8' ? '1b' : '1c'}`
}
