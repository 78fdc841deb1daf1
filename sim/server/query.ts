/** Values of a key that may be repeated and hold comma lists: `a=1&a=2,3`. No empty ones. */
export function readList(query: URLSearchParams, key: string): string[] {
  return query
    .getAll(key)
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

/** `undefined`: absent. NaN: there, and not a whole number. */
export function readInt(query: URLSearchParams, key: string): number | undefined {
  const value = query.get(key)
  if (value === null || value === '') return undefined
  return /^-?\d{1,15}$/.test(value) ? Number(value) : Number.NaN
}

/** `undefined`: absent. NaN: there, and not a number. */
export function readNumber(query: URLSearchParams, key: string): number | undefined {
  const value = query.get(key)
  if (value === null || value.trim() === '') return undefined
  return Number(value)
}

/** `undefined`: absent, or neither true nor false. */
export function readFlag(query: URLSearchParams, key: string): boolean | undefined {
  const value = query.get(key)?.toLowerCase()
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  return undefined
}
