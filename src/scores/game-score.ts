import type { ScoreMessage } from '../upstreams/sports-ws/parse.js'

/** The last known state of a game from the score socket. `undefined`: no message had the field. */
export type GameScore = ScoreMessage & {
  /** When the last message about the game came, also one that repeated it. */
  receivedAtMs: number
  /** When a message came that changed something. */
  changedAtMs: number
}

/** Clocks of providers differ from ours by less. */
const AHEAD_MS_MAX = 300_000

/** What a message does to the known score. `late`: it is older than what is known. */
export type ScoreStep = { kind: 'changed' | 'repeated'; score: GameScore } | { kind: 'late' }

/** What clients are shown: a message that changes none of it is a repetition. */
const SHOWN = [
  'gameId',
  'slug',
  'league',
  'homeTeam',
  'awayTeam',
  'status',
  'score',
  'period',
  'elapsed',
  'live',
  'ended',
  'turn',
  'finishedMs',
] as const satisfies readonly (keyof ScoreMessage)[]

/**
 * The score after a message. Names, and what every message should have, are kept where a message
 * leaves them out; period, clock and possession belong to the moment and are not.
 */
export function applyScore(
  known: GameScore | undefined,
  message: ScoreMessage,
  receivedAtMs: number,
): ScoreStep {
  if (known === undefined) {
    return { kind: 'changed', score: { ...message, receivedAtMs, changedAtMs: receivedAtMs } }
  }
  if (isBefore(message.updatedMs, known.updatedMs) && !isAhead(known)) return { kind: 'late' }
  const next: ScoreMessage = {
    ...message,
    gameId: message.gameId ?? known.gameId,
    slug: message.slug ?? known.slug,
    league: message.league ?? known.league,
    homeTeam: message.homeTeam ?? known.homeTeam,
    awayTeam: message.awayTeam ?? known.awayTeam,
    status: message.status ?? known.status,
    score: message.score ?? known.score,
    live: message.live ?? known.live,
    ended: message.ended ?? known.ended,
    updatedMs: message.updatedMs ?? known.updatedMs,
    finishedMs: message.finishedMs ?? known.finishedMs,
  }
  const isChanged = SHOWN.some((name) => next[name] !== known[name])
  const changedAtMs = isChanged ? receivedAtMs : known.changedAtMs
  return {
    kind: isChanged ? 'changed' : 'repeated',
    score: { ...next, receivedAtMs, changedAtMs },
  }
}

/** A time that its sender cannot have known says nothing about the order. */
const isAhead = ({ updatedMs = 0, receivedAtMs }: GameScore): boolean =>
  updatedMs > receivedAtMs + AHEAD_MS_MAX

const isBefore = (ms: number | undefined, otherMs: number | undefined): boolean =>
  ms !== undefined && otherMs !== undefined && ms < otherMs
