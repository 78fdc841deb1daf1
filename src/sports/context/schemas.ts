import { Type } from 'typebox'
import { oneOf } from '../../http/parameters.js'
import { namedObject } from '../../lib/named-object.js'
import { OnlineResult } from '../../lookups/online-result.js'
import { PostSchema } from '../../lookups/posts/post.js'
import { GameStateReply } from '../quotes/schemas.js'
import { QUERY_SETS } from './game-queries.js'

export const QUERIES_MAX = 5
export const PER_QUERY_MAX = 10

const CONTEXT_SOURCES = ['social', 'online'] as const
export type ContextSource = (typeof CONTEXT_SOURCES)[number]

/** What callers may call a source, and its own name. */
export const SOURCE_NAMES: ReadonlyMap<string, ContextSource> = new Map([
  ...['social', 'x', 'twitter'].map((name) => [name, 'social'] as const),
  ...['online', 'web', 'search', 'ddg', 'ddg_instant'].map((name) => [name, 'online'] as const),
])

const capped = (standard: number, max: number, what: string) =>
  Type.Integer({
    minimum: 1,
    default: standard,
    description: `${what}; more than ${max} counts as ${max}`,
  })

export const GameContextFilters = Type.Object({
  sources: Type.String({
    format: 'any-case',
    default: 'social',
    maxLength: 200,
    pattern: `^([^,]*,)* *(${[...SOURCE_NAMES.keys()].join('|')}) *(,.*)?$`,
    description:
      'comma-separated: social, or online, which web, search, ddg and ddg_instant mean too; others are ignored',
  }),
  query_set: oneOf(QUERY_SETS, 'what the queries are about', {
    title: 'QuerySet',
    default: 'default',
  }),
  max_queries: capped(3, QUERIES_MAX, 'how many queries each source is asked'),
  max_per_query: capped(5, PER_QUERY_MAX, 'how many results of a query'),
  include_state: Type.Boolean({ default: false, description: 'with the state of the game' }),
  price_limit_tokens: capped(20, 200, 'how many tokens of the state have prices'),
})

const STATUS = {
  status: oneOf(
    ['ok', 'partial', 'error', 'quota_exceeded', 'not_available'],
    '`partial`: a part did not come; `not_available`: not with this plan, or not on this server',
  ),
  error: Type.Optional(Type.String({ description: 'why something is missing' })),
}

const QUERY = { id: Type.String(), query: Type.String(), ...STATUS }

const ResultCount = Type.Integer({ minimum: 0 })

export const GameContextReply = namedObject('GameContext', {
  slug: Type.String(),
  title: Type.String(),
  stale: Type.Optional(
    Type.Literal(true, { description: 'the platform does not answer: the game is a last copy' }),
  ),
  query_set: oneOf(QUERY_SETS, 'what the queries are about', { title: 'QuerySet' }),
  generated_queries: Type.Array(
    namedObject('GeneratedQuery', {
      id: Type.String(),
      query: Type.String(),
      reason: Type.String(),
    }),
  ),
  sources_requested: Type.Array(oneOf(CONTEXT_SOURCES, 'by their own names', { title: 'ContextSource' })),
  sources: Type.Object({
    social: Type.Optional(
      Type.Object({
        ...STATUS,
        result_count: ResultCount,
        queries: Type.Array(namedObject('SocialQuery', { ...QUERY, tweets: Type.Array(PostSchema) })),
      }),
    ),
    online: Type.Optional(
      Type.Object({
        ...STATUS,
        source: Type.Literal('search_online'),
        adapter: Type.Literal('searxng'),
        result_count: ResultCount,
        queries: Type.Array(namedObject('OnlineQuery', { ...QUERY, results: Type.Array(OnlineResult) })),
      }),
    ),
  }),
  state: Type.Optional(GameStateReply),
  state_error: Type.Optional(Type.String({ description: 'why the state that was asked for is missing' })),
})
