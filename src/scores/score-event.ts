import { type EventDraft, NO_KEYS } from '../bus/event.js'
import type { GameScore } from './game-score.js'

const SOURCE = 'polymarket_sports'

/** The live message of a score. */
export function toScoreEvent(score: GameScore): EventDraft {
  const { gameId, slug, league, turn, updatedMs, finishedMs, changedAtMs } = score
  const type = 'score_update'
  const timestampMs = updatedMs ?? changedAtMs
  const data = {
    event_type: type,
    game_id: gameId ?? null,
    slug: slug ?? null,
    league: league ?? null,
    home_team: score.homeTeam ?? null,
    away_team: score.awayTeam ?? null,
    status: score.status ?? null,
    score: score.score ?? null,
    period: score.period ?? null,
    elapsed: score.elapsed ?? null,
    live: score.live ?? null,
    ended: score.ended ?? null,
    turn,
    finished_at: finishedMs,
  }
  return {
    type,
    timestampMs,
    data,
    keys: { ...NO_KEYS, league, gameSlug: slug },
    head: { type, source: SOURCE, received_at: changedAtMs, timestamp: timestampMs },
  }
}
