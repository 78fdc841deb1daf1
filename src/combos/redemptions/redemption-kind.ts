/** What is left of a combo: nothing, fewer legs, or as much in another form. */
export type RedemptionScopeName = 'full' | 'partial' | 'transformation'

/** The logs that end or change what a combo consists of, by the names of the platform, with ours. */
export const REDEMPTION_KINDS: ReadonlyMap<string, string> = new Map([
  ['PositionRedeemed', 'positionRedeemed'],
  ['Compressed', 'compressed'],
  ['ConvertedOnEvent', 'convertedOnEvent'],
  ['ConvertedToYesBasket', 'convertedToYesBasket'],
  ['Extracted', 'extracted'],
  ['Injected', 'injected'],
  ['MergedFromYesBasket', 'mergedFromYesBasket'],
  ['MergedOnCondition', 'mergedOnCondition'],
  ['MergedOnEvent', 'mergedOnEvent'],
  ['SplitOnCondition', 'splitOnCondition'],
  ['SplitOnEvent', 'splitOnEvent'],
  ['Unwrapped', 'comboUnwrapped'],
  ['Wrapped', 'comboWrapped'],
])

/** A compression to this position leaves nothing. */
export const NO_POSITION = `0x${'0'.repeat(64)}`

export const REDEMPTION_TYPES: Readonly<Record<RedemptionScopeName, string>> = {
  full: 'FULL_COMBO',
  partial: 'PARTIAL_COMBO',
  transformation: 'COMBO_TRANSFORMATION',
}

/** A log of a combo as far as its kind depends on it; positions are hex text. */
type ComboLog = { kind: string; positions: readonly string[] }

/** A redemption is full, and so is a compression that leaves nothing; any other compression is partial. */
export function scopeOf({ kind, positions: [, left = NO_POSITION] }: ComboLog): RedemptionScopeName {
  if (kind === 'positionRedeemed') return 'full'
  if (kind !== 'compressed') return 'transformation'
  return left === NO_POSITION ? 'full' : 'partial'
}

const EVIDENCE: Readonly<Record<string, string>> = {
  positionRedeemed: 'terminal_position_redeemed',
  extracted: 'condition_extraction',
  injected: 'condition_injection',
}

/** What in the log shows it. */
export function evidenceOf(log: ComboLog): string {
  if (log.kind !== 'compressed') return EVIDENCE[log.kind] ?? 'lifecycle_transformation'
  return scopeOf(log) === 'full' ? 'terminal_compression' : 'post_resolution_compression'
}

/** The positions that the log turned into others, and what they became; `undefined`: the log does not say. */
export function movedPositions({ kind, positions: [first, second] }: ComboLog) {
  const [source, destination] = kind === 'comboWrapped' ? [second, first] : [first, second]
  return { source, destination: destination === NO_POSITION ? undefined : destination }
}
