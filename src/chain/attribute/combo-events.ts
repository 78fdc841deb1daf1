import type { ComboSource } from './booked-fact.js'
import { isBetween } from './modules.js'
import type { Reading } from './reading.js'
import { bookable } from './refusal.js'
import { isExchange, ZERO_ADDRESS } from './roles.js'
import { conditionOf, padId, positionsOf } from './structured.js'
import type { Transaction } from './transaction.js'

/** `wallet` is given where booking has found it. What an exchange does for a match is nobody's event. */
export function bookComboEvent(
  reading: Reading,
  place: number,
  fact: ComboSource,
  wallet = findWallet(reading.tx, place, fact),
): void {
  const { tx, tape } = reading
  if (isExchange(wallet)) return
  tape.comboEvents.push({
    seq: tx.seqAt(place),
    timeSec: tx.timeSec,
    txHash: tx.hash,
    kind: fact.kind,
    contract: fact.at.address,
    wallet,
    ...describe(fact),
    amount: bookable(fact.amount),
    payout: payoutOf(fact),
  })
}

/** Behind a router or the like: who gave tokens to the module last, or else who gets something. */
function findWallet(tx: Transaction, place: number, fact: ComboSource): string {
  const [asker, recipient] = partiesOf(fact)
  if (!isBetween(asker)) return asker
  const module = tx.contracts[place]?.address
  const given = tx.moves.findLast(
    (move) => move.place < place && move.to === module && move.from !== ZERO_ADDRESS,
  )
  return given === undefined ? recipient : tx.giverBehind(given.from, given.token, given.place)
}

function partiesOf(fact: ComboSource): [asker: string, recipient: string] {
  switch (fact.kind) {
    case 'positionMigrated':
      return [fact.from, fact.from]
    case 'bridgePositionMinted':
      return [fact.to, fact.to]
    case 'positionsSplit':
      return [fact.initiator, fact.recipient0]
    case 'positionsMerged':
    case 'positionRedeemed':
    case 'horizontalSplit':
    case 'horizontalMerge':
    case 'positionConverted':
      return [fact.initiator, fact.recipient]
    case 'splitOnCondition':
    case 'extracted':
      return [fact.user, fact.recipient0]
    case 'splitOnEvent':
    case 'convertedOnEvent':
    case 'convertedToYesBasket':
      return [fact.user, fact.recipients[0] ?? fact.user]
    default:
      return [fact.user, fact.recipient]
  }
}

function describe(fact: ComboSource): { condition: string; tokens: readonly string[] } {
  switch (fact.kind) {
    case 'positionsSplit':
    case 'positionsMerged': {
      const condition = padId(fact.conditionId)
      return { condition, tokens: positionsOf(condition) }
    }
    case 'positionRedeemed':
    case 'positionMigrated':
    case 'bridgePositionMinted':
      return { condition: conditionOf(fact.positionId), tokens: [fact.positionId] }
    case 'horizontalSplit':
    case 'horizontalMerge':
    case 'positionConverted':
      return { condition: padId(fact.eventId), tokens: [] }
    case 'splitOnCondition':
    case 'mergedOnCondition':
    case 'splitOnEvent':
    case 'mergedOnEvent':
    case 'convertedOnEvent':
      return { condition: padId(fact.parentConditionId), tokens: [] }
    case 'extracted':
    case 'injected':
    case 'convertedToYesBasket':
    case 'mergedFromYesBasket':
      return { condition: padId(fact.fullConditionId), tokens: [] }
    case 'compressed': {
      const { oldPositionId, newPositionId } = fact
      return { condition: conditionOf(oldPositionId), tokens: [oldPositionId, newPositionId] }
    }
    case 'comboWrapped':
    case 'comboUnwrapped': {
      const { combinatorialPositionId: combo, underlyingPositionId } = fact
      return { condition: conditionOf(combo), tokens: [combo, underlyingPositionId] }
    }
  }
}

function payoutOf(fact: ComboSource): bigint | undefined {
  if (fact.kind === 'positionRedeemed') return bookable(fact.payout)
  if (fact.kind === 'compressed') return bookable(fact.collateralOut)
  return undefined
}
