import { Type } from 'typebox'
import { type AnswerTools, defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import type { GammaSport } from '../../upstreams/gamma/parse-sports.js'
import { cacheFor, LOST, NO_LEAGUE, SPORTS } from '../answer-parts.js'
import { findLeague } from '../leagues/leagues.js'
import { LeagueCode } from '../leagues/schemas.js'
import { readFirstOrStale, type Sourced, type SportsDeps, type SportsTools } from '../sources.js'
import { type Game, gameStatusOf } from './game.js'
import { defineGameAnswers } from './game-answers.js'
import { CLOSED_GAMES_MAX, gameSourcesOf } from './game-sources.js'
import { pageGames } from './pick-games.js'
import { presentGame } from './present.js'
import { GameReply, LeagueGamesQuery, LeagueGamesReply } from './schemas.js'

/** Added to the time for which the game itself is cached. */
const CACHE_MS = 5_000

const GAME_DESCRIPTION = `A match-up with all its markets: those of its main event and of its companion events, moneyline,
spreads and totals first. A slug, an event or a market of a companion leads to the game too. While the platform
does not answer, the last copy of up to 12 hours is shown with \`stale\`.`

const LIST_DESCRIPTION = `Match-ups of a league, without futures; markets of companion events are shown by the game itself.
While the usual list of the platform does not answer, others are read and \`fallback\` is true; while none does, the last
copy of up to 12 hours is shown with \`stale\`. Of closed games the newest ${CLOSED_GAMES_MAX} are there.`

export const gameRoutes = endpointRoutes([
  defineAnswer({
    ...SPORTS,
    path: '/v2/sports/leagues/:league/games',
    operationId: 'listLeagueGames',
    summary: 'Games of a league',
    description: LIST_DESCRIPTION,
    params: Type.Object({ league: LeagueCode }),
    query: LeagueGamesQuery,
    reply: LeagueGamesReply,
    isPerHost: true,
    cacheMs: cacheFor(CACHE_MS),
    errors: { ...LOST, ...NO_LEAGUE },
    answer: async (tools: AnswerTools<SportsDeps>, { league: code, ...query }) => {
      const league = await findLeague(tools, code)
      const listed = await listLeagueGames(tools, league, query.status)
      const games = pageGames(listed.value, query)
      return {
        league: league.sport,
        status: query.status,
        series_id: league.series ?? null,
        source: listed.source,
        fallback: listed.isFallback,
        stale: listed.isStale,
        count: games.length,
        total: listed.value.length,
        games: games.map((game) => presentGame(game, tools.baseUrl)),
      }
    },
  }),
  ...defineGameAnswers({
    suffix: '',
    operationId: 'getGame',
    summary: 'A game with its markets',
    description: GAME_DESCRIPTION,
    query: Type.Object({}),
    reply: GameReply,
    cacheMs: cacheFor(CACHE_MS),
    answer: ({ baseUrl }, { value, isStale }) => ({
      ...presentGame(value, baseUrl),
      ...(isStale && { stale: true as const }),
    }),
  }),
])

const FRESH_MS = 30_000

/** `active`: upcoming and in play. `closed`: finished, also when the markets are not settled yet. */
type ListStatus = 'active' | 'closed'

type LeagueGames = Sourced<Game[]> & { isStale: boolean }

/** Every game that Gamma lists is under one status, with the markets of its main event. */
async function listLeagueGames(
  tools: SportsTools,
  league: GammaSport,
  status: ListStatus,
): Promise<LeagueGames> {
  if (status === 'active') {
    const open = await readGames(tools, league, false)
    return { ...open, value: open.value.filter((game) => gameStatusOf(game) !== 'final') }
  }
  const [open, closed] = await Promise.all([readGames(tools, league, false), readGames(tools, league, true)])
  const settled = new Set(closed.value.map(({ id }) => id))
  const unsettled = open.value.filter((game) => gameStatusOf(game) === 'final' && !settled.has(game.id))
  return {
    value: [...unsettled, ...closed.value],
    source: [...new Set([closed.source, open.source])].join('+'),
    isFallback: open.isFallback || closed.isFallback,
    isStale: open.isStale || closed.isStale,
  }
}

/** An empty list is believed only when no source has a game. */
async function readGames(tools: SportsTools, league: GammaSport, closed: boolean): Promise<LeagueGames> {
  const { value, isStale } = await readFirstOrStale(tools, {
    key: `sports games ${league.sport} ${closed ? 'closed' : 'open'}`,
    freshMs: FRESH_MS,
    sources: gameSourcesOf(tools, league, closed),
    isSuitable: (games) => games.length > 0,
  })
  return { ...value, isStale }
}
