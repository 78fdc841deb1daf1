/** Levenshtein distance, for "did you mean": both texts should be short. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitution = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, at(previous, column) + 1, at(current, column - 1) + 1))
    }
    previous = current
  }
  return at(previous, b.length)
}

const at = (row: number[], column: number): number => row[column] ?? 0

/** The candidate closest to `text`, when it is close enough to be what was meant. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const distanceMax = Math.max(2, Math.floor(text.length / 3))
  let best: string | undefined
  let bestDistance = distanceMax + 1
  for (const candidate of candidates) {
    const distance = editDistance(text, candidate)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}
