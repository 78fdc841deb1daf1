import { DecodeError } from '../../upstreams/polygon/abi.js'
import type { Contract, Role } from '../../upstreams/polygon/contracts.js'
import { decodeLog } from '../../upstreams/polygon/decode.js'
import { fill, ordersMatched, ordersMatchedV1 } from '../../upstreams/polygon/decode-fill.js'
import { type DecodedEvent, EMITTERS } from '../../upstreams/polygon/events.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import { book, refuse } from './book.js'
import { isBooked } from './booked-fact.js'
import { bookFlow, isTrading } from './flows.js'
import type { Reading } from './reading.js'
import { record, recordModuleResult } from './record.js'
import { Refusal } from './refusal.js'
import { watchOperator } from './strange-operators.js'
import type { TapeBlock } from './tape.js'

/** Reads the logs from one index up to another, which are all of one transaction. */
export function readTransaction(
  reading: Reading,
  logs: readonly ChainLog[],
  from: number,
  end: number,
  block: TapeBlock,
): void {
  const { tx } = reading
  tx.begin(logs, from, end, block)
  const isMatch = hasFill(logs, from, end)
  let refusal: Refusal | undefined
  for (let index = from; index < end; index++) {
    const log = logs[index]
    const contract = log === undefined ? undefined : EMITTERS.get(log.at.address)?.contract
    if (log === undefined || contract === undefined || isPassedOver(log, contract, isMatch))
      continue
    try {
      sort(reading, log, contract)
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      reading.quarantine('undecodable', error.message, log)
      if (BOOKED_ROLES.has(contract.role))
        refusal = new Refusal('inconsistent', 'another log of the transaction does not decode')
    }
  }
  if (refusal !== undefined) refuse(reading, refusal)
  else if (tx.facts.length > 0) book(reading)
  for (const { fact, log } of tx.late) readLate(reading, fact, log)
}

/** Contracts whose logs must all be understood before any of them is booked. */
const BOOKED_ROLES: ReadonlySet<Role> = new Set([
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
  for (let index = from; index < end; index++)
    if (logs[index]?.topics[0] === fill.topic0) return true
  return false
}

/** What is only repeated elsewhere need not be decoded. */
function isPassedOver(log: ChainLog, { role }: Contract, isMatch: boolean): boolean {
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

function sort(reading: Reading, log: ChainLog, contract: Contract): void {
  const { tx } = reading
  const fact = decodeLog(log)
  if (fact === undefined) return
  if (isBooked(fact)) {
    tx.add(fact, log, contract)
    if (fact.kind === 'transferSingle' || fact.kind === 'transferBatch')
      watchOperator(reading, log, fact)
    return
  }
  switch (fact.kind) {
    case 'fpmmCreation':
      reading.addPool(fact.fixedProductMarketMaker)
      reading.keepRaw(fact.kind, log)
      return
    case 'conditionResolved':
    case 'resultReported':
      tx.late.push({ fact, log })
      return
    default:
      if (contract.role === 'pusd') tx.late.push({ fact, log })
      else record(reading, fact, log)
  }
}

function readLate(reading: Reading, fact: DecodedEvent, log: ChainLog): void {
  switch (fact.kind) {
    case 'conditionResolved':
    case 'resultReported':
      recordModuleResult(reading, fact, log)
      return
    case 'erc20Transfer':
    case 'wrapped':
    case 'unwrapped':
      bookFlow(reading, fact, log)
      return
    default:
      record(reading, fact, log)
      return
  }
}
