import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import { AttributionError, checkAmount } from '../facts/quarantine.js'
import type { Attribution } from './attribution.js'
import { wrappedAfter } from './flows.js'
import { NEG_RISK_ADAPTER, NEG_RISK_BURN } from './roles.js'
import type { CurrentTransaction } from './transaction.js'

/**
 * The adapter takes NO tokens and pays out YES tokens and money, both less its fee. The log names
 * neither the tokens nor the fee: they follow from the transfers before it.
 */
export function attributeConversion(
  attribution: Attribution,
  eventIndex: number,
  event: DecodedEventOf<'negRiskConversion'>,
): void {
  const { tx, facts } = attribution
  const { stakeholder, marketId, indexSet, amount } = event
  const given = findBatch(tx, eventIndex, stakeholder, NEG_RISK_BURN)
  const count = countBits(indexSet)
  if (given?.ids.length !== count || !given.values.every((value) => value === amount))
    throw new AttributionError('inconsistent', 'the tokens of a conversion did not move')
  const wallet = tx.originalGiver(stakeholder, given.ids[0] ?? '', eventIndex)
  if (!attribution.isUser(wallet)) {
    attribution.keepRawAt(eventIndex)
    return
  }
  const taken = findBatch(tx, eventIndex, NEG_RISK_ADAPTER, stakeholder, given.eventIndex)
  const dollars = BigInt(count - 1)
  const received = checkAmount(taken?.values[0] ?? receivedInMoney(attribution, eventIndex, event, dollars))
  checkAmount(amount)
  for (const token of given.ids) tx.explainCosted(wallet, NEG_RISK_BURN, token, amount)
  for (const token of taken?.ids ?? []) tx.explainCosted(NEG_RISK_ADAPTER, wallet, token, received)
  facts.conversions.push({
    ...tx.origin(eventIndex),
    wallet,
    market: marketId,
    indexSet: `0x${indexSet.toString(16).padStart(64, '0')}`,
    amount,
    given: given.ids,
    taken: taken?.ids ?? [],
    received,
    cash: checkAmount(received * dollars),
  })
}

/** The last batch transfer from `from` to `to` before the event that no other event has claimed. */
function findBatch(tx: CurrentTransaction, eventIndex: number, from: string, to: string, after = -1) {
  for (let earlier = eventIndex - 1; earlier > after; earlier--) {
    const batch = tx.events[earlier]
    if (batch?.kind !== 'transferBatch' || batch.from !== from || batch.to !== to) continue
    if (tx.claimedEvents.includes(earlier)) continue
    tx.claimedEvents.push(earlier)
    return { eventIndex: earlier, ids: batch.ids, values: batch.values }
  }
  return undefined
}

/**
 * When the set has every question, no YES tokens show the fee. A collateral adapter wraps the money
 * right after. When the wallet called the neg-risk adapter itself, nothing shows the fee, and
 * `chargeConversions` subtracts that of the market.
 */
function receivedInMoney(
  { tx }: Attribution,
  eventIndex: number,
  { stakeholder, amount }: DecodedEventOf<'negRiskConversion'>,
  dollars: bigint,
): bigint {
  const wrapped = dollars > 0n ? wrappedAfter(tx, stakeholder, tx.seqAt(eventIndex)) : undefined
  const received = wrapped === undefined ? amount : wrapped / dollars
  return received < amount ? received : amount
}

function countBits(set: bigint): number {
  let count = 0
  for (let rest = set; rest > 0n; rest &= rest - 1n) count++
  return count
}
