import { expect, test } from 'vitest'
import { type Game, toGame } from '../games/game.js'
import { makeEvent } from '../games/test-events.js'
import { currentScoreOf } from './score.js'

const nowMs = Date.UTC(2026, 10, 15, 12)
const MINUTE_MS = 60_000

const BARE = toGame(
  makeEvent({ title: 'Hawks vs. Magic', startTime: new Date(nowMs - 30 * MINUTE_MS).toISOString() }),
)

const LIVE = { score: '12-9', period: 'Q1', elapsed: '04:10', live: true, ended: false }
const HEARD = { ...LIVE, score: '14-9', receivedAtMs: nowMs - 5_000 }

const view = (fields: Partial<Game>, socketScore?: Parameters<typeof currentScoreOf>[1], ageMs = 0) => {
  const copy = { value: { ...BARE, ...fields }, asOfMs: nowMs - ageMs, isStale: false, isHit: true }
  const { source, score, period, live, freshness } = currentScoreOf(copy, socketScore, nowMs)
  return [source, score, period, live, freshness]
}

const NOT_STARTED = ['gamma:event', undefined, 'NS', undefined, 'unknown']
const future = { startTimeMs: nowMs + MINUTE_MS }

test.each([
  ['not started', view(future), NOT_STARTED],
  ['zeros before the start', view({ ...future, score: '0-0', live: false }), NOT_STARTED],
  ['in play', view(LIVE), ['gamma:event', '12-9', 'Q1', true, 'live']],
  ['in play, read a while ago', view(LIVE, undefined, 90_000), ['gamma:event', '12-9', 'Q1', true, 'recent']],
  [
    'in play, long without a change',
    view({ ...LIVE, updatedAtMs: nowMs - 11 * MINUTE_MS }),
    ['gamma:event', '12-9', 'Q1', true, 'stale'],
  ],
  ['from the socket', view(LIVE, HEARD), ['sports:ws', '14-9', 'Q1', true, 'live']],
  [
    'from the socket, long before Gamma was read',
    view(LIVE, { ...HEARD, receivedAtMs: nowMs - 2 * MINUTE_MS }),
    ['gamma:event', '12-9', 'Q1', true, 'live'],
  ],
  [
    'from the socket, after an old answer of Gamma',
    view({}, { ...HEARD, receivedAtMs: nowMs - 2 * MINUTE_MS }, 5 * MINUTE_MS),
    ['sports:ws', '14-9', 'Q1', true, 'recent'],
  ],
  [
    'over',
    view({ ...LIVE, period: 'FT', ended: true }, undefined, 60 * MINUTE_MS),
    ['gamma:event', '12-9', 'FT', false, 'final'],
  ],
  ['postponed', view({ live: false, period: 'POST' }), ['gamma:event', undefined, 'POST', false, 'unknown']],
  ['in play without a word of it', view({}), ['gamma:event', undefined, undefined, undefined, 'unknown']],
])('a game that is %s', (_what, seen, expected) => {
  expect(seen).toEqual(expected)
})
