import type { Http, HttpRequest } from './http.js'

type ListAnswer = Record<string, unknown> & {
  next_cursor?: string | null
  has_more?: boolean
  limit?: number
  offset?: number
}

/** The answers of a list, page after page: by cursor where the list has them, else by offset. */
export async function* readPages(http: Http, path: string, request: HttpRequest): AsyncGenerator<object> {
  let query: { offset?: number } & Record<string, unknown> = { ...request.query }
  for (;;) {
    const answer = (await http.request('GET', path, { ...request, query })) as ListAnswer
    yield answer
    const next = nextPage(answer, Number(query.offset ?? 0))
    if (next === undefined) return
    const { offset: _, ...filters } = query
    query = { ...filters, ...next }
  }
}

/** The rows of an answer: its first list of objects. */
export function rowsOf(answer: object): readonly unknown[] {
  const lists = Object.values(answer).filter(Array.isArray)
  return lists.find(([first]) => first === undefined || typeof first === 'object') ?? []
}

/** The parameters of the next page; `undefined`: this was the last one. */
function nextPage(answer: ListAnswer, offset: number): object | undefined {
  const { next_cursor: cursor, has_more: hasMore, limit } = answer
  if (typeof cursor === 'string') return { cursor }
  const { length } = rowsOf(answer)
  // A list that does not say whether there is more ends with a page that is not full, or has no rows.
  const isLast = hasMore === undefined ? length === 0 || length < (limit ?? 0) : !hasMore || cursor === null
  // By the limit: rows that a reorganisation took away are missing on a page, and count.
  return isLast ? undefined : { offset: offset + (limit ?? length) }
}
