import type { DecodedEvent, DecodedEventOf } from '../../upstreams/polygon/events.js'

/** Events of the modules about structured positions. */
const MODULE_KINDS = [
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

const TOKEN_KINDS = [
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
  ...MODULE_KINDS,
] as const satisfies DecodedEvent['kind'][]

export type ModuleEvent = DecodedEventOf<(typeof MODULE_KINDS)[number]>

/** An event about outcome tokens: its meaning depends on the whole transaction. */
export type TokenEvent = DecodedEventOf<(typeof TOKEN_KINDS)[number]>

const KINDS: ReadonlySet<string> = new Set(TOKEN_KINDS)

export const isTokenEvent = (event: DecodedEvent): event is TokenEvent => KINDS.has(event.kind)
