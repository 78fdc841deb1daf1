import { conditionOfPosition, padId, positionsOf } from '../../core/structured-id.js'
import { checkAmount } from '../facts/quarantine.js'
import type { Attribution } from './attribution.js'
import {
  actsForOthers,
  attributeMigration,
  attributePositionRedeemed,
  attributePositionSplit,
} from './modules.js'
import { isExchange, ZERO_ADDRESS } from './roles.js'
import type { ModuleEvent } from './token-events.js'
import type { CurrentTransaction } from './transaction.js'

type UnbookedEvent = Exclude<
  ModuleEvent,
  { kind: 'positionsSplit' | 'positionsMerged' | 'positionRedeemed' | 'positionMigrated' }
>

/** Adds the event to the combo list, unless an exchange caused it in a match. */
export function attributeComboEvent(attribution: Attribution, eventIndex: number, event: ModuleEvent): void {
  const { tx, facts } = attribution
  const wallet = attributeModuleEvent(attribution, eventIndex, event)
  if (isExchange(wallet)) return
  facts.comboEvents.push({
    ...tx.origin(eventIndex),
    kind: event.kind,
    contract: event.at.address,
    wallet,
    ...describe(event),
    amount: checkAmount(event.amount),
    payout: payoutOf(event),
  })
}

/** Books the event where it moves cost. Returns its wallet. */
function attributeModuleEvent(attribution: Attribution, eventIndex: number, event: ModuleEvent): string {
  switch (event.kind) {
    case 'positionsSplit':
    case 'positionsMerged':
      return attributePositionSplit(attribution, eventIndex, event)
    case 'positionRedeemed':
      return attributePositionRedeemed(attribution, eventIndex, event)
    case 'positionMigrated':
      return attributeMigration(attribution, eventIndex, event)
    default:
      return findWallet(attribution.tx, eventIndex, event)
  }
}

/** The caller; where that is an intermediary, the last giver of tokens to the module, or else the recipient. */
function findWallet(tx: CurrentTransaction, eventIndex: number, event: UnbookedEvent): string {
  const [caller, recipient] = partiesOf(event)
  if (!actsForOthers(caller)) return caller
  const module = tx.contracts[eventIndex]?.address
  const lastMove = tx.moves.findLast(
    (move) => move.eventIndex < eventIndex && move.to === module && move.from !== ZERO_ADDRESS,
  )
  return lastMove === undefined
    ? recipient
    : tx.originalGiver(lastMove.from, lastMove.token, lastMove.eventIndex)
}

function partiesOf(event: UnbookedEvent): [caller: string, recipient: string] {
  switch (event.kind) {
    case 'bridgePositionMinted':
      return [event.to, event.to]
    case 'horizontalSplit':
    case 'horizontalMerge':
    case 'positionConverted':
      return [event.initiator, event.recipient]
    case 'splitOnCondition':
    case 'extracted':
      return [event.user, event.recipient0]
    case 'splitOnEvent':
    case 'convertedOnEvent':
    case 'convertedToYesBasket':
      return [event.user, event.recipients[0] ?? event.user]
    default:
      return [event.user, event.recipient]
  }
}

function describe(event: ModuleEvent): { condition: string; tokens: readonly string[] } {
  switch (event.kind) {
    case 'positionsSplit':
    case 'positionsMerged': {
      const condition = padId(event.conditionId)
      return { condition, tokens: positionsOf(condition) }
    }
    case 'positionRedeemed':
    case 'positionMigrated':
    case 'bridgePositionMinted':
      return { condition: conditionOfPosition(event.positionId), tokens: [event.positionId] }
    case 'horizontalSplit':
    case 'horizontalMerge':
    case 'positionConverted':
      return { condition: padId(event.eventId), tokens: [] }
    case 'splitOnCondition':
    case 'mergedOnCondition':
    case 'splitOnEvent':
    case 'mergedOnEvent':
    case 'convertedOnEvent':
      return { condition: padId(event.parentConditionId), tokens: [] }
    case 'extracted':
    case 'injected':
    case 'convertedToYesBasket':
    case 'mergedFromYesBasket':
      return { condition: padId(event.fullConditionId), tokens: [] }
    case 'compressed': {
      const { oldPositionId, newPositionId } = event
      return {
        condition: conditionOfPosition(oldPositionId),
        tokens: [oldPositionId, newPositionId],
      }
    }
    case 'comboWrapped':
    case 'comboUnwrapped': {
      const { combinatorialPositionId: combo, underlyingPositionId } = event
      return { condition: conditionOfPosition(combo), tokens: [combo, underlyingPositionId] }
    }
  }
}

function payoutOf(event: ModuleEvent): bigint | undefined {
  if (event.kind === 'positionRedeemed') return checkAmount(event.payout)
  if (event.kind === 'compressed') return checkAmount(event.collateralOut)
  return undefined
}
