import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import type { Endpoint } from '../../http/endpoint.js'
import { errorReply } from '../../lib/error-reply.js'
import type { Cached } from '../../lib/stale-fallback-cache.js'
import { LOST, SPORTS } from '../answer-parts.js'
import type { SportsDeps } from '../sources.js'
import { findGame } from './find-game.js'
import type { Game } from './game.js'
import { GameEventId, GameMarketId, GameSlug } from './schemas.js'

type GameAnswer<Query extends TObject, Reply extends TObject> = {
  /** After the name of the game in the path. */
  suffix: '' | '/state' | '/prices' | '/history' | '/context'
  /** Of the path with a slug; the others append `ByEvent` and `ByMarket`. */
  operationId: string
  summary: string
  description: string
  query: Query
  reply: Reply
  /** How long an answer may be served again. */
  cacheMs?: number | ((reply: Static<Reply>) => number)
  /** Beside 404 and 502. */
  errors?: Record<number, TSchema>
  answer: (
    tools: AnswerTools<SportsDeps>,
    game: Cached<Game>,
    input: Static<Query>,
  ) => Promise<Static<Reply>> | Static<Reply>
}

const ERRORS = {
  404: errorReply('There is no such event or market, or it is not about a game'),
  ...LOST,
}

/** One answer about a game under its three names: by slug, by event and by market. */
export function defineGameAnswers<Query extends TObject, Reply extends TObject>(
  definition: GameAnswer<Query, Reply>,
): Endpoint<SportsDeps>[] {
  const { suffix, operationId, summary, answer, errors, ...rest } = definition
  const common = { ...SPORTS, ...rest, isPerHost: true, errors: { ...ERRORS, ...errors } }
  const path = `/v2/sports/games/:slug${suffix}`
  const description = `As \`${path.replace(':slug', '{slug}')}\`.`
  return [
    defineAnswer({
      ...common,
      path,
      operationId,
      summary,
      params: Type.Object({ slug: GameSlug }),
      answer: async (tools: AnswerTools<SportsDeps>, input) =>
        answer(tools, await findGame(tools, { slug: input.slug }), input),
    }),
    defineAnswer({
      ...common,
      path: `/v2/sports/games/by-event/:event_id${suffix}`,
      operationId: `${operationId}ByEvent`,
      summary: `${summary}, by event`,
      description,
      params: Type.Object({ event_id: GameEventId }),
      answer: async (tools: AnswerTools<SportsDeps>, input) =>
        answer(tools, await findGame(tools, { eventId: input.event_id }), input),
    }),
    defineAnswer({
      ...common,
      path: `/v2/sports/games/by-market/:market_id${suffix}`,
      operationId: `${operationId}ByMarket`,
      summary: `${summary}, by market`,
      description,
      params: Type.Object({ market_id: GameMarketId }),
      answer: async (tools: AnswerTools<SportsDeps>, input) =>
        answer(tools, await findGame(tools, { marketId: input.market_id }), input),
    }),
  ]
}
