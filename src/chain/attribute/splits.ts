import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import { AttributionError, checkAmount } from '../facts/quarantine.js'
import type { Attribution } from './attribution.js'
import { COLLATERALS, NEG_RISK_ADAPTER, ZERO_ADDRESS } from './roles.js'
import type { CurrentTransaction } from './transaction.js'

type CtfSplit = DecodedEventOf<'ctfSplit' | 'ctfMerge'>
type NegRiskSplit = DecodedEventOf<'negRiskSplit' | 'negRiskMerge'>

/**
 * A split or merge of the conditional tokens. Only full sets with a known collateral are booked:
 * any wallet may use any other token as collateral, and those moves are booked as transfers.
 */
export function attributeCtfSplit(attribution: Attribution, eventIndex: number, event: CtfSplit): void {
  const { tx, facts } = attribution
  const { stakeholder, conditionId, amount } = event
  const isMerge = event.kind === 'ctfMerge'
  // The recipient of a set may make another set before the event of the first one: so each event
  // claims its own batch transfer, whether it is booked or not.
  const setIndex = findSet(tx, eventIndex, event, isMerge)
  tx.claimedEvents.push(setIndex)
  const outcomes = outcomesOf(event.partition)
  const isOurs = COLLATERALS.has(event.collateralToken) && event.parentCollectionId === ZERO_WORD
  if (!isOurs || outcomes === undefined || amount === 0n) {
    attribution.keepRawAt(eventIndex)
    return
  }
  const set = tx.events[setIndex]
  if (set?.kind !== 'transferBatch')
    throw new AttributionError('inconsistent', `the tokens of a ${event.kind} did not move`)
  if (isPartial(tx, eventIndex, setIndex, event, isMerge)) {
    attribution.keepRawAt(eventIndex)
    return
  }
  const tokens = byOutcome(set.ids, outcomes)
  const wallet = findHolder(tx, eventIndex, event, isMerge, tokens)
  tx.explainSet(isMerge, wallet, tokens, amount)
  const seq = tx.seqAt(eventIndex)
  attribution.addOutcomes(seq, conditionId, tokens)
  // Field by field: a spread takes longer than all the rest of this function.
  facts.splits.push({
    seq,
    timeSec: tx.timeSec,
    txHash: tx.hash,
    isMerge,
    wallet,
    condition: conditionId,
    tokens,
    amount: checkAmount(amount),
    isCore: true,
    // For the neg-risk adapter another event names the wallet.
    isUser: stakeholder !== NEG_RISK_ADAPTER && tokens.length === 2 && attribution.isUser(wallet),
  })
}

/** The wallet of a set that the conditional tokens minted or burned for the neg-risk adapter. */
export function attributeNegRiskSplit(
  attribution: Attribution,
  eventIndex: number,
  event: NegRiskSplit,
): void {
  const { tx, facts } = attribution
  if (event.amount === 0n) {
    attribution.keepRawAt(eventIndex)
    return
  }
  const leg = tx.innerLegs.find((inner) => inner.eventIndex === eventIndex)
  if (leg === undefined)
    throw new AttributionError('inconsistent', `the tokens of a ${event.kind} did not move`)
  if (!attribution.isUser(leg.wallet)) return
  facts.splits.push({
    ...tx.origin(eventIndex),
    isMerge: event.kind === 'negRiskMerge',
    wallet: leg.wallet,
    condition: event.conditionId,
    tokens: leg.tokens,
    amount: checkAmount(event.amount),
    isCore: false,
    isUser: true,
  })
}

/** Index of the batch transfer of the set: the last one before the event; -1 for none. */
function findSet(tx: CurrentTransaction, eventIndex: number, event: CtfSplit, isMerge: boolean): number {
  const { stakeholder, partition, amount } = event
  const from = isMerge ? stakeholder : ZERO_ADDRESS
  const to = isMerge ? ZERO_ADDRESS : stakeholder
  for (let earlier = eventIndex - 1; earlier >= 0; earlier--) {
    const set = tx.events[earlier]
    if (
      set?.kind === 'transferBatch' &&
      set.from === from &&
      set.to === to &&
      set.ids.length === partition.length &&
      set.values.every((value) => value === amount) &&
      tx.contracts[earlier]?.role === 'conditionalTokens' &&
      !tx.claimedEvents.includes(earlier)
    )
      return earlier
  }
  return -1
}

/**
 * The partition of a part of the outcomes looks like one of all of them. The difference: the token
 * of the combined outcomes is burned just before the set is minted, or minted after it is burned.
 */
function isPartial(
  tx: CurrentTransaction,
  eventIndex: number,
  setIndex: number,
  { stakeholder, amount }: CtfSplit,
  isMerge: boolean,
): boolean {
  const [first, end] = isMerge ? [setIndex + 1, eventIndex] : [previousToken(tx, setIndex), setIndex]
  for (let other = first; other < end; other++) {
    const event = tx.events[other]
    if (
      event?.kind === 'transferSingle' &&
      event.from === (isMerge ? ZERO_ADDRESS : stakeholder) &&
      event.to === (isMerge ? stakeholder : ZERO_ADDRESS) &&
      event.value === amount &&
      tx.contracts[other]?.role === 'conditionalTokens'
    )
      return true
  }
  return false
}

/** Index of the previous event of the conditional tokens; without one that of the event itself. */
function previousToken(tx: CurrentTransaction, eventIndex: number): number {
  for (let earlier = eventIndex - 1; earlier >= 0; earlier--)
    if (tx.contracts[earlier]?.role === 'conditionalTokens') return earlier
  return eventIndex
}

function byOutcome(ids: readonly string[], outcomes: readonly number[]): string[] {
  const tokens: string[] = []
  for (const [index, outcome] of outcomes.entries()) tokens[outcome] = ids[index] ?? ''
  return tokens
}

/** The wallet that got the set or gave it: the stakeholder, or the wallet for which that contract acts. */
function findHolder(
  tx: CurrentTransaction,
  eventIndex: number,
  event: CtfSplit,
  isMerge: boolean,
  tokens: readonly string[],
): string {
  const [token = ''] = tokens
  const resolveHolder = (holder: string, from: number) =>
    isMerge ? tx.originalGiver(holder, token, from) : tx.finalReceiver(holder, token, from)
  if (event.stakeholder !== NEG_RISK_ADAPTER) return resolveHolder(event.stakeholder, eventIndex)
  for (let later = eventIndex + 1; later < tx.events.length; later++) {
    const named = tx.events[later]
    // The adapter keeps the sets of a conversion and distributes their tokens.
    if (named?.kind === 'negRiskConversion') break
    if (
      named?.kind === (isMerge ? 'negRiskMerge' : 'negRiskSplit') &&
      named.conditionId === event.conditionId &&
      named.amount === event.amount &&
      !tx.innerLegs.some((leg) => leg.eventIndex === later)
    ) {
      const wallet = resolveHolder(named.stakeholder, later)
      tx.innerLegs.push({ eventIndex: later, wallet, tokens })
      return wallet
    }
  }
  return NEG_RISK_ADAPTER
}

/** The outcome of each part of a partition; `undefined` unless each outcome is one part. */
function outcomesOf(partition: readonly bigint[]): readonly number[] | undefined {
  if (partition.length === 2 && partition[0] === 1n && partition[1] === 2n) return PAIR
  const outcomes = partition.map(outcomeOf)
  const isWhole = partition.length > 1 && new Set(outcomes).size === partition.length
  return isWhole && outcomes.every((outcome) => outcome < partition.length) ? outcomes : undefined
}

/** The only outcome of an index set; Infinity when there is not exactly one. */
export function outcomeOf(indexSet: bigint): number {
  if (indexSet === 0n || (indexSet & (indexSet - 1n)) !== 0n) return Number.POSITIVE_INFINITY
  return indexSet.toString(2).length - 1
}

const PAIR: readonly number[] = [0, 1]
