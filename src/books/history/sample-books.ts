import type { Sql } from '../../store/connection.js'
import type { LiveBook } from '../live-book.js'
import { readRecordedEvents } from '../recording/read-events.js'
import { findRecordedToken, readBookAt } from '../recording/read-recorded.js'
import { copyBook, type RecordedBook } from '../recording/recorded-change.js'
import { ReplayedBook } from '../recording/replayed-book.js'

/** `tokenId`: decimal. `outcome`: null where the catalogue does not have the token. */
export type SampledToken = { tokenId: string; outcome: string | null }

/** The book of a token at a moment. `undefined`: it was not recorded then. */
export type BookSample = { atMs: number; token: SampledToken; book: RecordedBook | undefined }

/** Moments at equal distances, and at each of them a row for each token. */
export type BookSeries = { tokens: readonly SampledToken[]; firstMs: number; stepMs: number; rows: number }

/** Recorders write a whole book this often: to a later moment it is shorter to read from the next one. */
const WHOLE_BOOK_MS = 5 * 60_000

/** The rows of a series from `first` on and before `end`, counted from its begin. */
export async function sampleBooks(
  sql: Sql,
  { tokens, firstMs, stepMs }: BookSeries,
  { first, end }: { first: number; end: number },
): Promise<BookSample[]> {
  const momentOf = (row: number) => firstMs + Math.floor(row / tokens.length) * stepMs
  const moments: number[] = []
  for (let atMs = momentOf(first); first < end && atMs <= momentOf(end - 1); atMs += stepMs)
    moments.push(atMs)
  const booksOf = await Promise.all(
    tokens.map(({ tokenId }) =>
      stepMs < WHOLE_BOOK_MS ? readAlong(sql, tokenId, moments) : readEach(sql, tokenId, moments),
    ),
  )
  const samples = moments.flatMap((atMs, moment) =>
    tokens.map((token, index) => ({ atMs, token, book: booksOf[index]?.[moment] })),
  )
  const skipped = first % tokens.length
  return samples.slice(skipped, skipped + end - first)
}

/** Applies every change between the first moment and the last one. */
async function readAlong(sql: Sql, tokenId: string, moments: readonly number[]): Promise<Books> {
  const [fromMs = 0] = moments
  const toMs = (moments.at(-1) ?? -1) + 1
  const books: (RecordedBook | undefined)[] = []
  const replayed = new ReplayedBook(tokenId)
  const takeBefore = (ms: number) => {
    for (let atMs = moments[books.length]; atMs !== undefined && atMs < ms; atMs = moments[books.length]) {
      books.push(copyIfKnown(replayed.book))
    }
  }
  for await (const events of readRecordedEvents(sql, { tokenIds: [tokenId], fromMs, toMs })) {
    for (const event of events) {
      takeBefore(event.atMs)
      replayed.apply(event)
    }
  }
  takeBefore(toMs)
  return books
}

type Books = readonly (RecordedBook | undefined)[]

async function readEach(sql: Sql, tokenId: string, moments: readonly number[]): Promise<Books> {
  const token = await findRecordedToken(sql, tokenId)
  const books: (RecordedBook | undefined)[] = []
  for (const atMs of moments) {
    const book = token && (await readBookAt(sql, token, atMs))
    books.push(book && copyIfKnown(book))
  }
  return books
}

/** A copy: the next changes are applied to the same book. In a gap it is stale. */
export const copyIfKnown = (book: LiveBook): RecordedBook | undefined =>
  book.state === 'live' ? copyBook(book) : undefined
