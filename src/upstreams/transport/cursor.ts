import { UpstreamError } from './errors.js'

/** `nextCursor` is `undefined` on the last page. */
export type CursorPage<T> = { items: T[]; nextCursor: string | undefined }

/** Every item of a list that is read page by page. */
export async function* followCursor<T>(
  upstream: string,
  firstCursor: string | undefined,
  fetchPage: (cursor: string | undefined) => Promise<CursorPage<T>>,
): AsyncGenerator<T> {
  let cursor = firstCursor
  do {
    const { items, nextCursor } = await fetchPage(cursor)
    yield* items
    // Following it would read the same page for ever.
    if (nextCursor !== undefined && nextCursor === cursor)
      throw new UpstreamError(`cursor ${cursor} leads to itself`, { upstream, retryable: true })
    cursor = nextCursor
  } while (cursor !== undefined)
}
