import { Type } from 'typebox'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { namedObject } from '../../lib/named-object.js'
import { cacheFor, SPORTS } from '../answer-parts.js'
import { Fallback, Stale } from '../leagues/schemas.js'
import type { SportsDeps } from '../sources.js'
import type { MarketType as Kind } from './market-type.js'
import { createSportFilter, listMarketTypes } from './market-types.js'
import { MARKET_CATEGORIES } from './type-table.js'

const MarketTypeRow = namedObject('SportsMarketType', {
  code: Type.String({ description: '`sportsMarketType` of markets' }),
  label: Type.String(),
  category: Type.Unsafe<Kind['category']>(Type.String({ enum: [...MARKET_CATEGORIES] })),
  sports: Type.Array(Type.String(), { description: 'which sports have it; `*` stands for all' }),
})

const presentMarketType = ({ sports, ...type }: Kind) => ({
  ...type,
  sports: sports === undefined ? ['*'] : [...sports],
})

const marketTypes = defineAnswer({
  path: '/v2/sports/market-types',
  operationId: 'listSportsMarketTypes',
  summary: 'Kinds of sports markets',
  description: `The codes that the platform lists, read again after an hour, with a label and a category for each. A code
that is new gets a label from its words.`,
  ...SPORTS,
  cacheMs: cacheFor(30_000),
  query: Type.Object({
    sport: Type.Optional(
      Type.String({
        format: 'any-case',
        pattern: '^[A-Za-z0-9_-]{1,40}$',
        description: 'a sport, such as `basketball`, or the code of a league',
        examples: ['nba'],
      }),
    ),
  }),
  reply: namedObject('SportsMarketTypes', {
    source: Type.String(),
    fallback: Fallback,
    stale: Stale,
    count: Type.Integer(),
    marketTypes: Type.Array(Type.String()),
    market_types: Type.Array(MarketTypeRow),
  }),
  answer: async (tools: AnswerTools<SportsDeps>, { sport }) => {
    const isWanted = sport === undefined ? () => true : await createSportFilter(tools, sport)
    const { types, source, isFallback, isStale } = await listMarketTypes(tools)
    const wanted = types.filter(isWanted)
    return {
      source,
      fallback: isFallback,
      stale: isStale,
      count: wanted.length,
      marketTypes: wanted.map(({ code }) => code),
      market_types: wanted.map(presentMarketType),
    }
  },
})

export const sportsMarketTypeRoutes = endpointRoutes([marketTypes])
