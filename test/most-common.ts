/** Fails without values. */
export function mostCommon<Value>(values: Iterable<Value>): Value {
  const counts = new Map<Value, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [first] = [...counts].sort(([, one], [, other]) => other - one)
  if (first === undefined) throw new Error('there are no values')
  return first[0]
}
