/** The outcome of each part of a partition; `undefined` unless each outcome is one part. */
export function outcomesOf(partition: readonly bigint[]): readonly number[] | undefined {
  if (partition.length === 2 && partition[0] === 1n && partition[1] === 2n) return PAIR
  const outcomes = partition.map(outcomeOf)
  const isWhole = partition.length > 1 && new Set(outcomes).size === partition.length
  return isWhole && outcomes.every((outcome) => outcome < partition.length) ? outcomes : undefined
}

/** The only outcome of an index set; Infinity when there is not exactly one. */
export function outcomeOf(indexSet: bigint): number {
  if (indexSet === 0n || (indexSet & (indexSet - 1n)) !== 0n) return Number.POSITIVE_INFINITY
  return indexSet.toString(2).length - 1
}

const PAIR: readonly number[] = [0, 1]
