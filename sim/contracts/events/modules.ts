import { arrayArgument, encodeArguments } from '../abi.js'
import { ADDRESS } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { bytesWord, type Word, word } from '../words.js'

// Condition ids have 31 bytes (0x and 62 hex digits) and stand on the left of their topic.

export function combinatorialConditionPrepared(conditionId: string, legs: readonly Word[]): LogBody {
  const topics = [TOPIC.combinatorialConditionPrepared, conditionTopic(conditionId)]
  const data = encodeArguments([arrayArgument(legs)])
  return { address: ADDRESS.combinatorialModule, topics, data: `0x${data}` }
}

export function positionsSplit(
  module: string,
  initiator: Word,
  conditionId: string,
  recipients: readonly [Word, Word],
  amount: number,
): LogBody {
  const topics = [TOPIC.positionsSplit, `0x${initiator}`, conditionTopic(conditionId), `0x${recipients[0]}`]
  return { address: module, topics, data: `0x${recipients[1]}${word(amount)}` }
}

export function positionsMerged(
  module: string,
  initiator: Word,
  conditionId: string,
  recipient: Word,
  amount: number,
): LogBody {
  const topics = [TOPIC.positionsMerged, `0x${initiator}`, conditionTopic(conditionId), `0x${recipient}`]
  return { address: module, topics, data: `0x${word(amount)}` }
}

export function positionRedeemed(
  module: string,
  initiator: Word,
  token: Word,
  recipient: Word,
  amount: number,
  payout: number,
): LogBody {
  const topics = [TOPIC.positionRedeemed, `0x${initiator}`, `0x${token}`, `0x${recipient}`]
  return { address: module, topics, data: `0x${word(amount)}${word(payout)}` }
}

export function migrationConditionRegistered(conditionId: string, legacyConditionId: string): LogBody {
  const topics = [TOPIC.migrationConditionRegistered, conditionTopic(conditionId), legacyConditionId]
  return binaryLog(topics, '')
}

export function migrationResolved(
  conditionId: string,
  legacyConditionId: string,
  payouts: readonly [number, number],
  result: readonly [number, number],
): LogBody {
  const topics = [TOPIC.migrationResolved, conditionTopic(conditionId), legacyConditionId]
  return binaryLog(topics, [...payouts, ...result].map(word).join(''))
}

export function conditionResolved(conditionId: string, result: readonly number[]): LogBody {
  const topics = [TOPIC.conditionResolved, conditionTopic(conditionId)]
  return binaryLog(topics, encodeArguments([arrayArgument(result.map(word))]))
}

export function resultReported(resolver: Word, conditionId: string, result: readonly number[]): LogBody {
  const topics = [TOPIC.resultReported, `0x${resolver}`, conditionTopic(conditionId)]
  return binaryLog(topics, encodeArguments([arrayArgument(result.map(word))]))
}

export function positionMigrated(
  from: Word,
  conditionId: string,
  token: Word,
  outcome: number,
  amount: number,
): LogBody {
  const topics = [TOPIC.positionMigrated, `0x${from}`, conditionTopic(conditionId), `0x${token}`]
  return binaryLog(topics, word(outcome) + word(amount))
}

export function legacyCollateralSettled(collateral: Word, vault: Word, amount: number): LogBody {
  const topics = [TOPIC.legacyCollateralSettled, `0x${collateral}`, `0x${vault}`]
  return binaryLog(topics, word(amount))
}

export function routerPositionRedeemed(user: Word, token: Word, amount: number): LogBody {
  return {
    address: ADDRESS.router,
    topics: [TOPIC.routerPositionRedeemed, `0x${user}`, `0x${token}`],
    data: `0x${word(amount)}`,
  }
}

function conditionTopic(conditionId: string): string {
  return `0x${bytesWord(conditionId)}`
}

function binaryLog(topics: readonly string[], data: string): LogBody {
  return { address: ADDRESS.binaryModule, topics, data: `0x${data}` }
}
