import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { Reading } from './reading.js'
import { bookPositionRedemption } from './redemptions.js'
import { bookable, Refusal } from './refusal.js'
import { isGoBetween, isModule, ZERO_ADDRESS } from './roles.js'
import { padId, positionsOf } from './structured.js'
import type { Transaction } from './transaction.js'

type Split = DecodedEventOf<'positionsSplit'> | DecodedEventOf<'positionsMerged'>

/** A set of structured positions. The wallet is who has or had them in the end. */
export function bookPositionSplit(reading: Reading, place: number, fact: Split): string {
  const { tx, tape } = reading
  const isMerge = fact.kind === 'positionsMerged'
  const condition = padId(fact.conditionId)
  const tokens = positionsOf(condition)
  const amount = bookable(fact.amount)
  const wallet = isMerge
    ? giverOf(tx, place, fact.initiator, tokens[0])
    : isBetween(fact.initiator)
      ? tx.receiverBehind(fact.recipient0, tokens[0], place)
      : fact.initiator
  if (amount === 0n) return wallet
  for (const token of tokens) {
    checkMoved(tx, token, amount, isMerge)
    if (isMerge) tx.explain(wallet, ZERO_ADDRESS, token, amount)
    else tx.explain(ZERO_ADDRESS, wallet, token, amount)
  }
  const seq = tx.seqAt(place)
  reading.tellOutcomes(seq, condition, tokens)
  tape.splits.push({
    seq,
    timeSec: tx.timeSec,
    txHash: tx.hash,
    isMerge,
    wallet,
    condition,
    tokens,
    amount,
    isCore: true,
    isUser: !isModule(fact.initiator) && reading.isUser(wallet),
  })
  return wallet
}

export function bookPositionRedeemed(
  reading: Reading,
  place: number,
  fact: DecodedEventOf<'positionRedeemed'>,
): string {
  const { tx } = reading
  const { initiator, positionId, amount } = fact
  checkMoved(tx, positionId, amount, true)
  const wallet = giverOf(tx, place, initiator, positionId)
  bookPositionRedemption(reading, place, fact, wallet)
  return wallet
}

/** The old token went to the module, which made as many of the new one: cost moves along, no profit. */
export function bookMigration(
  reading: Reading,
  place: number,
  fact: DecodedEventOf<'positionMigrated'>,
): string {
  const { tx, tape } = reading
  const { from, positionId, amount } = fact
  const module = tx.contracts[place]?.address
  const given = tx.moves.findLast(
    (move) =>
      move.place < place &&
      move.to === module &&
      move.amount === amount &&
      !move.isClaimed &&
      tx.contracts[move.place]?.role === 'conditionalTokens',
  )
  if (given === undefined)
    throw new Refusal('inconsistent', 'the old tokens of a migration did not move')
  given.isClaimed = true
  const wallet = isBetween(from) ? tx.giverBehind(given.from, given.token, given.place) : from
  tape.migrations.push({
    seq: tx.seqAt(place),
    timeSec: tx.timeSec,
    txHash: tx.hash,
    wallet,
    fromToken: given.token,
    toToken: positionId,
    amount: bookable(amount),
  })
  return wallet
}

/** Whoever asked by itself; behind a router or the like, who gave the tokens to be burned. */
function giverOf(tx: Transaction, place: number, initiator: string, token: string): string {
  if (!isBetween(initiator)) return initiator
  const burn = tx.moves.findLast(
    (move) => move.place < place && move.to === ZERO_ADDRESS && move.token === token,
  )
  if (burn === undefined) return initiator
  const { from } = burn
  return isModule(from)
    ? (tx.giverTo(from, token, burn.place) ?? from)
    : tx.giverBehind(from, token, burn.place)
}

/** Contracts that act for somebody else. An exchange is none: in a match it is the owner. */
export const isBetween = (initiator: string): boolean =>
  isGoBetween(initiator) || isModule(initiator)

function checkMoved(tx: Transaction, token: string, amount: bigint, isBurn: boolean): void {
  const isMoved = tx.moves.some(
    (move) =>
      move.token === token &&
      move.amount >= amount &&
      (isBurn ? move.to : move.from) === ZERO_ADDRESS,
  )
  if (!isMoved && amount > 0n)
    throw new Refusal('inconsistent', 'structured positions did not move')
}
