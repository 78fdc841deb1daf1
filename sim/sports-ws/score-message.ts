import type { Game, GameState, Team } from '../universe/games/game.js'

/** Games of these never carry their slug: a client has to find them by their id. */
const UNNAMED_OF = 11
/** Of all others one message in ten is without it. */
const SLUGLESS_OF = 10

/** The message about a game, with the fields that the socket has for it at that moment. */
export function presentScore(game: Game, state: GameState, atMs: number) {
  const { id, league, home, away } = game
  const { status, score, period, elapsed, live, ended, turn, finishedMs } = state
  return {
    gameId: id,
    ...(hasSlug(game, atMs) && { slug: game.slug }),
    leagueAbbreviation: league.code,
    homeTeam: showTeam(home),
    awayTeam: showTeam(away),
    status,
    live,
    ended,
    score,
    ...(period !== '' && { period }),
    ...(elapsed !== '' && { elapsed }),
    ...(turn !== undefined && { turn }),
    // Some leagues come from a provider that dates its messages.
    ...(league.id % 2 === 0 && { last_update: new Date(atMs).toISOString() }),
    ...(finishedMs !== undefined && presentFinished(id, finishedMs)),
  }
}

/** Whether every message about the game leaves its slug out. */
export const isUnnamed = ({ id }: Pick<Game, 'id'>): boolean => id % UNNAMED_OF === 3

const hasSlug = (game: Game, atMs: number): boolean =>
  !isUnnamed(game) && Math.floor(atMs / 1000) % SLUGLESS_OF !== game.id % SLUGLESS_OF

const showTeam = ({ name, abbreviation }: Team): string =>
  abbreviation.length <= 4 ? abbreviation.toUpperCase() : name

/** Two spellings, and two ways to write the time. */
const presentFinished = (id: number, ms: number) =>
  id % 2 === 0 ? { finishedTimestamp: ms } : { finished_timestamp: new Date(ms).toISOString() }
