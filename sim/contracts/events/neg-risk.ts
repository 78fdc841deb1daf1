import { arrayArgument, encodeArguments, textArgument } from '../abi.js'
import { ADDRESS, WORD } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { type Word, word } from '../words.js'

// Ids are 0x and 64 hex digits.

export function negRiskSplit(stakeholder: Word, conditionId: string, amount: number): LogBody {
  return adapterLog([TOPIC.negRiskSplit, `0x${stakeholder}`, conditionId], word(amount))
}

export function negRiskMerge(stakeholder: Word, conditionId: string, amount: number): LogBody {
  return adapterLog([TOPIC.negRiskMerge, `0x${stakeholder}`, conditionId], word(amount))
}

export function negRiskRedemption(
  redeemer: Word,
  conditionId: string,
  amounts: readonly number[],
  payout: number,
): LogBody {
  const data = encodeArguments([arrayArgument(amounts.map(word)), word(payout)])
  return adapterLog([TOPIC.negRiskRedemption, `0x${redeemer}`, conditionId], data)
}

export function positionsConverted(
  stakeholder: Word,
  marketId: string,
  indexSet: number,
  amount: number,
): LogBody {
  const topics = [TOPIC.positionsConverted, `0x${stakeholder}`, marketId, `0x${word(indexSet)}`]
  return adapterLog(topics, word(amount))
}

/** One log of the adapter and one of the operator, who is the oracle of the market. */
export function marketPrepared(marketId: string, feeBips: number, metadata: string): LogBody[] {
  const data = encodeArguments([word(feeBips), textArgument(metadata)])
  return [
    adapterLog([TOPIC.marketPrepared, marketId, `0x${WORD.negRiskOperator}`], data),
    operatorLog([TOPIC.operatorMarketPrepared, marketId], data),
  ]
}

export function questionPrepared(
  marketId: string,
  questionId: string,
  requestId: string,
  index: number,
  metadata: string,
): LogBody[] {
  const data = encodeArguments([word(index), textArgument(metadata)])
  return [
    adapterLog([TOPIC.questionPrepared, marketId, questionId], data),
    operatorLog([TOPIC.operatorQuestionPrepared, marketId, questionId, requestId], data),
  ]
}

/** The operator learns the result from the oracle. */
export function questionReported(questionId: string, requestId: string, isYes: boolean): LogBody {
  const data = requestId.slice(2) + word(isYes ? 1 : 0)
  return operatorLog([TOPIC.operatorQuestionReported, questionId], data)
}

/** The operator passes the result on to the adapter. */
export function outcomeReported(marketId: string, questionId: string, isYes: boolean): LogBody[] {
  const data = word(isYes ? 1 : 0)
  return [
    adapterLog([TOPIC.outcomeReported, marketId, questionId], data),
    operatorLog([TOPIC.operatorQuestionResolved, questionId], data),
  ]
}

function adapterLog(topics: readonly string[], data: string): LogBody {
  return { address: ADDRESS.negRiskAdapter, topics, data: `0x${data}` }
}

function operatorLog(topics: readonly string[], data: string): LogBody {
  return { address: ADDRESS.negRiskOperator, topics, data: `0x${data}` }
}
