import { seqOf } from '../../core/seq.js'
import type { DecodedEvent, DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import { readOracleStep } from './oracle.js'
import type { Reading } from './reading.js'
import { PROXY_FACTORY } from './roles.js'
import { padId, positionsOf } from './structured.js'
import { proxyWalletOf } from './wallet-owners.js'

/** Numbers that a column of 128 bits can hold. */
const PAYOUT_MAX = 2n ** 127n
const OUTCOMES_MAX = 256n
const FEE_BIPS_MAX = 10_000n
const QUESTIONS_MAX = 256n
const TIME_SEC_MAX = BigInt(Number.MAX_SAFE_INTEGER)

/** Keeps a fact that stands for itself: nothing else in its transaction changes what it means. */
export function record(reading: Reading, fact: DecodedEvent, log: ChainLog): void {
  const { tape, tx } = reading
  const seq = seqOf(tx.block, log.at.logIndex)
  const txHash = tx.hash
  switch (fact.kind) {
    case 'ordersMatched':
    case 'approvalForAll':
    case 'erc20Approval':
    case 'erc20Transfer':
      return
    case 'conditionPreparation': {
      const { conditionId: condition, oracle, questionId: question, outcomeSlotCount } = fact
      if (refuseAbove(reading, log, outcomeSlotCount, OUTCOMES_MAX)) return
      const outcomes = Number(outcomeSlotCount)
      tape.preparations.push({ seq, txHash, condition, oracle, question, outcomes })
      return
    }
    case 'conditionResolution':
      recordResult(reading, log, fact.conditionId, fact.payoutNumerators)
      return
    case 'negRiskMarketPrepared': {
      if (refuseAbove(reading, log, fact.feeBips, FEE_BIPS_MAX)) return
      const feeBips = Number(fact.feeBips)
      tape.negRiskMarkets.push({ seq, txHash, market: fact.marketId, oracle: fact.oracle, feeBips })
      return
    }
    case 'negRiskQuestionPrepared': {
      if (refuseAbove(reading, log, fact.index, QUESTIONS_MAX - 1n)) return
      const { marketId: market, questionId: question } = fact
      tape.negRiskQuestions.push({ seq, txHash, market, question, index: Number(fact.index) })
      return
    }
    case 'combinatorialConditionPrepared': {
      const condition = padId(fact.conditionId)
      tape.combos.push({ seq, txHash, condition, legs: fact.legs })
      reading.tellOutcomes(seq, condition, positionsOf(condition))
      return
    }
    case 'proxyCreation':
      tape.walletOwners.push({ seq, wallet: fact.proxy, owner: fact.owner, kind: 'safe' })
      return
    case 'transactionRelayed': {
      const { from: owner, to } = fact
      if (to !== PROXY_FACTORY) reading.keepRaw(fact.kind, log)
      else tape.walletOwners.push({ seq, wallet: proxyWalletOf(owner), owner, kind: 'proxy' })
      return
    }
    default:
      if (!recordStep(reading, fact, log)) reading.keepRaw(fact.kind, log)
  }
}

/** A result of a module, which may tell it twice: once as reported, and once as it then stands. */
export function recordModuleResult(reading: Reading, fact: ModuleResult, log: ChainLog): void {
  const isRepeated =
    fact.kind === 'resultReported' &&
    reading.tx.late.some(
      ({ fact: other }) =>
        other.kind === 'conditionResolved' && other.conditionId === fact.conditionId,
    )
  if (isRepeated) reading.keepRaw(fact.kind, log)
  else recordResult(reading, log, padId(fact.conditionId), fact.result)
}

/** False: the fact is no step in the life of a question. */
function recordStep(reading: Reading, fact: DecodedEvent, log: ChainLog): boolean {
  const step = readOracleStep(fact)
  if (step === undefined) return false
  const { requestTime, actor, proposer, price, payouts, expiration } = step
  if (
    refuseAbove(reading, log, requestTime ?? 0n, TIME_SEC_MAX) ||
    refuseAbove(reading, log, expiration ?? 0n, TIME_SEC_MAX) ||
    refusePayouts(reading, log, payouts ?? [])
  )
    return true
  const { hash: txHash, timeSec, block } = reading.tx
  reading.tape.oracle.push({
    seq: seqOf(block, log.at.logIndex),
    timeSec,
    txHash,
    kind: step.kind,
    contract: log.at.address,
    requester: step.requester,
    question: step.question,
    requestTimeSec: requestTime === undefined ? undefined : Number(requestTime),
    actor,
    proposer,
    price,
    payouts,
    expirationSec: expiration === undefined ? undefined : Number(expiration),
  })
  return true
}

type ModuleResult = DecodedEventOf<'conditionResolved'> | DecodedEventOf<'resultReported'>

function recordResult(
  reading: Reading,
  log: ChainLog,
  condition: string,
  payouts: readonly bigint[],
): void {
  if (refusePayouts(reading, log, payouts)) return
  const { hash: txHash, timeSec, block } = reading.tx
  const seq = seqOf(block, log.at.logIndex)
  reading.tape.resolutions.push({ seq, timeSec, txHash, condition, payouts })
}

function refusePayouts(reading: Reading, log: ChainLog, payouts: readonly bigint[]): boolean {
  return payouts.some((payout) => refuseAbove(reading, log, payout, PAYOUT_MAX))
}

function refuseAbove(reading: Reading, log: ChainLog, value: bigint, max: bigint): boolean {
  if (value <= max) return false
  reading.quarantine('absurd_amount', `${value} is above ${max}`, log)
  return true
}
