import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { Reading } from './reading.js'
import { bookable, Refusal } from './refusal.js'
import { ZERO_ADDRESS } from './roles.js'
import { tellStructuredOutcomes } from './structured.js'
import type { FeeFact } from './tape.js'
import type { Transaction } from './transaction.js'

export function bookFill(reading: Reading, place: number, fact: DecodedEventOf<'fill'>): void {
  const { tx, tape } = reading
  const contract = tx.contracts[place]
  const log = tx.logs[place]
  if (contract === undefined || log === undefined) return
  if (fact.shares === 0n) {
    reading.quarantine('inconsistent', 'a fill without shares', log)
    return
  }
  if (fact.maker === ZERO_ADDRESS) throw new Refusal('inconsistent', 'an order of nobody')
  const shares = bookable(fact.shares)
  const seq = tx.seqAt(place)
  const isBuy = fact.side === 'BUY'
  const fee = keptFee(tx, fact)
  const isFeeInShares = isBuy && fact.generation === 1
  tape.fills.push({
    seq,
    timeSec: tx.timeSec,
    txHash: tx.hash,
    orderHash: fact.orderHash,
    wallet: fact.maker,
    taker: fact.taker,
    exchange: contract.address,
    generation: fact.generation,
    negRisk: contract.negRisk,
    isTaker: fact.isTaker,
    side: fact.side,
    token: fact.tokenId,
    usd: bookable(fact.usd),
    shares,
    fee,
    isFeeInShares,
    builder: fact.builder === ZERO_WORD ? undefined : fact.builder,
    metadata: fact.metadata === ZERO_WORD ? undefined : fact.metadata,
  })
  if (isBuy) {
    const received = isFeeInShares ? shares - fee : shares
    if (received < 0n) throw new Refusal('inconsistent', 'the fee is more than the shares')
    tx.explain(contract.address, fact.maker, fact.tokenId, received)
  } else {
    tx.explain(fact.maker, contract.address, fact.tokenId, shares)
  }
  if (fact.generation === 3) tellStructuredOutcomes(reading, seq, fact.tokenId)
}

export function bookFee(reading: Reading, place: number, fact: FeeEvent): void {
  const { tx, tape } = reading
  const fee = readFee(fact)
  if (bookable(fee.amount) === 0n) return
  tape.fees.push({ seq: tx.seqAt(place), txHash: tx.hash, ...fee })
}

type FeeEvent =
  | DecodedEventOf<'feeCharged'>
  | DecodedEventOf<'feeRefunded'>
  | DecodedEventOf<'feeWithdrawn'>

function readFee(fact: FeeEvent): Omit<FeeFact, 'seq' | 'txHash'> {
  switch (fact.kind) {
    case 'feeCharged': {
      const { receiver, tokenId, amount } = fact
      return { kind: 'charged', wallet: receiver, token: tokenOrMoney(tokenId), amount }
    }
    case 'feeRefunded': {
      const { to, id, refund } = fact
      return { kind: 'refunded', wallet: to, token: tokenOrMoney(id), amount: refund }
    }
    case 'feeWithdrawn': {
      const { to, id, amount } = fact
      return { kind: 'withdrawn', wallet: to, token: tokenOrMoney(id), amount }
    }
  }
}

const tokenOrMoney = (id: string): string | undefined => (id === ZERO_WORD ? undefined : id)

/** Generation 1 charges what the order allows, and its fee module gives back what was too much. */
function keptFee(tx: Transaction, { generation, orderHash, fee }: DecodedEventOf<'fill'>): bigint {
  if (generation !== 1 || fee === 0n) return bookable(fee)
  for (let place = 0; place < tx.facts.length; place++) {
    const fact = tx.facts[place]
    if (fact?.kind !== 'feeRefunded' || fact.orderHash !== orderHash) continue
    if (fact.refund > fee || tx.claimedPlaces.includes(place)) continue
    tx.claimedPlaces.push(place)
    return bookable(fee - fact.refund)
  }
  return bookable(fee)
}
