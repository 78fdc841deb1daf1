import { databaseTime, isoDate, isoTime } from '../markets/amounts.js'
import type { Game, Side, Team } from '../universe/games/game.js'
import { announcedStartMs } from '../universe/games/game-state.js'
import type { Market, MarketEvent } from '../universe/market.js'
import { hash32 } from '../universe/random.js'
import type { Universe } from '../universe/universe.js'

const MINUTE_MS = 60_000
const SECONDS_DELAY = 3
/** In one of 20 minutes the score is not known, though the game is on. */
const UNKNOWN_SCORE_OF = 20
/** One of four games has no preview. */
const NO_PREVIEW_OF = 4

/** What only events of games have; companions have it all too. */
export function presentGame(universe: Universe, event: MarketEvent): object {
  const { game } = event
  if (game === undefined) return {}
  const startMs = announcedStartMs(game, universe.nowMs)
  return {
    gameId: game.id,
    startTime: isoTime(startMs),
    eventDate: isoDate(startMs),
    homeTeamName: game.home.name,
    awayTeamName: game.away.name,
    teams: presentSides(game),
    ...presentLines(event),
    ...presentScore(universe, game),
    ...presentPreview(event, game),
  }
}

type ScoreFields = {
  gameStatus: string
  live?: boolean
  ended?: boolean
  score?: string | null
  period?: string | null
  elapsed?: string | null
  finishedTimestamp?: string
}

/** The fields of a score. Before the kick-off there are none. */
export function presentScore(universe: Universe, game: Game): ScoreFields {
  const { status, score, period, elapsed, live, ended, finishedMs } = universe.gameState(game)
  if (!live && !ended) return { gameStatus: status }
  const minute = Math.floor(universe.nowMs / MINUTE_MS)
  const isKnown = ended || hash32(game.id, minute, 281) % UNKNOWN_SCORE_OF !== 0
  return {
    gameStatus: status,
    live,
    ended,
    score: isKnown ? orNull(score) : null,
    period: isKnown ? period : null,
    elapsed: isKnown ? orNull(elapsed) : null,
    ...(finishedMs === undefined ? {} : { finishedTimestamp: isoTime(finishedMs) }),
  }
}

const orNull = (text: string): string | null => (text === '' ? null : text)

/** In the order of the league. */
export function presentSides(game: Game): object[] {
  const sides: Side[] = game.league.ordering === 'home' ? ['home', 'away'] : ['away', 'home']
  return sides.map((side) => ({ ...presentTeam(game[side]), ordering: side }))
}

export const presentTeam = (team: Team) => ({
  id: team.id,
  name: team.name,
  league: team.league,
  record: team.record,
  logo: team.logo,
  abbreviation: team.abbreviation,
  alias: team.alias,
  providerId: team.providerId,
  color: team.color,
  createdAt: '2025-08-01T12:00:00Z',
  updatedAt: '2026-11-01T12:00:00Z',
})

/** The middle of its lines is the main one. */
function presentLines({ markets }: MarketEvent) {
  const mainOf = (type: string) => {
    const lines = markets.filter(({ sportsMarketType }) => sportsMarketType === type)
    return lines[Math.floor(lines.length / 2)]?.line
  }
  const spreads = mainOf('spreads')
  const totals = mainOf('totals')
  return {
    ...(spreads === undefined ? {} : { spreadsMainLine: spreads }),
    ...(totals === undefined ? {} : { totalsMainLine: totals }),
  }
}

function presentPreview({ slug }: MarketEvent, game: Game) {
  if (slug !== game.slug || game.id % NO_PREVIEW_OF === 0) return {}
  const { home, away, league } = game
  const text =
    `${away.alias} (${away.record}) visit ${home.alias} (${home.record}) in the ${league.name}. ` +
    `${home.strength >= away.strength ? home.name : away.name} come in as favourites.`
  return { eventMetadata: { context_description: text } }
}

/** What only markets of games have. Here the id of the game is a text. */
export function presentGameMarket(universe: Universe, { event, sportsMarketType, line }: Market) {
  const { game } = event
  if (game === undefined) return {}
  return {
    gameId: String(game.id),
    sportsMarketType,
    ...(line === undefined ? {} : { line }),
    gameStartTime: databaseTime(announcedStartMs(game, universe.nowMs)),
    secondsDelay: SECONDS_DELAY,
    clearBookOnStart: true,
    teamAID: String(game.home.id),
    teamBID: String(game.away.id),
  }
}
