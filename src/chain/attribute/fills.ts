import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { FeeFact } from '../facts/fee.js'
import { AttributionError, checkAmount } from '../facts/quarantine.js'
import type { Attribution } from './attribution.js'
import { ZERO_ADDRESS } from './roles.js'
import type { CurrentTransaction } from './transaction.js'

export function attributeFill(
  attribution: Attribution,
  eventIndex: number,
  event: DecodedEventOf<'fill'>,
): void {
  const { tx, facts } = attribution
  const contract = tx.contracts[eventIndex]
  const log = tx.logs[eventIndex]
  if (contract === undefined || log === undefined) return
  if (event.shares === 0n) {
    attribution.quarantine('inconsistent', 'a fill without shares', log)
    return
  }
  if (event.maker === ZERO_ADDRESS) throw new AttributionError('inconsistent', 'an order of nobody')
  const shares = checkAmount(event.shares)
  const seq = tx.seqAt(eventIndex)
  const isBuy = event.side === 'BUY'
  const fee = keptFee(tx, event)
  const isFeeInShares = isBuy && event.generation === 1
  facts.fills.push({
    seq,
    timeSec: tx.timeSec,
    txHash: tx.hash,
    orderHash: event.orderHash,
    wallet: event.maker,
    taker: event.taker,
    exchange: contract.address,
    generation: event.generation,
    negRisk: contract.negRisk,
    isTaker: event.isTaker,
    side: event.side,
    token: event.tokenId,
    usd: checkAmount(event.usd),
    shares,
    fee,
    isFeeInShares,
    builder: event.builder === ZERO_WORD ? undefined : event.builder,
    metadata: event.metadata === ZERO_WORD ? undefined : event.metadata,
  })
  if (isBuy) {
    const received = isFeeInShares ? shares - fee : shares
    if (received < 0n) throw new AttributionError('inconsistent', 'the fee is more than the shares')
    tx.explain(contract.address, event.maker, event.tokenId, received)
  } else {
    tx.explain(event.maker, contract.address, event.tokenId, shares)
  }
  if (event.generation === 3) attribution.addStructuredOutcomes(seq, event.tokenId)
}

export function attributeFee(attribution: Attribution, eventIndex: number, event: FeeEvent): void {
  const { tx, facts } = attribution
  const [kind, wallet, id, amount] = partsOf(event)
  if (checkAmount(amount) === 0n) return
  const token = id === ZERO_WORD ? undefined : id
  facts.fees.push({ seq: tx.seqAt(eventIndex), txHash: tx.hash, kind, wallet, token, amount })
}

type FeeEvent = DecodedEventOf<'feeCharged' | 'feeRefunded' | 'feeWithdrawn'>

/** The id is that of a token, or zero for money. */
function partsOf(event: FeeEvent): [kind: FeeFact['kind'], wallet: string, id: string, amount: bigint] {
  switch (event.kind) {
    case 'feeCharged':
      return ['charged', event.receiver, event.tokenId, event.amount]
    case 'feeRefunded':
      return ['refunded', event.to, event.id, event.refund]
    case 'feeWithdrawn':
      return ['withdrawn', event.to, event.id, event.amount]
  }
}

/** Generation 1 charges the maximum that the order allows, and its fee module refunds the excess. */
function keptFee(tx: CurrentTransaction, { generation, orderHash, fee }: DecodedEventOf<'fill'>): bigint {
  if (generation !== 1 || fee === 0n) return checkAmount(fee)
  for (let eventIndex = 0; eventIndex < tx.events.length; eventIndex++) {
    const event = tx.events[eventIndex]
    if (event?.kind !== 'feeRefunded' || event.orderHash !== orderHash) continue
    if (event.refund > fee || tx.claimedEvents.includes(eventIndex)) continue
    tx.claimedEvents.push(eventIndex)
    return checkAmount(fee - event.refund)
  }
  return checkAmount(fee)
}
