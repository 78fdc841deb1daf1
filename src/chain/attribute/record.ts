import { seqOf } from '../../core/seq.js'
import { padId, positionsOf } from '../../core/structured-id.js'
import type { DecodedEvent, DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import { deriveProxyWallet } from '../../upstreams/polygon/wallet-addresses.js'
import type { Attribution } from './attribution.js'
import { toOracleStep } from './oracle.js'
import { PROXY_FACTORY, roleOf } from './roles.js'

/** The largest number that fits a column of 128 bits. */
const PAYOUT_MAX = 2n ** 127n
const OUTCOMES_MAX = 256n
const FEE_BIPS_MAX = 10_000n
const QUESTIONS_MAX = 256n
const TIME_SEC_MAX = BigInt(Number.MAX_SAFE_INTEGER)

/** Makes facts of an event whose meaning does not depend on its transaction. */
export function recordEvent(attribution: Attribution, event: DecodedEvent, log: ChainLog): void {
  const { facts, tx } = attribution
  const seq = seqOf(tx.block, log.at.logIndex)
  const txHash = tx.hash
  switch (event.kind) {
    case 'ordersMatched':
    case 'erc20Transfer':
      return
    case 'approvalForAll': {
      // Approvals of the first token contract do not concern combos.
      if (roleOf(log.at.address) !== 'positionManager') return
      const { owner, operator, approved: isApproved } = event
      const parties = { kind: 'positions' as const, owner, operator, isApproved }
      facts.approvals.push({ seq, txHash, timeSec: tx.timeSec, ...parties, allowance: undefined })
      return
    }
    case 'erc20Approval': {
      const { owner, spender: operator, amount: allowance } = event
      const parties = { kind: 'collateral' as const, owner, operator, isApproved: allowance > 0n }
      facts.approvals.push({ seq, txHash, timeSec: tx.timeSec, ...parties, allowance })
      return
    }
    case 'conditionPreparation': {
      const { conditionId: condition, oracle, questionId: question, outcomeSlotCount } = event
      if (refuseAbove(attribution, log, outcomeSlotCount, OUTCOMES_MAX)) return
      const outcomes = Number(outcomeSlotCount)
      facts.preparations.push({ seq, txHash, condition, oracle, question, outcomes })
      return
    }
    case 'conditionResolution':
      recordResult(attribution, log, event.conditionId, event.payoutNumerators, event)
      return
    case 'negRiskMarketPrepared': {
      const { marketId: market, oracle, feeBips } = event
      if (refuseAbove(attribution, log, feeBips, FEE_BIPS_MAX)) return
      facts.negRiskMarkets.push({ seq, txHash, market, oracle, feeBips: Number(feeBips) })
      return
    }
    case 'negRiskQuestionPrepared': {
      if (refuseAbove(attribution, log, event.index, QUESTIONS_MAX - 1n)) return
      const { marketId: market, questionId: question } = event
      facts.negRiskQuestions.push({ seq, txHash, market, question, index: Number(event.index) })
      return
    }
    case 'combinatorialConditionPrepared': {
      const condition = padId(event.conditionId)
      facts.combos.push({ seq, txHash, condition, legs: event.legs })
      attribution.addOutcomes(seq, condition, positionsOf(condition))
      return
    }
    case 'proxyCreation':
      facts.walletOwners.push({ seq, wallet: event.proxy, owner: event.owner, kind: 'safe' })
      return
    case 'transactionRelayed': {
      const { from: owner, to } = event
      if (to !== PROXY_FACTORY) attribution.keepRaw(event.kind, log)
      else facts.walletOwners.push({ seq, wallet: deriveProxyWallet(owner), owner, kind: 'proxy' })
      return
    }
    default:
      if (!recordStep(attribution, event, log)) attribution.keepRaw(event.kind, log)
  }
}

/** A result of a module, which may emit it twice: once as reported, and once as resolved. */
export function recordModuleResult(
  attribution: Attribution,
  event: DecodedEventOf<'conditionResolved' | 'resultReported'>,
  log: ChainLog,
): void {
  const isRepeated =
    event.kind === 'resultReported' &&
    attribution.tx.late.some(
      ({ event: other }) => other.kind === 'conditionResolved' && other.conditionId === event.conditionId,
    )
  if (isRepeated) attribution.keepRaw(event.kind, log)
  else recordResult(attribution, log, padId(event.conditionId), event.result)
}

/** False: the event is no step in the life of a question. */
function recordStep(attribution: Attribution, event: DecodedEvent, log: ChainLog): boolean {
  const step = toOracleStep(event)
  if (step === undefined) return false
  const { requestTime, expiration, ...fields } = step
  if (
    refuseAbove(attribution, log, requestTime ?? 0n, TIME_SEC_MAX) ||
    refuseAbove(attribution, log, expiration ?? 0n, TIME_SEC_MAX) ||
    refusePayouts(attribution, log, fields.payouts ?? [])
  )
    return true
  const { hash: txHash, timeSec, block } = attribution.tx
  attribution.facts.oracle.push({
    seq: seqOf(block, log.at.logIndex),
    timeSec,
    txHash,
    contract: log.at.address,
    ...fields,
    requestTimeSec: requestTime === undefined ? undefined : Number(requestTime),
    expirationSec: expiration === undefined ? undefined : Number(expiration),
  })
  return true
}

function recordResult(
  attribution: Attribution,
  log: ChainLog,
  condition: string,
  payouts: readonly bigint[],
  event?: Pick<DecodedEventOf<'conditionResolution'>, 'oracle' | 'questionId'>,
): void {
  if (refusePayouts(attribution, log, payouts)) return
  const { hash: txHash, timeSec, block } = attribution.tx
  const seq = seqOf(block, log.at.logIndex)
  const origin = { reporter: event?.oracle ?? log.at.address, question: event?.questionId }
  attribution.facts.resolutions.push({ seq, timeSec, txHash, condition, payouts, ...origin })
}

function refusePayouts(attribution: Attribution, log: ChainLog, payouts: readonly bigint[]): boolean {
  return payouts.some((payout) => refuseAbove(attribution, log, payout, PAYOUT_MAX))
}

function refuseAbove(attribution: Attribution, log: ChainLog, value: bigint, max: bigint): boolean {
  if (value <= max) return false
  attribution.quarantine('absurd_amount', `${value} is above ${max}`, log)
  return true
}
