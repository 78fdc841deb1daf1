import { Type } from 'typebox'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { SearchText } from '../../http/parameters.js'
import { namedObject } from '../../lib/named-object.js'
import { LOST, SPORTS } from '../answer-parts.js'
import { presentTeam } from '../leagues/present.js'
import { Fallback, Team } from '../leagues/schemas.js'
import type { SportsDeps } from '../sources.js'
import { findTeams } from './find-teams.js'
import type { FoundEvent } from './queries.js'
import { searchEvents } from './search-events.js'

const CACHE_MS = 60_000
const FALLBACK_CACHE_MS = 5_000

const FoundRow = namedObject('FoundGame', {
  id: Type.String(),
  title: Type.String(),
  slug: Type.String({ description: 'of a game: what `/v2/sports/games/{slug}` takes' }),
  category: Type.String(),
  active: Type.Boolean(),
  closed: Type.Boolean(),
  volume: Type.Number({ description: 'dollars' }),
})

const presentFoundEvent = (event: FoundEvent) => ({
  id: event.id,
  title: event.title ?? '',
  slug: event.slug ?? '',
  category: 'Sports',
  active: event.active ?? false,
  closed: event.closed ?? false,
  volume: event.volume ?? 0,
})

const sportsSearch = defineAnswer({
  path: '/v2/sports/search',
  operationId: 'searchSports',
  summary: 'Search of sports events and teams',
  description: `Events of sports, seasons and other futures too, as the platform's search finds them, and the teams of all
leagues whose names have all words at beginnings of words. While the platform's search does not answer, titles are searched, and then
our copy of its catalogue: \`fallback\` is true then. An answer is repeated for a minute.`,
  ...SPORTS,
  errors: LOST,
  cacheMs: ({ fallback }) => (fallback ? FALLBACK_CACHE_MS : CACHE_MS),
  query: Type.Object({
    q: SearchText,
    limit: Type.Integer({ minimum: 1, maximum: 50, default: 20 }),
  }),
  reply: namedObject('SportsSearch', {
    query: Type.String(),
    source: Type.String(),
    fallback: Fallback,
    count: Type.Integer({ description: 'how many events are in this answer' }),
    results: Type.Array(FoundRow),
    teams: Type.Array(Team),
  }),
  answer: async (tools: AnswerTools<SportsDeps>, { q, limit }) => {
    const [found, teams] = await Promise.all([searchEvents(tools, q, limit), findTeams(tools, q, limit)])
    return {
      query: q,
      source: found.source,
      fallback: found.isFallback,
      count: found.value.length,
      results: found.value.map(presentFoundEvent),
      teams: teams.map(presentTeam),
    }
  },
})

export const sportsSearchRoutes = endpointRoutes([sportsSearch])
