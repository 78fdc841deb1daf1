import fc from 'fast-check'

/**
 * Frames that an upstream might send on its worst day: any JSON, and good frames of which one part,
 * anywhere inside, is replaced by any JSON or left out.
 */
export function brokenJson(good: readonly unknown[]): fc.Arbitrary<string> {
  const changed = fc
    .tuple(fc.constantFrom(...good), fc.infiniteStream(fc.nat()), fc.jsonValue(), fc.boolean())
    .map(([frame, choices, value, leavesOut]) => {
      const broken = mutate(frame, choices, leavesOut ? undefined : value)
      return broken === undefined ? '' : JSON.stringify(broken)
    })
  return fc.oneof(fc.json(), changed)
}

function mutate(part: unknown, choices: Iterator<number>, replacement: unknown): unknown {
  if (typeof part !== 'object' || part === null) return replacement
  const keys = Object.keys(part)
  const choice = (choices.next().value ?? 0) % (keys.length + 1)
  const key = keys[choice]
  if (key === undefined) return replacement
  const inner = mutate((part as Record<string, unknown>)[key], choices, replacement)
  return Array.isArray(part) ? part.with(Number(key), inner) : { ...part, [key]: inner }
}
