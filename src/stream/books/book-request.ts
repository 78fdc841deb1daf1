import { BookRefusal } from './book-refusal.js'

/** More identifiers in one message are refused before any of them is looked up. */
export const IDENTIFIERS_MAX = 20_000

const ACTIONS = 'subscribe, unsubscribe, resync, ping'

/** A message of a client about books. Without `identifiers` it means all books of the connection. */
export type BookRequest =
  | { action: 'subscribe'; identifiers: readonly string[] }
  | { action: 'unsubscribe' | 'resync'; identifiers: readonly string[] | undefined }
  | { action: 'ping' }

/** Throws a `BookRefusal` when the message is none of these. */
export function parseBookRequest(message: unknown): BookRequest {
  if (!isObject(message)) throw new BookRefusal('invalid_message', 'A message is a JSON object.')
  const { action } = message
  switch (action) {
    case 'subscribe': {
      const identifiers = readIdentifiers(message)
      if (identifiers !== undefined && identifiers.length > 0) return { action, identifiers }
      throw new BookRefusal('invalid_message', '`markets` must name at least one book.')
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
      throw new BookRefusal('invalid_message', `\`action\` must be one of ${ACTIONS}.`)
  }
}

/** From the lists of the message, and of `filters` inside of it, which clients of events use. */
function readIdentifiers(message: JsonObject): string[] | undefined {
  const filters = isObject(message.filters) ? message.filters : {}
  const lists = [message.markets, message.token_ids, filters.markets, filters.token_ids]
  const given = lists.filter((list) => list !== undefined && list !== null)
  if (given.length === 0) return undefined
  if (!given.every((list) => Array.isArray(list)))
    throw new BookRefusal('invalid_message', '`markets` and `token_ids` must be arrays.')
  const requested = given.reduce((sum, { length }) => sum + length, 0)
  if (requested > IDENTIFIERS_MAX) {
    const fields = { max: IDENTIFIERS_MAX, requested }
    const message = `A message names at most ${IDENTIFIERS_MAX} books; slugs name many at once.`
    throw new BookRefusal('input_too_large', message, fields)
  }
  const items: unknown[] = given.flat()
  if (items.every((item) => typeof item === 'string')) return items
  throw new BookRefusal('invalid_message', '`markets` and `token_ids` must hold strings.')
}

type JsonObject = { readonly [name: string]: unknown }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
