import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { badRequest, notFound } from '../../core/errors.js'
import { toTokenId } from '../../core/ids.js'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { ConditionId, Slug, TokenId } from '../../http/parameters.js'
import { errorReply } from '../../lib/error-reply.js'
import { groupBy } from '../../lib/group-by.js'
import type { Sql } from '../../store/connection.js'
import { fillGaps, type TokenCandle } from './candle.js'
import {
  presentCandle,
  presentPagination,
  presentSeriesMarket,
  presentWindow,
  type Sides,
} from './present.js'
import {
  type SeriesSubject,
  type SeriesToken,
  selectCandles,
  selectSeriesTokens,
  selectWindowSides,
} from './queries.js'
import { CandleSeriesReply, OutcomeParameter, TokenCandlesReply, WindowParameters } from './schemas.js'
import { type CandleWindow, resolveWindow, type WindowRequest } from './window.js'

const OUTCOMES_MAX = 50
const HINT = 'GET /v3/markets/search finds markets by words.'

const HEAD = {
  tag: 'markets',
  access: V3,
  narrowBy: ['a longer resolution', 'limit'],
  errors: { 404: errorReply('There is no such market or outcome token') },
}

const DESCRIPTION =
  'Candles are made of the fills of orders that took, so that each match counts once; fees are not in the prices. Buckets begin at multiples of the resolution in Unix time. A window is `limit` buckets before or after `anchor_ts`, or the buckets from `start` to `end`; the running bucket is part of it. `older_end_ts` and `newer_start_ts` are `end` and `start` of the windows beside it.'

const SAME = 'As `/v3/markets/{token_id}/candles`, a series for each outcome.'

type CandleRequest = WindowRequest & { order: 'asc' | 'desc'; gap_fill: boolean }

const nowSecOf = ({ nowMs }: AnswerTools): number => Math.floor(nowMs / 1000)

function presentSeries(
  { market, candles, ...sides }: CandleSeries,
  { resolution, order, gap_fill }: CandleRequest,
  window: CandleWindow,
) {
  const shown = candles.map(presentCandle)
  return {
    ...presentSeriesMarket(market),
    resolution,
    count: shown.length,
    candles: order === 'asc' ? shown : shown.reverse(),
    pagination: presentPagination(window, order, sides),
    gap_fill,
  }
}

const readSeriesOf = (
  tools: AnswerTools,
  { gap_fill: isFilled }: CandleRequest,
  window: CandleWindow,
  markets: readonly SeriesToken[],
): Promise<CandleSeries[]> => readSeries(tools.sql, markets, window, { isFilled, nowSec: nowSecOf(tools) })

const tokenCandles = defineAnswer({
  ...HEAD,
  path: '/v3/markets/:token_id/candles',
  operationId: 'getTokenCandles',
  summary: 'Candles of an outcome token',
  description: DESCRIPTION,
  params: Type.Object({ token_id: TokenId }),
  query: Type.Object(WindowParameters),
  reply: TokenCandlesReply,
  answer: async (tools, input) => {
    const { token_id: tokenId } = input
    const window = resolveWindow(input, nowSecOf(tools))
    const markets = await selectSeriesTokens(tools.sql, { token_id: tokenId })
    const [own] = await readSeriesOf(tools, input, window, markets)
    if (own === undefined) throw tokenNotFound({ token_id: tokenId })
    return { ...presentSeries(own, input, window), window: presentWindow(window, own) }
  },
})

const conditionCandles = defineAnswer({
  ...HEAD,
  path: '/v3/markets/condition/:condition_id/candles',
  operationId: 'getConditionCandles',
  summary: 'Candles of every outcome of a condition',
  description: SAME,
  params: Type.Object({ condition_id: ConditionId }),
  query: Type.Object({ ...WindowParameters, ...OutcomeParameter }),
  reply: Type.Object({ condition_id: Type.String(), ...CandleSeriesReply }),
  answer: async (tools, input) => {
    const { condition_id } = input
    return { condition_id, ...(await answerSeries(tools, { condition_id }, input)) }
  },
})

const slugCandles = defineAnswer({
  ...HEAD,
  path: '/v3/markets/slug/:slug/candles',
  operationId: 'getSlugCandles',
  summary: 'Candles of every outcome of a market',
  description: SAME,
  params: Type.Object({ slug: Slug }),
  query: Type.Object({ ...WindowParameters, ...OutcomeParameter }),
  reply: Type.Object({ slug: Type.String(), ...CandleSeriesReply }),
  answer: async (tools, input) => {
    const { slug } = input
    return { slug, ...(await answerSeries(tools, { slug }, input)) }
  },
})

async function answerSeries(
  tools: AnswerTools,
  subject: SeriesSubject,
  input: CandleRequest & { token_id?: string },
) {
  const window = resolveWindow(input, nowSecOf(tools))
  const outcomes = await selectSeriesTokens(tools.sql, subject)
  const markets = chooseOutcomes(outcomes, subject, input.token_id)
  const series = await readSeriesOf(tools, input, window, markets)
  const sides: Sides = {
    hasOlder: series.some(({ hasOlder }) => hasOlder),
    hasNewer: series.some(({ hasNewer }) => hasNewer),
  }
  return {
    resolution: input.resolution,
    series_count: series.length,
    series: series.map((each) => presentSeries(each, input, window)),
    window: presentWindow(window, sides),
    pagination: presentPagination(window, input.order, sides),
    gap_fill: input.gap_fill,
  }
}

function chooseOutcomes(
  outcomes: readonly SeriesToken[],
  subject: SeriesSubject,
  tokenId: string | undefined,
): readonly SeriesToken[] {
  if (outcomes.length === 0) throw tokenNotFound(subject)
  if (tokenId === undefined) {
    if (outcomes.length <= OUTCOMES_MAX) return outcomes
    throw badRequest(
      `Missing token_id: the market has more than ${OUTCOMES_MAX} outcomes; choose one with token_id.`,
    )
  }
  const chosen = outcomes.filter(({ token }) => toTokenId(token) === tokenId)
  if (chosen.length === 0) {
    throw badRequest('Invalid token_id: it is no outcome of this market; leave out token_id.')
  }
  return chosen
}

const tokenNotFound = (subject: SeriesSubject) =>
  notFound('market token not found', { ...subject, hint: HINT })

export const marketCandleRoutes = endpointRoutes([tokenCandles, conditionCandles, slugCandles])

/** The candles of a token in a window, oldest first, and whether it has others on both sides. */
type CandleSeries = {
  market: SeriesToken
  candles: readonly TokenCandle[]
  hasOlder: boolean
  hasNewer: boolean
}

/** The series of tokens, in their order. */
async function readSeries(
  sql: Sql,
  markets: readonly SeriesToken[],
  window: CandleWindow,
  { isFilled, nowSec }: { isFilled: boolean; nowSec: number },
): Promise<CandleSeries[]> {
  const tokens = markets.flatMap(({ id }) => (id === null ? [] : [id]))
  const [candles, sides] = await Promise.all([
    selectCandles(sql, tokens, window),
    selectWindowSides(sql, tokens, window),
  ])
  const candlesOf = groupBy(candles, ({ token }) => token)
  const sidesOf = new Map(sides.map((each) => [each.token, each]))
  return markets.map((market) => {
    const side = sidesOf.get(market.id ?? NO_TOKEN)
    if (side === undefined) return { market, candles: [], hasOlder: false, hasNewer: false }
    const { token, hasOlder, hasNewer, closeBefore } = side
    const traded = candlesOf.get(token) ?? []
    return {
      market,
      candles: isFilled ? fillGaps(traded, { token, ...window, closeBefore, nowSec }) : traded,
      hasOlder,
      hasNewer,
    }
  })
}

const NO_TOKEN = -1
