import type { HttpRequest } from '../server/handlers.js'
import type { Side } from '../universe/acts.js'
import type { Book } from '../universe/books.js'
import type { Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { invalidPayload, invalidSide, invalidToken, noBook, payloadTooLarge, Refusal } from './refusal.js'

const BATCH_MAX = 500

type Asked = { tokenId: string; side: string | undefined }

/** What a batch request asks for: in the body of a POST, in the query of a GET. */
export function readBatch(request: HttpRequest): Asked[] {
  const asked = request.method === 'POST' ? readBody(request.body) : readQuery(request.query)
  if (asked.length === 0) throw invalidPayload()
  if (asked.length > BATCH_MAX) throw payloadTooLarge()
  for (const { tokenId } of asked) checkTokenId(tokenId)
  return asked
}

/** Books of the asked tokens, each once. Tokens without a book are left out. */
export function readBooks(universe: Universe, request: HttpRequest): Book[] {
  const ids = new Set(readBatch(request).map(({ tokenId }) => tokenId))
  return [...ids].flatMap((id) => findBook(universe, id) ?? [])
}

export function requireBook(universe: Universe, query: URLSearchParams): Book {
  const book = findBook(universe, readTokenId(query))
  if (book === undefined) throw noBook()
  return book
}

/** The token itself, whether or not it is traded now. */
export function requireToken(universe: Universe, id: string): Token {
  checkTokenId(id)
  const token = universe.catalogue.token(id)
  if (token === undefined) throw new Refusal(404, 'market not found')
  return token
}

export function findBook(universe: Universe, tokenId: string): Book | undefined {
  const token = universe.catalogue.token(tokenId)
  return token === undefined ? undefined : universe.books.book(token)
}

export function readTokenId(query: URLSearchParams, key = 'token_id'): string {
  const id = query.get(key) ?? ''
  checkTokenId(id)
  return id
}

export function checkSide(side: string | null | undefined): Side {
  if (side === 'BUY' || side === 'SELL') return side
  throw invalidSide()
}

export function checkTokenId(id: string): void {
  if (!/^\d{1,78}$/.test(id)) throw invalidToken()
}

function readBody(body: string): Asked[] {
  const payload = parsePayload(body)
  if (!Array.isArray(payload)) throw invalidPayload()
  return payload.map((item: unknown) => {
    if (typeof item !== 'object' || item === null || !('token_id' in item)) throw invalidPayload()
    if (typeof item.token_id !== 'string') throw invalidPayload()
    const side = 'side' in item ? item.side : undefined
    return { tokenId: item.token_id, side: typeof side === 'string' ? side : undefined }
  })
}

function parsePayload(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw invalidPayload()
  }
}

function readQuery(query: URLSearchParams): Asked[] {
  const ids = (query.get('token_ids') ?? '').split(',').filter((id) => id !== '')
  const sides = (query.get('sides') ?? '').split(',')
  return ids.map((tokenId, index) => ({ tokenId, side: sides[index] }))
}
