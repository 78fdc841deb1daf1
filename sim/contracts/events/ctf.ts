import { arrayArgument, encodeArguments } from '../abi.js'
import { ADDRESS } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { type Word, word, ZERO_WORD } from '../words.js'

/** Index sets of the two outcomes: the partition of every condition here. */
const BOTH_OUTCOMES = [word(1), word(2)]

/** `conditionId` and `questionId` are 0x and 64 hex digits, `oracle` is an address word. */
export function conditionPreparation(conditionId: string, oracle: Word, questionId: string): LogBody {
  return {
    address: ADDRESS.ctf,
    topics: [TOPIC.conditionPreparation, conditionId, `0x${oracle}`, questionId],
    data: `0x${word(2)}`,
  }
}

export function conditionResolution(
  conditionId: string,
  oracle: Word,
  questionId: string,
  payouts: readonly number[],
): LogBody {
  return {
    address: ADDRESS.ctf,
    topics: [TOPIC.conditionResolution, conditionId, `0x${oracle}`, questionId],
    data: `0x${encodeArguments([word(payouts.length), arrayArgument(payouts.map(word))])}`,
  }
}

export function positionSplit(
  stakeholder: Word,
  collateral: Word,
  conditionId: string,
  amount: number,
): LogBody {
  return splitOrMerge(TOPIC.positionSplit, stakeholder, collateral, conditionId, amount)
}

export function positionsMerge(
  stakeholder: Word,
  collateral: Word,
  conditionId: string,
  amount: number,
): LogBody {
  return splitOrMerge(TOPIC.positionsMerge, stakeholder, collateral, conditionId, amount)
}

export function payoutRedemption(
  redeemer: Word,
  collateral: Word,
  conditionId: string,
  payout: number,
): LogBody {
  const args = [conditionId.slice(2), arrayArgument(BOTH_OUTCOMES), word(payout)]
  return {
    address: ADDRESS.ctf,
    topics: [TOPIC.payoutRedemption, `0x${redeemer}`, `0x${collateral}`, `0x${ZERO_WORD}`],
    data: `0x${encodeArguments(args)}`,
  }
}

function splitOrMerge(
  topic: string,
  stakeholder: Word,
  collateral: Word,
  conditionId: string,
  amount: number,
): LogBody {
  return {
    address: ADDRESS.ctf,
    topics: [topic, `0x${stakeholder}`, `0x${ZERO_WORD}`, conditionId],
    data: `0x${encodeArguments([collateral, arrayArgument(BOTH_OUTCOMES), word(amount)])}`,
  }
}
