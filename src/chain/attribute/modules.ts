import { padId, positionsOf } from '../../core/structured-id.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import { AttributionError, checkAmount } from '../facts/quarantine.js'
import type { Attribution } from './attribution.js'
import { attributePositionRedemption } from './redemptions.js'
import { isIntermediary, isModule, ZERO_ADDRESS } from './roles.js'
import type { CurrentTransaction } from './transaction.js'

type Split = DecodedEventOf<'positionsSplit' | 'positionsMerged'>

/**
 * A set of structured positions. Returns the wallet that ends up with them, or gave them. A set that a
 * module makes or destroys for purposes of its own is the module's, and bears no cost.
 */
export function attributePositionSplit(attribution: Attribution, eventIndex: number, event: Split): string {
  const { tx, facts } = attribution
  const isMerge = event.kind === 'positionsMerged'
  const condition = padId(event.conditionId)
  const tokens = positionsOf(condition)
  const amount = checkAmount(event.amount)
  const wallet = isMerge
    ? giverOf(tx, eventIndex, event.initiator, tokens[0])
    : actsForOthers(event.initiator)
      ? tx.finalReceiver(event.recipient0, tokens[0], eventIndex)
      : event.initiator
  if (amount === 0n) return wallet
  for (const token of tokens) checkMoved(tx, token, amount, isMerge)
  const holder = isModule(event.initiator) ? event.initiator : wallet
  tx.explainSet(isMerge, holder, tokens, amount)
  const origin = tx.origin(eventIndex)
  attribution.addOutcomes(origin.seq, condition, tokens)
  facts.splits.push({
    ...origin,
    isMerge,
    wallet: holder,
    condition,
    tokens,
    amount,
    isCore: true,
    isUser: attribution.isUser(holder),
  })
  return wallet
}

export function attributePositionRedeemed(
  attribution: Attribution,
  eventIndex: number,
  event: DecodedEventOf<'positionRedeemed'>,
): string {
  const { tx } = attribution
  const { initiator, positionId, amount } = event
  checkMoved(tx, positionId, amount, true)
  const wallet = giverOf(tx, eventIndex, initiator, positionId)
  attributePositionRedemption(attribution, eventIndex, event, wallet)
  return wallet
}

/** The module takes the old tokens and mints as many new ones: cost moves along, without profit. */
export function attributeMigration(
  attribution: Attribution,
  eventIndex: number,
  event: DecodedEventOf<'positionMigrated'>,
): string {
  const { tx, facts } = attribution
  const { from, positionId, amount } = event
  const module = tx.contracts[eventIndex]?.address
  // A batch moves the tokens in the order of the events, and both outcomes may move in equal amounts.
  const sentMove = tx.moves.find(
    (move) =>
      move.eventIndex < eventIndex &&
      move.to === module &&
      move.amount === amount &&
      !move.isClaimed &&
      tx.contracts[move.eventIndex]?.role === 'conditionalTokens',
  )
  if (sentMove === undefined)
    throw new AttributionError('inconsistent', 'the old tokens of a migration did not move')
  sentMove.isClaimed = true
  checkAmount(amount)
  const wallet = actsForOthers(from)
    ? tx.originalGiver(sentMove.from, sentMove.token, sentMove.eventIndex)
    : from
  tx.explainCosted(wallet, sentMove.to, sentMove.token, amount)
  tx.explainCosted(ZERO_ADDRESS, wallet, positionId, amount)
  facts.migrations.push({
    ...tx.origin(eventIndex),
    wallet,
    fromToken: sentMove.token,
    toToken: positionId,
    amount,
  })
  return wallet
}

/** The initiator; where that is an intermediary, the wallet that gave the burned tokens. */
function giverOf(tx: CurrentTransaction, eventIndex: number, initiator: string, token: string): string {
  if (!actsForOthers(initiator)) return initiator
  const burn = tx.moves.findLast(
    (move) => move.eventIndex < eventIndex && move.to === ZERO_ADDRESS && move.token === token,
  )
  if (burn === undefined) return initiator
  const { from } = burn
  return isModule(from)
    ? (tx.giverTo(from, token, burn.eventIndex) ?? from)
    : tx.originalGiver(from, token, burn.eventIndex)
}

/** Contracts that act for a wallet. An exchange is none of them: in a match it is the owner. */
export const actsForOthers = (initiator: string): boolean => isIntermediary(initiator) || isModule(initiator)

function checkMoved(tx: CurrentTransaction, token: string, amount: bigint, isBurn: boolean): void {
  const isMoved = tx.moves.some(
    (move) =>
      move.token === token && move.amount >= amount && (isBurn ? move.to : move.from) === ZERO_ADDRESS,
  )
  if (!isMoved && amount > 0n) throw new AttributionError('inconsistent', 'structured positions did not move')
}
