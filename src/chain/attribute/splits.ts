import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import { outcomesOf } from './partition.js'
import type { Reading } from './reading.js'
import { bookable, Refusal } from './refusal.js'
import { COLLATERALS, NEG_RISK_ADAPTER, ZERO_ADDRESS } from './roles.js'
import type { Transaction } from './transaction.js'

type CtfSplit = DecodedEventOf<'ctfSplit'> | DecodedEventOf<'ctfMerge'>
type NegRiskSplit = DecodedEventOf<'negRiskSplit'> | DecodedEventOf<'negRiskMerge'>

/**
 * A split or merge as the conditional tokens tell it. Only full sets with a collateral of ours are
 * booked: everybody may use any other token, and what moves then is told by the transfers alone.
 */
export function bookCtfSplit(reading: Reading, place: number, fact: CtfSplit): void {
  const { tx, tape } = reading
  const { stakeholder, conditionId, amount } = fact
  const isMerge = fact.kind === 'ctfMerge'
  // Whoever gets the tokens of a set may make another one before the first is told: so each takes
  // its own, booked or not.
  const setPlace = findSet(tx, place, fact, isMerge)
  tx.claimedPlaces.push(setPlace)
  const outcomes = outcomesOf(fact.partition)
  const isOurs = COLLATERALS.has(fact.collateralToken) && fact.parentCollectionId === ZERO_WORD
  if (!isOurs || outcomes === undefined || amount === 0n) {
    reading.keepRawAt(place)
    return
  }
  const set = tx.facts[setPlace]
  if (set?.kind !== 'transferBatch')
    throw new Refusal('inconsistent', `the tokens of a ${fact.kind} did not move`)
  if (isPartial(tx, place, setPlace, fact, isMerge)) {
    reading.keepRawAt(place)
    return
  }
  const tokens = byOutcome(set.ids, outcomes)
  const wallet = findHolder(tx, place, fact, isMerge, tokens)
  for (const token of tokens) {
    if (isMerge) tx.explain(wallet, ZERO_ADDRESS, token, amount)
    else tx.explain(ZERO_ADDRESS, wallet, token, amount)
  }
  const seq = tx.seqAt(place)
  reading.tellOutcomes(seq, conditionId, tokens)
  tape.splits.push({
    seq,
    timeSec: tx.timeSec,
    txHash: tx.hash,
    isMerge,
    wallet,
    condition: conditionId,
    tokens,
    amount: bookable(amount),
    isCore: true,
    // The neg-risk adapter has an event of its own that names the wallet.
    isUser: stakeholder !== NEG_RISK_ADAPTER && tokens.length === 2 && reading.isUser(wallet),
  })
}

/** Names the wallet of a set that the conditional tokens made or destroyed for the adapter. */
export function bookNegRiskSplit(reading: Reading, place: number, fact: NegRiskSplit): void {
  const { tx, tape } = reading
  if (fact.amount === 0n) {
    reading.keepRawAt(place)
    return
  }
  const leg = tx.innerLegs.find((inner) => inner.place === place)
  if (leg === undefined)
    throw new Refusal('inconsistent', `the tokens of a ${fact.kind} did not move`)
  if (!reading.isUser(leg.wallet)) return
  tape.splits.push({
    seq: tx.seqAt(place),
    timeSec: tx.timeSec,
    txHash: tx.hash,
    isMerge: fact.kind === 'negRiskMerge',
    wallet: leg.wallet,
    condition: fact.conditionId,
    tokens: leg.tokens,
    amount: bookable(fact.amount),
    isCore: false,
    isUser: true,
  })
}

/** Place of the batch that made or destroyed the set: the last one before the event; -1 for none. */
function findSet(tx: Transaction, place: number, fact: CtfSplit, isMerge: boolean): number {
  const { stakeholder, partition, amount } = fact
  const from = isMerge ? stakeholder : ZERO_ADDRESS
  const to = isMerge ? ZERO_ADDRESS : stakeholder
  for (let earlier = place - 1; earlier >= 0; earlier--) {
    const set = tx.facts[earlier]
    if (
      set?.kind === 'transferBatch' &&
      set.from === from &&
      set.to === to &&
      set.ids.length === partition.length &&
      isAll(set.values, amount) &&
      tx.contracts[earlier]?.role === 'conditionalTokens' &&
      !tx.claimedPlaces.includes(earlier)
    )
      return earlier
  }
  return -1
}

function isAll(values: readonly bigint[], amount: bigint): boolean {
  for (const value of values) if (value !== amount) return false
  return true
}

/**
 * A partition of some of the outcomes looks like one of all of them. It shows by the token of those
 * outcomes together, which is burned just before the set is made, or made after the set is burned.
 */
function isPartial(
  tx: Transaction,
  place: number,
  setPlace: number,
  { stakeholder, amount }: CtfSplit,
  isMerge: boolean,
): boolean {
  const [first, end] = isMerge ? [setPlace + 1, place] : [previousToken(tx, setPlace), setPlace]
  for (let other = first; other < end; other++) {
    const fact = tx.facts[other]
    if (
      fact?.kind === 'transferSingle' &&
      fact.from === (isMerge ? ZERO_ADDRESS : stakeholder) &&
      fact.to === (isMerge ? stakeholder : ZERO_ADDRESS) &&
      fact.value === amount &&
      tx.contracts[other]?.role === 'conditionalTokens'
    )
      return true
  }
  return false
}

/** Place of the last thing that the conditional tokens said before. */
function previousToken(tx: Transaction, place: number): number {
  for (let earlier = place - 1; earlier >= 0; earlier--)
    if (tx.contracts[earlier]?.role === 'conditionalTokens') return earlier
  return place
}

function byOutcome(ids: readonly string[], outcomes: readonly number[]): string[] {
  const tokens: string[] = []
  for (const [index, outcome] of outcomes.entries()) tokens[outcome] = ids[index] ?? ''
  return tokens
}

/** Who has or had the set in the end: the stakeholder, or whoever stands behind it. */
function findHolder(
  tx: Transaction,
  place: number,
  fact: CtfSplit,
  isMerge: boolean,
  tokens: readonly string[],
): string {
  const [token = ''] = tokens
  const behind = (holder: string, from: number) =>
    isMerge ? tx.giverBehind(holder, token, from) : tx.receiverBehind(holder, token, from)
  if (fact.stakeholder !== NEG_RISK_ADAPTER) return behind(fact.stakeholder, place)
  for (let later = place + 1; later < tx.facts.length; later++) {
    const named = tx.facts[later]
    // The sets that a conversion makes stay with the adapter, which deals them out.
    if (named?.kind === 'negRiskConversion') break
    if (
      named?.kind === (isMerge ? 'negRiskMerge' : 'negRiskSplit') &&
      named.conditionId === fact.conditionId &&
      named.amount === fact.amount &&
      !tx.innerLegs.some((leg) => leg.place === later)
    ) {
      const wallet = behind(named.stakeholder, later)
      tx.innerLegs.push({ place: later, wallet, tokens })
      return wallet
    }
  }
  return NEG_RISK_ADAPTER
}
