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

type Sources = { books: LiveBooks; clob: Pick<ClobClient, 'getBooks'> }

/**
 * The live books of tokens; of those that are not live, what the exchange answers. Tokens without a
 * book are absent. The books are followed for a while, because the same ones are asked for again.
 */
export async function readBooks(
  { books, clob }: Sources,
  tokenIds: readonly string[],
): Promise<Map<string, CurrentBook>> {
  const refused = new Set(books.follow(tokenIds))
  const followed = tokenIds.filter((tokenId) => !refused.has(tokenId))
  try {
    await books.untilLoaded(followed, LOAD_MS_MAX)
    const isLive = (tokenId: string) => books.get(tokenId)?.state === 'live'
    const others = tokenIds.filter((tokenId) => !isLive(tokenId))
    const asked = await fetchBooks(clob, others)
    const found = tokenIds.flatMap((tokenId): [string, CurrentBook][] => {
      const live = isLive(tokenId) ? books.get(tokenId) : undefined
      const book = live?.isAbsent === true ? undefined : (live ?? asked.get(tokenId))
      return book === undefined ? [] : [[tokenId, book]]
    })
    return new Map(found)
  } finally {
    books.release(followed)
  }
}

/** What the exchange answers itself. Throws an `UpstreamError` when it does not. */
export async function fetchBooks(
  clob: Pick<ClobClient, 'getBooks'>,
  tokenIds: readonly string[],
): Promise<Map<string, ClobBook>> {
  if (tokenIds.length === 0) return new Map()
  return await withPatience('clob', (signal) => clob.getBooks(tokenIds, signal))
}
