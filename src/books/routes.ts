import { Type } from 'typebox'
import { STANDARD } from '../accounts/access.js'
import { badRequest, notFound } from '../core/errors.js'
import { parseBytes32, parseTokenId, toTokenId } from '../core/ids.js'
import { type AnswerTools, defineAnswer } from '../http/answer.js'
import { endpointRoutes } from '../http/endpoint.js'
import { PARAMETER_READERS } from '../http/parameters.js'
import { errorReply } from '../lib/error-reply.js'
import type { ClobClient } from '../upstreams/clob/client.js'
import type { ClobBook } from '../upstreams/clob/parse.js'
import { withUpstreamTimeout } from '../upstreams/transport/upstream-timeout.js'
import type { CurrentBook, LiveBook } from './live-book.js'
import type { LiveBooks } from './live-books.js'
import { presentBook, presentMetadata, presentMidpoint, presentSpread } from './present.js'
import { type BookQuery, type BookToken, selectBookTokens } from './queries.js'
import { BookId, MidpointReply, OrderbookReply, SpreadReply } from './schemas.js'

/** Of an event with more tokens the first ones are shown. */
const TOKENS_MAX = 200

const DESCRIPTION = `From the live order books, which are those of the \`orderbook\` stream. A condition or an event has its
tokens in \`outcomes\`, at most ${TOKENS_MAX}. While the exchange does not answer and the book is not live, the answer
is 502.`

const COMMON = {
  tag: 'markets',
  access: STANDARD,
  dependsOnChain: false,
  description: DESCRIPTION,
  params: Type.Object({ id: BookId }),
  errors: {
    404: errorReply('There is no such token, condition or event, or it has no book now'),
    502: errorReply('The exchange does not answer, and the book is not live'),
  },
}

type BookDeps = { books: LiveBooks; clob: ClobClient }

export const bookRoutes = endpointRoutes([
  defineAnswer({
    ...COMMON,
    path: '/v1/orderbook/:id',
    operationId: 'getOrderbook',
    summary: 'Order book of a token, a condition or an event',
    reply: OrderbookReply,
    answer: (tools: AnswerTools<BookDeps>, { id }) =>
      answerBooks(tools, id, {
        ofToken: (book, token) => ({
          ...presentBook(book, token),
          ...(token !== undefined && { metadata: presentMetadata(token) }),
        }),
        ofOutcome: presentBook,
      }),
  }),
  defineAnswer({
    ...COMMON,
    path: '/v1/midpoint/:id',
    operationId: 'getMidpoint',
    summary: 'Middle between the best bid and the best ask',
    reply: MidpointReply,
    answer: (tools: AnswerTools<BookDeps>, { id }) =>
      answerBooks(tools, id, {
        ofToken: (book, token) => ({ mid: presentMidpoint(book), ...headOf(book, token) }),
        ofOutcome: (book) => ({ mid: presentMidpoint(book) }),
      }),
  }),
  defineAnswer({
    ...COMMON,
    path: '/v1/spread/:id',
    operationId: 'getSpread',
    summary: 'Best ask minus best bid',
    reply: SpreadReply,
    answer: (tools: AnswerTools<BookDeps>, { id }) =>
      answerBooks(tools, id, {
        ofToken: (book, token) => ({ spread: presentSpread(book), ...headOf(book, token) }),
        ofOutcome: (book) => ({ spread: presentSpread(book) }),
      }),
  }),
])

type Shape<Token, Outcome> = {
  ofToken: (book: CurrentBook, token: BookToken | undefined) => Token
  ofOutcome: (book: CurrentBook, token: BookToken) => Outcome
}

const headOf = ({ tokenId }: CurrentBook, token: BookToken | undefined) => ({
  token_id: tokenId,
  question: token?.question ?? null,
  slug: token?.slug ?? null,
})

async function answerBooks<Token extends object, Outcome extends object>(
  { deps, sql, caller }: AnswerTools<BookDeps>,
  id: string,
  shape: Shape<Token, Outcome>,
) {
  const query = parseBookId(id)
  const sources = { ...deps, accountId: caller.accountId }
  const tokens = await selectBookTokens(sql, query, TOKENS_MAX)
  if ('token' in query) {
    const tokenId = toTokenId(query.token)
    // The book of a token that the catalogue does not have is read once, and not followed.
    const read = tokens.length === 0 ? fetchBooks : readBooks
    const book = (await read(sources, [tokenId])).get(tokenId)
    if (book === undefined) throw notFound()
    return shape.ofToken(book, tokens[0])
  }
  const ids = tokens.map(({ tokenId }) => tokenId)
  const books = await readBooks(sources, ids)
  const outcomes = tokens.flatMap((token) => {
    const book = books.get(token.tokenId)
    if (book === undefined) return []
    const { tokenId: token_id, outcome, question } = token
    return { token_id, outcome, question, ...shape.ofOutcome(book, token) }
  })
  if (outcomes.length === 0) throw notFound()
  return { ...describeGroup(query, tokens), outcomes }
}

function describeGroup(query: BookQuery, tokens: readonly BookToken[]) {
  const [{ question = null, eventTitle = null, slug = null } = {}] = tokens
  const isOneMarket = new Set(tokens.map(({ condition }) => condition)).size === 1
  return {
    ...('condition' in query && { condition_id: query.condition }),
    slug: 'eventSlug' in query ? query.eventSlug : slug,
    question: isOneMarket ? question : eventTitle,
    event_title: eventTitle,
  }
}

function parseBookId(id: string): BookQuery {
  if (/^0x/i.test(id)) {
    const condition = parseBytes32(PARAMETER_READERS['condition-id']?.(id))
    if (condition !== undefined) return { condition }
    throw badRequest('Invalid id: a condition is 0x and 64 hexadecimal digits')
  }
  if (!/^\d+$/.test(id)) return { eventSlug: id }
  const token = parseTokenId(id)
  if (token !== undefined) return { token }
  throw badRequest('Invalid id: a token is a decimal number below 2^256')
}

/** How long a request waits for live books; then the exchange is called. */
const LOAD_MS_MAX = 1_000

/** `accountId`: who pays for calls of the exchange. */
type Sources = { books: LiveBooks; clob: Pick<ClobClient, 'getBooks'>; accountId: number }

/**
 * The live books of tokens; of those that are not live, what the exchange answers. Tokens without a
 * book are absent. The books are followed for a while, because callers request the same ones again.
 */
async function readBooks(
  { books, ...exchange }: Sources,
  tokenIds: readonly string[],
): Promise<Map<string, CurrentBook>> {
  // Apart from the sockets of the account, whose readers are not counted by requests.
  const owner = `requests of ${exchange.accountId}`
  const refused = new Set(books.follow(tokenIds, owner))
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
    books.release(followed, owner)
  }
}

const isLive = ({ state }: LiveBook): boolean => state === 'live'

/** What the exchange answers itself. Throws an `UpstreamError` when it does not. */
async function fetchBooks(
  { clob, accountId }: Omit<Sources, 'books'>,
  tokenIds: readonly string[],
): Promise<Map<string, ClobBook>> {
  if (tokenIds.length === 0) return new Map()
  return await withUpstreamTimeout('clob', (signal) => clob.getBooks(tokenIds, { signal, accountId }))
}
