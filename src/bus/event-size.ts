import type { EventData } from './event.js'

/** About what an object and its strings take beside their letters. */
const OBJECT_BYTES = 300

/** Roughly what an event takes in memory once its text is made: the text, and the fields behind it. */
export function estimateBytes(data: EventData): number {
  return OBJECT_BYTES + 2 * lettersOf(data)
}

/** About as long as the JSON text. */
function lettersOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 8
  let letters = 2
  if (Array.isArray(value)) {
    for (const item of value) letters += lettersOf(item)
    return letters
  }
  for (const [name, field] of Object.entries(value))
    if (field !== undefined) letters += name.length + 3 + lettersOf(field)
  return letters
}
