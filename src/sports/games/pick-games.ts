import { canonicalSlugOf } from '../../lookups/game-slug.js'
import type { GammaEvent } from '../../upstreams/gamma/parse.js'
import { type Game, isGameEvent, toGame } from './game.js'

/** An open event that takes no orders for this long after its end is left over. */
const OVERDUE_MS = 24 * 3_600_000

/** The match-ups among the events of a list: no futures, no companions, nothing that is left over. */
export const toListedGames = (events: readonly GammaEvent[], nowMs: number): Game[] =>
  events
    .filter((event) => isGameEvent(event) && !isCompanion(event) && !isOverdueEvent(event, nowMs))
    .map((event) => toGame(event))

const isCompanion = ({ slug = '' }: GammaEvent): boolean => canonicalSlugOf(slug) !== slug

/** An event that ended long ago and was never closed, as lists of series have them. A postponed one still takes orders. */
export function isOverdueEvent(event: GammaEvent, nowMs: number): boolean {
  const endMs = event.endDateMs ?? event.startTimeMs
  if (event.closed === true || endMs === undefined || nowMs - endMs < OVERDUE_MS) return false
  const takesOrders = event.markets.some(({ acceptingOrders }) => acceptingOrders === true)
  return event.enableOrderBook === false || !takesOrders
}

/**
 * Each game once. A companion whose suffix is not a known one has the same game id, and a slug that
 * goes on where that of the game ends.
 */
export function dropCompanions(games: readonly Game[]): Game[] {
  const byId = new Map(games.map((game) => [game.id, game]))
  const unique = [...byId.values()]
  const byGameId = new Map<string, Game[]>()
  for (const game of unique) {
    if (game.gameId === undefined) continue
    byGameId.set(game.gameId, [...(byGameId.get(game.gameId) ?? []), game])
  }
  return unique.filter(({ slug, gameId = '' }) => {
    const others = byGameId.get(gameId) ?? []
    return !others.some((other) => slug.startsWith(`${other.slug}-`))
  })
}

export type GameOrder = {
  sort: 'startDate' | 'volume'
  direction: 'asc' | 'desc'
  limit: number
  offset: number
}

/** One page, in the order of kick-off or of volume; of two that are equal the one with the smaller id is first. */
export function pageGames(games: readonly Game[], order: GameOrder): Game[] {
  const { sort, direction, limit, offset } = order
  const keyOf = sort === 'volume' ? ({ volume }: Game) => volume : kickOffOf
  const sign = direction === 'asc' ? 1 : -1
  return games
    .toSorted((a, b) => sign * (keyOf(a) - keyOf(b)) || Number(a.id) - Number(b.id))
    .slice(offset, offset + limit)
}

const kickOffOf = ({ startTimeMs, endDateMs }: Game): number => startTimeMs ?? endDateMs ?? 0
