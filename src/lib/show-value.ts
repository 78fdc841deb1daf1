const SHOWN_CHARACTERS_MAX = 80

/** A value of a client in the text of an error: never longer than a line, however deep it is. */
export function showValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object'
  if (typeof value !== 'string') return String(value)
  const text = JSON.stringify(value.slice(0, SHOWN_CHARACTERS_MAX))
  return value.length <= SHOWN_CHARACTERS_MAX ? text : `${text}…`
}
