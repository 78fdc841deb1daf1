import { parseBytes32 } from '../../core/ids.js'

const FIREHOSE = '*'
/** A shorter number is a slug. */
const TOKEN_ID = /^\d{11,}$/
/** Postgres has no text with a NUL in it. */
const SLUG = /^[^\0]{1,256}$/

/** What a client named, each once, by its kind. */
export type Identifiers = {
  /** All books. */
  isFirehose: boolean
  /** Decimal. */
  tokenIds: Set<string>
  /** `0x` and 64 lower-case digits. */
  conditionIds: Set<string>
  /** Of events, or of markets. */
  slugs: Set<string>
  /** Those that cannot be any of these. */
  invalid: Set<string>
}

export function sortIdentifiers(texts: Iterable<string>): Identifiers {
  const sorted: Identifiers = {
    isFirehose: false,
    tokenIds: new Set(),
    conditionIds: new Set(),
    slugs: new Set(),
    invalid: new Set(),
  }
  for (const text of texts) sortIdentifier(text, sorted)
  return sorted
}

function sortIdentifier(text: string, sorted: Identifiers): void {
  if (text === FIREHOSE) sorted.isFirehose = true
  else if (/^0x/i.test(text)) addOr(sorted, 'conditionIds', parseBytes32(text), text)
  else if (TOKEN_ID.test(text)) addOr(sorted, 'tokenIds', normalizeTokenId(text), text)
  else addOr(sorted, 'slugs', SLUG.test(text) ? text : undefined, text)
}

function addOr(
  sorted: Identifiers,
  kind: 'tokenIds' | 'conditionIds' | 'slugs',
  id: string | undefined,
  text: string,
): void {
  if (id === undefined) sorted.invalid.add(text)
  else sorted[kind].add(id)
}

/** The largest number of 32 bytes. */
const LARGEST = (2n ** 256n - 1n).toString()

/**
 * Without leading zeros. `undefined`: the number is zero, or has more than 32 bytes. Numbers are compared
 * as texts, because lists are long and a conversion of each id would take most of the time.
 */
function normalizeTokenId(decimal: string): string | undefined {
  const id = decimal.startsWith('0') ? decimal.replace(/^0+/, '') : decimal
  const { length } = id
  const fits = length < LARGEST.length || (length === LARGEST.length && id <= LARGEST)
  return fits && length > 0 ? id : undefined
}
