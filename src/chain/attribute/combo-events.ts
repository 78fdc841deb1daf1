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

/** What an exchange does for a match is not listed. */
export function attributeComboEvent(attribution: Attribution, place: number, event: ModuleEvent): void {
  const { tx, facts } = attribution
  const wallet = attributeModuleEvent(attribution, place, event)
  if (isExchange(wallet)) return
  facts.comboEvents.push({
    ...tx.origin(place),
    kind: event.kind,
    contract: event.at.address,
    wallet,
    ...describe(event),
    amount: checkAmount(event.amount),
    payout: payoutOf(event),
  })
}

/** Books the event where it moves cost. Returns its wallet. */
function attributeModuleEvent(attribution: Attribution, place: number, event: ModuleEvent): string {
  switch (event.kind) {
    case 'positionsSplit':
    case 'positionsMerged':
      return attributePositionSplit(attribution, place, event)
    case 'positionRedeemed':
      return attributePositionRedeemed(attribution, place, event)
    case 'positionMigrated':
      return attributeMigration(attribution, place, event)
    default:
      return findWallet(attribution.tx, place, event)
  }
}

/** Behind an intermediary it is the last giver of tokens to the module, or else the recipient. */
function findWallet(tx: CurrentTransaction, place: number, event: UnbookedEvent): string {
  const [asker, recipient] = partiesOf(event)
  if (!actsForOthers(asker)) return asker
  const module = tx.contracts[place]?.address
  const given = tx.moves.findLast(
    (move) => move.place < place && move.to === module && move.from !== ZERO_ADDRESS,
  )
  return given === undefined ? recipient : tx.giverBehind(given.from, given.token, given.place)
}

function partiesOf(event: UnbookedEvent): [asker: string, recipient: string] {
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
