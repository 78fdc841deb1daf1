import { UpstreamError } from '../../core/upstream-error.js'

/** `nextCursor` is `undefined` on the last page. */
export type CursorPage<T> = { items: T[]; nextCursor: string | undefined }

/** The pages of a list whose answers name the next page. The first one may have no cursor. */
export async function* eachCursorPage<Page extends CursorPage<unknown>>(
  upstream: string,
  firstCursor: string | undefined,
  fetchPage: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  const seen = new Set([firstCursor])
  for (let cursor = firstCursor; ; ) {
    const page = await fetchPage(cursor)
    const { nextCursor } = page
    // Following it would fetch the same pages for ever.
    if (nextCursor !== undefined && seen.has(nextCursor))
      throw new UpstreamError(`cursor ${nextCursor} came before`, { upstream, retryable: true })
    yield page
    if (nextCursor === undefined) return
    seen.add(nextCursor)
    cursor = nextCursor
  }
}

/** Calls under way at once: enough for the connections of a pool, few in the queue of the rate limiter. */
const CALLS_MAX = 16

/** Splits a request for many items into calls of at most `size`. The first call that fails ends it. */
export async function inBatches<Item, Answer>(
  items: Iterable<Item>,
  size: number,
  call: (batch: Item[]) => Promise<Answer>,
): Promise<Answer[]> {
  const batches = split([...items], size)
  const answers: Answer[] = []
  for (const together of split(batches, CALLS_MAX)) answers.push(...(await Promise.all(together.map(call))))
  return answers
}

function split<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size))
  return parts
}
