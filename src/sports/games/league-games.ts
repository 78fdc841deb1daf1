import type { GammaSport } from '../../upstreams/gamma/parse-sports.js'
import { readFirstOrCopy, type Sourced, type SportsTools } from '../sources.js'
import { type Game, gameStatusOf } from './game.js'
import { gameSourcesOf } from './game-sources.js'

const FRESH_MS = 30_000

/** `active`: upcoming and in play. `closed`: finished, also when the markets are not settled yet. */
export type ListStatus = 'active' | 'closed'

export type LeagueGames = Sourced<Game[]> & { isStale: boolean }

/** Every game that Gamma lists is under one status, with the markets of its main event. */
export async function listLeagueGames(
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
  const { value, isStale } = await readFirstOrCopy(tools, {
    key: `sports games ${league.sport} ${closed ? 'closed' : 'open'}`,
    freshMs: FRESH_MS,
    sources: gameSourcesOf(tools, league, closed),
    isSuitable: (games) => games.length > 0,
  })
  return { ...value, isStale }
}
