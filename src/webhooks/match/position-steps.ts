import { type Entry, ZERO_WALLET } from '../../ledger/entry.js'
import type { WatchedStatus } from '../filters.js'

/** Why a balance changed, as payloads say it. Names of logs are those of the first contracts. */
export type MoveCause = {
  source: 'erc1155_transfer' | 'split' | 'merge' | 'redemption' | 'neg_risk_conversion' | 'resolution'
  rawEventType: string
}

/** Something that may change the status of a position: what a transaction moved, or the result of the market. */
export type PositionStep = {
  /** Of the last fact. */
  seq: number
  timeSec: number
  txHash: string
  /** What was moved, in sum; 0 for a result. */
  amount: bigint
  cause: MoveCause
  /** The fact that explains the step best. */
  causeSeq: number
}

/** A position at the end of its steps. */
export type PositionEnd = {
  balance: bigint
  /** When the ledger first booked something to it. */
  firstSec: number
  /** `undefined`: the market has no result. */
  resolvedSeq: number | undefined
}

export type StatusChange = {
  step: PositionStep
  from: WatchedStatus
  to: WatchedStatus
  before: bigint
  after: bigint
}

/**
 * The changes of status that these steps of one position made, in order. The balances are found from
 * the last one back. A position that has no shares is `none` until it had some.
 */
export function statusChanges(steps: readonly PositionStep[], end: PositionEnd): StatusChange[] {
  const moved = steps.reduce((sum, { amount }) => sum + amount, 0n)
  let balance = end.balance - moved
  let wasHeld = end.firstSec < (steps[0]?.timeSec ?? 0)
  let wasResolved = isResolvedAt(end, (steps[0]?.seq ?? 0) - 1)
  const changes: StatusChange[] = []
  for (const step of steps) {
    const isResult = step.cause.source === 'resolution'
    const isResolved = isResolvedAt(end, step.seq)
    const before = balance
    const after = before + step.amount
    const from = statusOf(before, wasHeld, isResult ? wasResolved : isResolved)
    const to = statusOf(after, true, isResolved)
    const isChange = isResult ? after > 0n : before > 0n !== after > 0n
    if (isChange && from !== to) changes.push({ step, from, to, before, after })
    balance = after
    wasHeld ||= !isResult
    wasResolved = isResolved
  }
  return changes
}

const isResolvedAt = ({ resolvedSeq }: PositionEnd, seq: number): boolean =>
  resolvedSeq !== undefined && resolvedSeq <= seq

/** A history that begins late may have seen more shares leave than come: that is none. */
function statusOf(balance: bigint, wasHeld: boolean, isResolved: boolean): WatchedStatus {
  if (balance > 0n) return isResolved ? 'redeemable' : 'open'
  if (!wasHeld) return 'none'
  return isResolved ? 'redeemed' : 'closed'
}

/** Of several facts of a transaction the first of these kinds names the cause. */
const CAUSE_ORDER: readonly Entry['kind'][] = [
  ...(['conversion', 'redemption', 'split', 'fill', 'migration', 'transfer'] as const),
]

export const causeRank = (kind: Entry['kind']): number => CAUSE_ORDER.indexOf(kind)

/** `isBatch`: other transfers are of the same log. */
export function causeOf(entry: Entry, isBatch: boolean): MoveCause {
  switch (entry.kind) {
    case 'conversion':
      return { source: 'neg_risk_conversion', rawEventType: 'PositionsConverted' }
    case 'redemption':
      return { source: 'redemption', rawEventType: 'PayoutRedemption' }
    case 'split':
      return entry.isMerge
        ? { source: 'merge', rawEventType: 'PositionsMerge' }
        : { source: 'split', rawEventType: 'PositionSplit' }
    case 'fill':
      return { source: 'erc1155_transfer', rawEventType: 'OrderFilled' }
    default:
      return {
        source: 'erc1155_transfer',
        rawEventType: isBatch ? 'TransferBatch' : 'TransferSingle',
      }
  }
}

/** What an entry does to the balance of a wallet; 0 where it only names the wallet and the token. */
export type BalanceMove = { wallet: number; token: number; amount: bigint }

/** The same changes of balances as the ledger books (src/ledger/fold.ts). */
export function movesOf(entry: Entry): BalanceMove[] {
  switch (entry.kind) {
    case 'fill': {
      const { wallet, exchange, token, shares, fee } = entry
      const received = entry.isFeeInShares ? shares - fee : shares
      return between(wallet, exchange, token, entry.isBuy ? received : -shares)
    }
    case 'split': {
      const change = entry.isMerge ? -entry.amount : entry.amount
      return entry.tokens.flatMap((token) => ofSet(entry, token, change))
    }
    case 'redemption':
      return entry.tokens.flatMap((token, leg) => ofSet(entry, token, -(entry.amounts[leg] ?? 0n)))
    case 'transfer':
      return between(entry.to, entry.from, entry.token, entry.amount)
    case 'conversion':
      return named(entry.wallet, [...entry.given, ...entry.taken])
    case 'migration':
      return named(entry.wallet, [entry.fromToken, entry.toToken])
    case 'supply':
      return []
  }
}

const between = (to: number, from: number, token: number, amount: bigint): BalanceMove[] => [
  { wallet: to, token, amount },
  { wallet: from, token, amount: -amount },
]

/** Only the log of the token contract moves tokens. */
const ofSet = (
  { wallet, isCore }: { wallet: number; isCore: boolean },
  token: number,
  change: bigint,
): BalanceMove[] => (isCore ? between(wallet, ZERO_WALLET, token, change) : named(wallet, [token]))

/** Transfers of the same transaction move these tokens. */
const named = (wallet: number, tokens: readonly number[]): BalanceMove[] =>
  tokens.map((token) => ({ wallet, token, amount: 0n }))
