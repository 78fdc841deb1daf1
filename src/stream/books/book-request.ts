import { setImmediate } from 'node:timers/promises'
import { parseBytes32 } from '../../core/ids.js'
import { Refusal } from '../connection.js'
import { type ClientFields, isRecord } from '../subscriptions/filter-rules.js'

/** More identifiers in one message are refused before any of them is looked up. */
export const IDENTIFIERS_MAX = 20_000
/** A message about books has a few items besides. */
export const BOOK_ITEMS_MAX = IDENTIFIERS_MAX + 1_000

const ACTIONS = 'subscribe, unsubscribe, resync, ping'

/** A message of a client about books. Without `identifiers` it means all books of the connection. */
export type BookRequest =
  | { action: 'subscribe'; identifiers: readonly string[] }
  | { action: 'unsubscribe' | 'resync'; identifiers: readonly string[] | undefined }
  | { action: 'ping' }

/** Throws a `Refusal` when the message is none of these. */
export function parseBookRequest(message: unknown): BookRequest {
  if (!isRecord(message)) throw new Refusal('invalid_message', 'A message is a JSON object.')
  const { action } = message
  switch (action) {
    case 'subscribe': {
      const identifiers = readIdentifiers(message)
      if (identifiers !== undefined && identifiers.length > 0) return { action, identifiers }
      throw new Refusal('invalid_message', '`markets` must name at least one book.')
    }
    case 'unsubscribe':
      return { action, identifiers: readIdentifiers(message) }
    case 'resync': {
      const identifiers = readIdentifiers(message)
      return { action, identifiers: identifiers?.length === 0 ? undefined : identifiers }
    }
    case 'ping':
      return { action }
    default:
      throw new Refusal('invalid_message', `\`action\` must be one of ${ACTIONS}.`)
  }
}

/** From the lists of the message, and of `filters` inside of it, which clients of events use. */
function readIdentifiers(message: ClientFields): string[] | undefined {
  const filters = isRecord(message.filters) ? message.filters : {}
  const lists = [message.markets, message.token_ids, filters.markets, filters.token_ids]
  const present = lists.filter((list) => list !== undefined && list !== null)
  if (present.length === 0) return undefined
  if (!present.every((list) => Array.isArray(list)))
    throw new Refusal('invalid_message', '`markets` and `token_ids` must be arrays.')
  const requested = present.reduce((sum, { length }) => sum + length, 0)
  if (requested > IDENTIFIERS_MAX) {
    const fields = { max: IDENTIFIERS_MAX, requested }
    const message = `A message names at most ${IDENTIFIERS_MAX} books; slugs name many at once.`
    throw new Refusal('input_too_large', message, fields)
  }
  const items: unknown[] = present.flat()
  if (items.every((item) => typeof item === 'string')) return items
  throw new Refusal('invalid_message', '`markets` and `token_ids` must hold strings.')
}

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

const sortNone = (): Identifiers => ({
  isFirehose: false,
  tokenIds: new Set(),
  conditionIds: new Set(),
  slugs: new Set(),
  invalid: new Set(),
})

export function sortIdentifiers(texts: Iterable<string>, sorted = sortNone()): Identifiers {
  for (const text of texts) sortIdentifier(text, sorted)
  return sorted
}

/** Identifiers that are sorted before the sockets are read again. */
const PIECE_IDENTIFIERS = 2_000

/** The same for long lists, in pieces between which other clients are served. */
export async function sortInPieces(texts: readonly string[]): Promise<Identifiers> {
  const sorted = sortIdentifiers(texts.slice(0, PIECE_IDENTIFIERS))
  for (let from = PIECE_IDENTIFIERS; from < texts.length; from += PIECE_IDENTIFIERS) {
    await setImmediate()
    sortIdentifiers(texts.slice(from, from + PIECE_IDENTIFIERS), sorted)
  }
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
