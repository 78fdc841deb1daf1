import type { ClobClient } from '../upstreams/clob/client.js'
import type { ClobBook } from '../upstreams/clob/parse.js'
import { withPatience } from '../upstreams/transport/patience.js'
import type { LiveBook } from './live-book.js'
import type { LiveBooks } from './live-books.js'

/** How long a request waits for live books; then the exchange is asked directly. */
const LOAD_MS_MAX = 1_000

/** A book as it is now, the best levels first. Read it before anything else is waited for. */
export type CurrentBook = Pick<
  LiveBook,
  | ('tokenId' | 'conditionId' | 'timestampMs' | 'hash' | 'bids' | 'asks')
  | ('tickSize' | 'minOrderSize' | 'negRisk' | 'lastTradePrice')
>

/** `accountId`: who pays for calls of the exchange. */
type Sources = { books: LiveBooks; clob: Pick<ClobClient, 'getBooks'>; accountId: number }

/**
 * The live books of tokens; of those that are not live, what the exchange answers. Tokens without a
 * book are absent. The books are followed for a while, because the same ones are asked for again.
 */
export async function readBooks(
  { books, ...exchange }: Sources,
  tokenIds: readonly string[],
): Promise<Map<string, CurrentBook>> {
  const refused = new Set(books.follow(tokenIds))
  const followed = tokenIds.filter((tokenId) => !refused.has(tokenId))
  try {
    await books.untilLoaded(followed, LOAD_MS_MAX)
    const live = tokenIds.flatMap((tokenId) => books.get(tokenId) ?? []).filter(isLive)
    const found = new Map<string, CurrentBook>(live.map((book) => [book.tokenId, book]))
    const others = tokenIds.filter((tokenId) => !found.has(tokenId))
    for (const [tokenId, book] of await fetchBooks(exchange, others)) found.set(tokenId, book)
    for (const { tokenId, isAbsent } of live) if (isAbsent) found.delete(tokenId)
    return found
  } finally {
    books.release(followed)
  }
}

const isLive = ({ state }: LiveBook): boolean => state === 'live'

/** What the exchange answers itself. Throws an `UpstreamError` when it does not. */
export async function fetchBooks(
  { clob, accountId }: Omit<Sources, 'books'>,
  tokenIds: readonly string[],
): Promise<Map<string, ClobBook>> {
  if (tokenIds.length === 0) return new Map()
  return await withPatience('clob', (signal) => clob.getBooks(tokenIds, { signal, accountId }))
}
