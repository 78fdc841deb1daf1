import type { Cached } from '../../lib/stale-fallback-cache.js'
import type { Game } from '../games/game.js'

/** Gamma has the same scores as the socket, but later: a message this much older is still the newer one. */
const GAMMA_LAG_MS = 60_000
const LIVE_MS_MAX = 60_000
const RECENT_MS_MAX = 10 * 60_000

export const FRESHNESS = ['unknown', 'live', 'recent', 'stale', 'final'] as const
type Freshness = (typeof FRESHNESS)[number]

type Play = Pick<Game, 'score' | 'period' | 'elapsed' | 'live' | 'ended'>

/** The state of play: from Gamma's event, or from the score socket where that is newer. */
export type CurrentScore = Play & {
  provider: 'polymarket_gamma' | 'polymarket_sports'
  source: 'gamma:event' | 'sports:ws'
  freshness: Freshness
}

/** `socketScore`: the last message of the score socket about the game. */
export function currentScoreOf(
  { value: game, asOfMs }: Cached<Game>,
  socketScore: (Play & { receivedAtMs: number }) | undefined,
  nowMs: number,
): CurrentScore {
  const isFromSocket = socketScore !== undefined && socketScore.receivedAtMs >= asOfMs - GAMMA_LAG_MS
  const { score, period, elapsed, live, ended } = isFromSocket ? socketScore : game
  const saidMs = isFromSocket ? socketScore.receivedAtMs : Math.min(asOfMs, game.updatedAtMs ?? asOfMs)
  const said = {
    score,
    period,
    elapsed,
    live,
    ended,
    provider: isFromSocket ? ('polymarket_sports' as const) : ('polymarket_gamma' as const),
    source: isFromSocket ? ('sports:ws' as const) : ('gamma:event' as const),
  }
  if (ended === true) return { ...said, live: false, freshness: 'final' }
  if (live === true) return { ...said, freshness: freshnessOf(nowMs - saidMs) }
  const isBefore = game.startTimeMs === undefined || nowMs < game.startTimeMs
  // Some feeds have zeros before the start, which are no score yet.
  if (isBefore && !game.closed) {
    const none = { score: undefined, elapsed: undefined, live: undefined }
    return { ...said, ...none, period: period ?? 'NS', freshness: 'unknown' }
  }
  return { ...said, freshness: 'unknown' }
}

function freshnessOf(ageMs: number): Freshness {
  if (ageMs <= LIVE_MS_MAX) return 'live'
  return ageMs <= RECENT_MS_MAX ? 'recent' : 'stale'
}
