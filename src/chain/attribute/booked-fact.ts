import type { DecodedEvent, DecodedEventOf } from '../../upstreams/polygon/events.js'

/** Everything that a module does to the positions of somebody. */
const COMBO_KINDS = [
  'positionsSplit',
  'positionsMerged',
  'positionRedeemed',
  'positionMigrated',
  'bridgePositionMinted',
  'horizontalSplit',
  'horizontalMerge',
  'positionConverted',
  'splitOnCondition',
  'mergedOnCondition',
  'splitOnEvent',
  'mergedOnEvent',
  'convertedOnEvent',
  'extracted',
  'injected',
  'convertedToYesBasket',
  'mergedFromYesBasket',
  'compressed',
  'comboWrapped',
  'comboUnwrapped',
] as const satisfies DecodedEvent['kind'][]

const BOOKED_KINDS = [
  'transferSingle',
  'transferBatch',
  'fill',
  'feeCharged',
  'feeRefunded',
  'feeWithdrawn',
  'ctfSplit',
  'ctfMerge',
  'ctfRedemption',
  'negRiskSplit',
  'negRiskMerge',
  'negRiskRedemption',
  'negRiskConversion',
  'autoRedemption',
  'autoBinaryRedemption',
  'autoNegRiskRedemption',
  ...COMBO_KINDS,
] as const satisfies DecodedEvent['kind'][]

export type ComboSource = DecodedEventOf<(typeof COMBO_KINDS)[number]>

/** A fact about tokens: what it means is told by the whole transaction. */
export type BookedFact = DecodedEventOf<(typeof BOOKED_KINDS)[number]>

const KINDS: ReadonlySet<string> = new Set(BOOKED_KINDS)

export const isBooked = (event: DecodedEvent): event is BookedFact => KINDS.has(event.kind)
