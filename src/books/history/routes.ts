import { type Static, type TObject, Type } from 'typebox'
import { V3, V3_HEAVY } from '../../accounts/access.js'
import { badRequest, notFound } from '../../core/errors.js'
import { parseTokenId, toTokenId } from '../../core/ids.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { defineList, type List, type ListView, type PaginationContext } from '../../http/list.js'
import { ConditionId, Slug, TokenId } from '../../http/parameters.js'
import { errorReply } from '../../lib/error-reply.js'
import type { Sql } from '../../store/connection.js'
import { type BookQuery, selectBookTokens } from '../queries.js'
import { findRecordedToken, readBookAt } from '../recording/read-recorded.js'
import { presentDepthRow, presentHistoryRow, presentRecordedBook, presentSpan } from './present.js'
import { selectNewestMoment, selectSpansAround, selectSpansWithin, type TokenSpan } from './queries.js'
import {
  type BookSample,
  type BookSeries,
  copyIfKnown,
  type SampledToken,
  sampleBooks,
} from './sample-books.js'
import {
  AtParameter,
  BOOK_INTERVALS,
  BookDepthRow,
  BookHistoryRow,
  type BookInterval,
  LevelsParameter,
  OutcomeBooksReply,
  RECORDED,
  ROW_LEVELS_MAX,
  SeriesParameters,
  TokenBookReply,
  WithinParameter,
} from './schemas.js'

const HOUR_MS = 3_600_000
/** A condition has few outcomes; those with more tokens are shown by token. */
const TOKENS_MAX = 50
/** Of a series: a day of seconds for two outcomes is less. */
const ROWS_MAX = 200_000
/** Spans that an answer names. */
const SPANS_MAX = 100
/** The changes of five minutes may have to be read for each row of a page. */
const PAGE_MAX = 200

const RECORDING = `Books are recorded while \`AUSPEX_RECORD_BOOKS\` is on. A moment before the recording, or in a gap of
it, has no book: the answer is 404, with the spans before and after it that are recorded.`

const SERIES = `Oldest first, a row for each multiple of \`interval\` and each outcome, at most ${ROWS_MAX} in all. A
moment in a gap has a row with \`is_recorded\` false and no values. Where nothing of the range is recorded the answer
is 404, with the spans before and after it that are.`

const HEAD = {
  tag: 'markets',
  errors: { 404: errorReply('There is no such market, or its book was not recorded then') },
}

/** What a path names: the tokens whose books are shown. */
type Subject<Params extends TObject> = {
  path: string
  /** Ends the names of the operations. */
  suffix: string
  of: string
  params: Params
  toQuery: (input: Static<Params>) => BookQuery
}

const TOKEN: Subject<TObject<{ token_id: typeof TokenId }>> = {
  path: '/v3/markets/:token_id',
  suffix: '',
  of: 'an outcome token',
  params: Type.Object({ token_id: TokenId }),
  // A number that is too large for a token id has no bytes, and no token has none.
  toQuery: ({ token_id: id }) => ({ token: parseTokenId(id) ?? '0x' }),
}

const CONDITION: Subject<TObject<{ condition_id: typeof ConditionId }>> = {
  path: '/v3/markets/condition/:condition_id',
  suffix: 'OfCondition',
  of: 'every outcome of a condition',
  params: Type.Object({ condition_id: ConditionId }),
  toQuery: ({ condition_id: condition }) => ({ condition }),
}

const SLUG: Subject<TObject<{ slug: typeof Slug }>> = {
  path: '/v3/markets/slug/:slug',
  suffix: 'OfSlug',
  of: 'every outcome of a market',
  params: Type.Object({ slug: Slug }),
  toQuery: ({ slug }) => ({ slug }),
}

type Moment = { at?: number; levels: number }

const MOMENT = {
  ...HEAD,
  access: V3,
  dependsOnChain: false,
  description: RECORDING,
  query: Type.Object({ ...AtParameter, ...LevelsParameter }),
}

const tokenBook = defineAnswer({
  ...MOMENT,
  path: `${TOKEN.path}/book`,
  operationId: 'getRecordedBook',
  summary: `Order book of ${TOKEN.of} at a moment`,
  params: TOKEN.params,
  reply: TokenBookReply,
  answer: async (tools, input) => {
    const { at, books } = await readMoment(tools, TOKEN.toQuery(input), input)
    const [book] = books
    if (book === undefined) throw new Error('a moment without a book was not refused')
    return { at, ...book }
  },
})

const outcomeBooks = <Params extends TObject>({ path, suffix, of, params, toQuery }: Subject<Params>) =>
  defineAnswer({
    ...MOMENT,
    path: `${path}/book`,
    operationId: `getRecordedBook${suffix}`,
    summary: `Order books of ${of} at a moment`,
    params,
    reply: OutcomeBooksReply,
    answer: (tools, input) => readMoment(tools, toQuery(input), input),
  })

async function readMoment(
  { sql, nowMs }: AnswerTools,
  query: BookQuery,
  { at: requestedMs, levels }: Moment,
) {
  const tokens = await findTokens(sql, query)
  const at = requestedMs ?? (await selectNewestMoment(sql, idsOf(tokens))) ?? nowMs
  const books = []
  for (const token of tokens) {
    const recorded = await findRecordedToken(sql, token.tokenId)
    const live = recorded && (await readBookAt(sql, recorded, at))
    const book = live && copyIfKnown(live)
    if (book !== undefined) books.push(presentRecordedBook(token, book, levels || ROW_LEVELS_MAX))
  }
  if (books.length === 0) throw await notRecorded(sql, tokens, { fromMs: at, toMs: at })
  return { at, books }
}

type RecordedSeries = BookSeries & { spans: readonly TokenSpan[] }

const SERIES_HEAD = {
  ...HEAD,
  access: V3_HEAVY,
  description: SERIES,
  narrowBy: ['a longer interval', 'limit'],
  page: { name: 'data', limitMax: PAGE_MAX },
  extra: {
    fields: RECORDED,
    select: async (_sql: Sql, { scope }: { scope: RecordedSeries | undefined }) => ({
      recorded: scope === undefined ? [] : scope.spans.map(presentSpan),
    }),
  },
}

/** Rows are numbered from the begin of the series, so that a page anywhere in it costs the same. */
const viewOf = <Shown>(
  row: TObject,
  present: (sample: BookSample, shown: Shown) => object,
): ListView<RecordedSeries & Shown> => ({
  row,
  select: async (sql, series, { limit, offset, after }) => {
    const first = after === undefined ? offset : Number(after[0]) + 1
    const end = Math.min(first + limit, series.rows)
    const samples = await sampleBooks(sql, series, { first, end })
    return {
      values: samples.map((sample) => present(sample, series)),
      hasMore: end < series.rows,
      lastKey: samples.length === 0 ? undefined : [end - 1],
    }
  },
})

const historyView = viewOf(BookHistoryRow, (sample, { levels }: { levels: number }) =>
  presentHistoryRow(sample, levels || ROW_LEVELS_MAX),
)
const depthView = viewOf(BookDepthRow, (sample, { within }: { within: string }) =>
  presentDepthRow(sample, within),
)

const historyOf = <Params extends TObject>({ path, suffix, of, params, toQuery }: Subject<Params>): List =>
  defineList({
    ...SERIES_HEAD,
    path: `${path}/book/history`,
    operationId: `listBookHistory${suffix}`,
    summary: `Order book of ${of} over time`,
    params,
    query: Type.Object({ ...SeriesParameters, ...LevelsParameter }),
    view: historyView,
    resolve: async (sql, input, pagination) => ({
      ...(await resolveSeries(sql, toQuery(input), input, pagination)),
      levels: input.levels,
    }),
  })

const depthOf = <Params extends TObject>({ path, suffix, of, params, toQuery }: Subject<Params>): List =>
  defineList({
    ...SERIES_HEAD,
    path: `${path}/book/depth`,
    operationId: `listBookDepth${suffix}`,
    summary: `Depth, spread, imbalance and middle of the book of ${of} over time`,
    params,
    query: Type.Object({ ...SeriesParameters, ...WithinParameter }),
    view: depthView,
    resolve: async (sql, input, pagination) => ({
      ...(await resolveSeries(sql, toQuery(input), input, pagination)),
      within: input.within,
    }),
  })

/** `until`: where a series without `to` ended when its first page was made. */
async function resolveSeries(
  sql: Sql,
  query: BookQuery,
  { from, to, interval }: { from?: number; to?: number; interval: BookInterval },
  { until, nowMs }: PaginationContext,
): Promise<RecordedSeries & { until: number }> {
  const toMs = to ?? until ?? nowMs
  const fromMs = from ?? toMs - HOUR_MS
  if (fromMs > toMs)
    throw badRequest('Invalid range: `from` must not be later than `to`, which is now by default.')
  const tokens = await findTokens(sql, query)
  const stepMs = BOOK_INTERVALS[interval]
  const firstMs = Math.ceil(fromMs / stepMs) * stepMs
  const rows = Math.max(0, Math.floor((toMs - firstMs) / stepMs) + 1) * tokens.length
  if (rows > ROWS_MAX) {
    throw badRequest(
      `Invalid interval: between \`from\` and \`to\` are ${rows} rows, at most ${ROWS_MAX} are allowed.`,
    )
  }
  const range = { fromMs, toMs }
  const spans = await selectSpansWithin(sql, idsOf(tokens), { ...range, limit: SPANS_MAX })
  if (spans.length === 0) throw await notRecorded(sql, tokens, range)
  return { tokens, firstMs, stepMs, rows, spans, until: toMs }
}

/** By outcome. A token that the catalogue does not have may have been recorded all the same. */
async function findTokens(sql: Sql, query: BookQuery): Promise<SampledToken[]> {
  const found = await selectBookTokens(sql, query, TOKENS_MAX)
  if (found.length > 0) return found
  if ('token' in query && query.token !== '0x') return [{ tokenId: toTokenId(query.token), outcome: null }]
  throw notFound('market token not found', { hint: 'GET /v3/markets/search finds markets by words.' })
}

const idsOf = (tokens: readonly SampledToken[]) => tokens.map(({ tokenId }) => tokenId)

/** The refusal, with what is recorded before and after the range. */
async function notRecorded(
  sql: Sql,
  tokens: readonly SampledToken[],
  range: { fromMs: number; toMs: number },
) {
  const { before, after } = await selectSpansAround(sql, idsOf(tokens), range)
  return notFound('book not recorded', {
    recorded_before: before === undefined ? null : presentSpan(before),
    recorded_after: after === undefined ? null : presentSpan(after),
    hint:
      before === undefined && after === undefined
        ? 'No book of this market was ever recorded; AUSPEX_RECORD_BOOKS says which are.'
        : 'Ask for a moment inside of one of these spans.',
  })
}

export const bookHistory = historyOf(TOKEN)
export const bookHistoryOfCondition = historyOf(CONDITION)
export const bookHistoryOfSlug = historyOf(SLUG)
export const bookDepth = depthOf(TOKEN)
export const bookDepthOfCondition = depthOf(CONDITION)
export const bookDepthOfSlug = depthOf(SLUG)

export const bookHistoryRoutes = endpointRoutes([
  tokenBook,
  outcomeBooks(CONDITION),
  outcomeBooks(SLUG),
  bookHistory,
  bookHistoryOfCondition,
  bookHistoryOfSlug,
  bookDepth,
  bookDepthOfCondition,
  bookDepthOfSlug,
])
