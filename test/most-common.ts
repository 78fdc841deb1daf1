/** The values that are there most often, most common first. */
export function mostCommonOf<Value>(values: Iterable<Value>, wanted: number): Value[] {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const byCount = [...counts].sort(([, one], [, other]) => other - one)
  return byCount.slice(0, wanted).map(([value]) => value)
}

/** Fails without values. */
export function mostCommon<Value>(values: Iterable<Value>): Value {
  const [first] = mostCommonOf(values, 1)
  if (first === undefined) throw new Error('there are no values')
  return first
}
