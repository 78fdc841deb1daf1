import { arrayArgument, encodeArguments } from '../abi.js'
import { ADDRESS } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { bytesWord, type Word, word } from '../words.js'

// Condition ids have 31 bytes (0x and 62 hex digits) and stand on the left of their topic.

export function combinatorialConditionPrepared(
  conditionId: string,
  legs: readonly Word[],
): LogBody {
  const topics = [TOPIC.combinatorialConditionPrepared, conditionTopic(conditionId)]
  return moduleLog(topics, encodeArguments([arrayArgument(legs)]))
}

export function positionsSplit(
  initiator: Word,
  conditionId: string,
  recipients: readonly [Word, Word],
  amount: number,
): LogBody {
  const topics = [
    TOPIC.positionsSplit,
    `0x${initiator}`,
    conditionTopic(conditionId),
    `0x${recipients[0]}`,
  ]
  return moduleLog(topics, recipients[1] + word(amount))
}

export function positionsMerged(
  initiator: Word,
  conditionId: string,
  recipient: Word,
  amount: number,
): LogBody {
  const topics = [
    TOPIC.positionsMerged,
    `0x${initiator}`,
    conditionTopic(conditionId),
    `0x${recipient}`,
  ]
  return moduleLog(topics, word(amount))
}

export function positionRedeemed(
  initiator: Word,
  token: Word,
  recipient: Word,
  amount: number,
  payout: number,
): LogBody {
  const topics = [TOPIC.positionRedeemed, `0x${initiator}`, `0x${token}`, `0x${recipient}`]
  return moduleLog(topics, word(amount) + word(payout))
}

export function migrationConditionRegistered(
  conditionId: string,
  legacyConditionId: string,
): LogBody {
  const topics = [
    TOPIC.migrationConditionRegistered,
    conditionTopic(conditionId),
    legacyConditionId,
  ]
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

function moduleLog(topics: readonly string[], data: string): LogBody {
  return { address: ADDRESS.combinatorialModule, topics, data: `0x${data}` }
}
