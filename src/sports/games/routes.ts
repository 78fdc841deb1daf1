import { Type } from 'typebox'
import { endpointRoutes } from '../../http/endpoint.js'
import { defineGameAnswers } from './game-answers.js'
import { presentGame } from './present.js'
import { GameReply } from './schemas.js'

/** Beside the time of the copy that it is made from. */
const CACHE_MS = 5_000
/** The platform may answer again at any moment. */
const STALE_MS = 1_000

const GAME_DESCRIPTION = `A match-up with all its markets: those of its main event and of its companion events, moneyline,
spreads and totals first. A slug, an event or a market of a companion leads to the game too. While the platform
does not answer, the last copy of up to 12 hours is shown with \`stale\`.`

export const gameRoutes = endpointRoutes([
  ...defineGameAnswers({
    suffix: '',
    operationId: 'getGame',
    summary: 'A game with its markets',
    description: GAME_DESCRIPTION,
    query: Type.Object({}),
    reply: GameReply,
    cacheMs: ({ stale }) => (stale ? STALE_MS : CACHE_MS),
    answer: ({ baseUrl }, { value, isStale }) => ({
      ...presentGame(value, baseUrl),
      ...(isStale && { stale: true as const }),
    }),
  }),
])
