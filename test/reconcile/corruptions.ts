import type { EventName } from './events.js'
import type { RawLog } from './log.js'

export type Corruption = { name: string; spoil: (log: RawLog) => RawLog[] }

/** Ways to spoil one log of each event: leave it out, repeat it, raise a value in it by one. */
export function corruptionsOf(event: EventName): Corruption[] {
  const drop = { name: 'dropped', spoil: () => [] }
  const repeat = { name: 'duplicated', spoil: (log: RawLog) => [log, log] }
  const raises = VALUES[event].map((word) => ({
    name: `word ${word} raised`,
    spoil: (log: RawLog) => [raise(log, word)],
  }))
  return [drop, repeat, ...raises]
}

/** Words of the data that mean something; from the end when negative. */
const VALUES: Record<EventName, readonly number[]> = {
  'USDC.e Transfer': [0],
  'WCOL Transfer': [0],
  'pUSD Transfer': [0],
  'pUSD Wrapped': [0],
  'pUSD Unwrapped': [0],

  'CTF TransferSingle': [0, 1],
  'CTF TransferBatch': [3, -1],
  'PositionManager TransferSingle': [0, 1],
  'PositionManager TransferBatch': [3, -1],

  'CTF ConditionPreparation': [0],
  'CTF ConditionResolution': [0, 3, 4],
  'CTF PositionSplit': [0, 2, 4],
  'CTF PositionsMerge': [0, 2, 5],
  'CTF PayoutRedemption': [0, 2, 4],
  'UMA QuestionInitialized': [],
  'UMA QuestionResolved': [2, 3],

  'V1 OrderFilled': [0, 1, 2, 3, 4],
  'V1 OrdersMatched': [0, 1, 2, 3],
  'V1 FeeCharged': [0, 1],
  'V1 FeeRefunded': [0, 1],
  'V1 TokenRegistered': [],
  'V2 OrderFilled': [0, 1, 2, 3, 4],
  'V2 OrdersMatched': [0, 1, 2, 3],
  'V2 FeeCharged': [0],

  'NegRisk MarketPrepared': [0, 2],
  'NegRisk QuestionPrepared': [0],
  'NegRisk OutcomeReported': [0],
  'NegRisk PositionSplit': [0],
  'NegRisk PositionsMerge': [0],
  'NegRisk PayoutRedemption': [1, 3, 4],
  'NegRisk PositionsConverted': [0],

  'Module MigrationConditionRegistered': [],
  'Module MigrationResolved': [0, 1, 2, 3],
  'Module ConditionResolved': [2, 3],
  'Module ResultReported': [2, 3],
  'Module PositionMigrated': [0, 1],
  'Module LegacyCollateralSettled': [0],
  'Module CombinatorialConditionPrepared': [2, -1],
  'Module PositionsSplit': [0, 1],
  'Module PositionsMerged': [0],
  'Module PositionRedeemed': [0, 1],

  'AutoRedeemer Redemption': [0],
  'AutoRedeemer BinaryRedemption': [0],
  'AutoRedeemer NegRiskRedemption': [0],
}

function raise(log: RawLog, index: number): RawLog {
  const words: string[] = log.data.slice(2).match(/.{64}/g) ?? []
  const at = index < 0 ? words.length + index : index
  const value = BigInt(`0x${words[at]}`) + 1n
  return { ...log, data: `0x${words.with(at, value.toString(16).padStart(64, '0')).join('')}` }
}
