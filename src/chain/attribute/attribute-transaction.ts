import { DecodeError } from '../../upstreams/polygon/abi.js'
import type { Contract, ContractRole } from '../../upstreams/polygon/contracts.js'
import { fill, ordersMatched, ordersMatchedV1 } from '../../upstreams/polygon/decode-exchange.js'
import { type DecodedEvent, EMITTERS } from '../../upstreams/polygon/events.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BatchBlock } from '../facts/block.js'
import { AttributionError } from '../facts/quarantine.js'
import type { Attribution } from './attribution.js'
import { attributeComboEvent } from './combo-events.js'
import { attributeConversion } from './conversions.js'
import { attributeFee, attributeFill } from './fills.js'
import { attributeFlow, isTrading } from './flows.js'
import { recordEvent, recordModuleResult } from './record.js'
import { attributeAutoRedemption, attributeCtfRedemption, attributeNegRiskRedemption } from './redemptions.js'
import { attributeCtfSplit, attributeNegRiskSplit } from './splits.js'
import { isTokenEvent, type TokenEvent } from './token-events.js'
import { attributeTransfers, collectMoves, countUnknownOperator } from './transfers.js'

/** Attributes the logs from index `from` to before `end`, which are all of one transaction. */
export function attributeTransaction(
  attribution: Attribution,
  logs: readonly ChainLog[],
  from: number,
  end: number,
  block: BatchBlock,
): void {
  const { tx } = attribution
  tx.begin(logs, from, end, block)
  const isMatch = hasFill(logs, from, end)
  let failure: AttributionError | undefined
  for (let index = from; index < end; index++) {
    const log = logs[index]
    const contract = log === undefined ? undefined : EMITTERS.get(log.at.address)?.contract
    if (log === undefined || contract === undefined || isRedundant(log, contract, isMatch)) continue
    try {
      sortEvent(attribution, log, contract)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      attribution.quarantine('undecodable', error.message, log)
      const detail = 'another log of the transaction does not decode'
      if (TOKEN_ROLES.has(contract.role)) failure = new AttributionError('inconsistent', detail)
    }
  }
  if (failure !== undefined) quarantineAll(attribution, failure)
  else if (tx.events.length > 0) attributeEvents(attribution)
  for (const { event, log } of tx.late) attributeLate(attribution, event, log)
}

/** When a log of one of these contracts does not decode, no token event of the transaction is booked. */
const TOKEN_ROLES: ReadonlySet<ContractRole> = new Set([
  'conditionalTokens',
  'positionManager',
  'exchangeV1',
  'exchange',
  'feeModule',
  'negRiskAdapter',
  'binaryModule',
  'negRiskModule',
  'combinatorialModule',
  'autoRedeemer',
])

function hasFill(logs: readonly ChainLog[], from: number, end: number): boolean {
  for (let index = from; index < end; index++) if (logs[index]?.topics[0] === fill.topic0) return true
  return false
}

/** Logs whose content other logs repeat are not decoded. */
function isRedundant(log: ChainLog, { role }: Contract, isMatch: boolean): boolean {
  switch (role) {
    case 'pusd':
      return isTrading(log, isMatch)
    case 'exchange':
      return log.topics[0] === ordersMatched.topic0
    case 'exchangeV1':
      return log.topics[0] === ordersMatchedV1.topic0
    default:
      return false
  }
}

function sortEvent(attribution: Attribution, log: ChainLog, contract: Contract): void {
  const { tx } = attribution
  const event = tx.decoder.decode(log)
  if (event === undefined) return
  if (isTokenEvent(event)) {
    tx.add(event, log, contract)
    if (event.kind === 'transferSingle' || event.kind === 'transferBatch')
      countUnknownOperator(attribution, log, event)
    return
  }
  switch (event.kind) {
    case 'fpmmCreation':
      attribution.addPool(event.fixedProductMarketMaker)
      attribution.keepRaw(event.kind, log)
      return
    case 'conditionResolved':
    case 'resultReported':
      tx.late.push({ event, log })
      return
    default:
      if (contract.role === 'pusd') tx.late.push({ event, log })
      else recordEvent(attribution, event, log)
  }
}

function attributeLate(attribution: Attribution, event: DecodedEvent, log: ChainLog): void {
  switch (event.kind) {
    case 'conditionResolved':
    case 'resultReported':
      recordModuleResult(attribution, event, log)
      return
    case 'erc20Transfer':
    case 'wrapped':
    case 'unwrapped':
      attributeFlow(attribution, event, log)
      return
    default:
      recordEvent(attribution, event, log)
  }
}

/** Attributes the token events of the transaction: all of them or, when one is wrong, none. */
function attributeEvents(attribution: Attribution): void {
  const { tx } = attribution
  attribution.mark()
  try {
    collectMoves(attribution)
    for (let eventIndex = 0; eventIndex < tx.events.length; eventIndex++) {
      const event = tx.events[eventIndex]
      if (event !== undefined) attributeEvent(attribution, eventIndex, event)
    }
    attributeTransfers(attribution)
  } catch (error) {
    if (!(error instanceof AttributionError)) throw error
    attribution.discard()
    quarantineAll(attribution, error)
  }
}

/** Puts the logs of all token events of the transaction into quarantine. */
function quarantineAll(attribution: Attribution, { reason, message }: AttributionError): void {
  for (const log of attribution.tx.logs) attribution.quarantine(reason, message, log)
}

function attributeEvent(attribution: Attribution, eventIndex: number, event: TokenEvent): void {
  switch (event.kind) {
    case 'transferSingle':
    case 'transferBatch':
      break
    case 'fill':
      attributeFill(attribution, eventIndex, event)
      break
    case 'feeCharged':
    case 'feeRefunded':
    case 'feeWithdrawn':
      attributeFee(attribution, eventIndex, event)
      break
    case 'ctfSplit':
    case 'ctfMerge':
      attributeCtfSplit(attribution, eventIndex, event)
      break
    case 'negRiskSplit':
    case 'negRiskMerge':
      attributeNegRiskSplit(attribution, eventIndex, event)
      break
    case 'ctfRedemption':
      attributeCtfRedemption(attribution, eventIndex, event)
      break
    case 'negRiskRedemption':
      attributeNegRiskRedemption(attribution, eventIndex, event)
      break
    case 'autoRedemption':
    case 'autoBinaryRedemption':
    case 'autoNegRiskRedemption':
      attributeAutoRedemption(attribution, eventIndex, event)
      break
    case 'negRiskConversion':
      attributeConversion(attribution, eventIndex, event)
      break
    default:
      attributeComboEvent(attribution, eventIndex, event)
      break
  }
}
