import { Type } from 'typebox'
import { defineAnswer } from '../../http/answer.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { cacheFor, LOST, NO_LEAGUE, SPORTS } from '../answer-parts.js'
import { findLeague } from '../leagues/leagues.js'
import { LeagueCode } from '../leagues/schemas.js'
import { defineGameAnswers } from './game-answers.js'
import { CLOSED_GAMES_MAX } from './game-sources.js'
import { listLeagueGames } from './league-games.js'
import { pageGames } from './pick-games.js'
import { presentGame } from './present.js'
import { GameReply, LeagueGamesQuery, LeagueGamesReply } from './schemas.js'

/** Beside the time of the copy that it is made from. */
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
    answer: async (tools, { league: code, ...query }) => {
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
