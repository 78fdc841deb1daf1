/** What the slug of a companion event has after the slug of its game. */
export const COMPANION_SUFFIXES = [
  '-more-markets',
  '-halftime-result',
  '-second-half-result',
  '-exact-score',
  '-first-to-score',
  '-player-props',
] as const

/** The slug of the game that an event of this slug is about. */
export function canonicalSlugOf(slug: string): string {
  const suffix = COMPANION_SUFFIXES.find((end) => slug.endsWith(end) && slug.length > end.length)
  return suffix === undefined ? slug : slug.slice(0, -suffix.length)
}
