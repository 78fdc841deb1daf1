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
export function attributePositionSplit(attribution: Attribution, place: number, event: Split): string {
  const { tx, facts } = attribution
  const isMerge = event.kind === 'positionsMerged'
  const condition = padId(event.conditionId)
  const tokens = positionsOf(condition)
  const amount = checkAmount(event.amount)
  const wallet = isMerge
    ? giverOf(tx, place, event.initiator, tokens[0])
    : actsForOthers(event.initiator)
      ? tx.receiverBehind(event.recipient0, tokens[0], place)
      : event.initiator
  if (amount === 0n) return wallet
  for (const token of tokens) checkMoved(tx, token, amount, isMerge)
  const holder = isModule(event.initiator) ? event.initiator : wallet
  tx.explainSet(isMerge, holder, tokens, amount)
  const origin = tx.origin(place)
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
  place: number,
  event: DecodedEventOf<'positionRedeemed'>,
): string {
  const { tx } = attribution
  const { initiator, positionId, amount } = event
  checkMoved(tx, positionId, amount, true)
  const wallet = giverOf(tx, place, initiator, positionId)
  attributePositionRedemption(attribution, place, event, wallet)
  return wallet
}

/** The module takes the old tokens and mints as many new ones: cost moves along, without profit. */
export function attributeMigration(
  attribution: Attribution,
  place: number,
  event: DecodedEventOf<'positionMigrated'>,
): string {
  const { tx, facts } = attribution
  const { from, positionId, amount } = event
  const module = tx.contracts[place]?.address
  // A batch moves the tokens in the order of the events, and both outcomes may move in equal amounts.
  const given = tx.moves.find(
    (move) =>
      move.place < place &&
      move.to === module &&
      move.amount === amount &&
      !move.isClaimed &&
      tx.contracts[move.place]?.role === 'conditionalTokens',
  )
  if (given === undefined)
    throw new AttributionError('inconsistent', 'the old tokens of a migration did not move')
  given.isClaimed = true
  checkAmount(amount)
  const wallet = actsForOthers(from) ? tx.giverBehind(given.from, given.token, given.place) : from
  tx.explainCosted(wallet, given.to, given.token, amount)
  tx.explainCosted(ZERO_ADDRESS, wallet, positionId, amount)
  facts.migrations.push({
    ...tx.origin(place),
    wallet,
    fromToken: given.token,
    toToken: positionId,
    amount,
  })
  return wallet
}

/** The initiator; where that is an intermediary, the wallet that gave the burned tokens. */
function giverOf(tx: CurrentTransaction, place: number, initiator: string, token: string): string {
  if (!actsForOthers(initiator)) return initiator
  const burn = tx.moves.findLast(
    (move) => move.place < place && move.to === ZERO_ADDRESS && move.token === token,
  )
  if (burn === undefined) return initiator
  const { from } = burn
  return isModule(from)
    ? (tx.giverTo(from, token, burn.place) ?? from)
    : tx.giverBehind(from, token, burn.place)
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
