import { describe, expect, test } from 'vitest'
import { parseScoreFrame } from './parse.js'

const LIVE = {
  gameId: 19_439,
  leagueAbbreviation: 'NFL',
  slug: 'nfl-lac-buf-2026-11-15',
  homeTeam: 'LAC',
  awayTeam: 'BUF',
  status: 'InProgress',
  score: '3-16',
  period: 'Q4',
  elapsed: '05:18',
  live: true,
  ended: false,
  turn: 'lac',
}

const parseOne = (message: object) => {
  const frame = parseScoreFrame(JSON.stringify(message))
  return frame?.kind === 'scores' ? frame.scores[0] : frame
}

test('all fields of a live game', () => {
  expect(parseOne(LIVE)).toEqual({
    gameId: '19439',
    slug: 'nfl-lac-buf-2026-11-15',
    league: 'nfl',
    homeTeam: 'LAC',
    awayTeam: 'BUF',
    status: 'InProgress',
    score: '3-16',
    period: 'Q4',
    elapsed: '05:18',
    live: true,
    ended: false,
    turn: 'lac',
    updatedMs: undefined,
    finishedMs: undefined,
  })
})

test.each([
  ['finishedTimestamp', 1_794_787_200_123, 1_794_787_200_123],
  ['finishedTimestamp', '1794787200123', 1_794_787_200_123],
  ['finishedTimestamp', 1_794_787_200, 1_794_787_200_000],
  ['finished_timestamp', '2026-11-16T00:00:00.123Z', Date.UTC(2026, 10, 16, 0, 0, 0, 123)],
  ['finished_timestamp', null, undefined],
])('%s %s', (name, value, expected) => {
  expect(parseOne({ ...LIVE, [name]: value })).toMatchObject({ finishedMs: expected })
})

test.each([
  ['the id alone', { gameId: 7 }, { gameId: '7', slug: undefined }],
  ['the other spelling of the id', { metadataGameId: '8' }, { gameId: '8' }],
  ['the slug alone', { slug: 'epl-ars-che-2026-11-15' }, { gameId: undefined }],
  ['fields that are not known', { gameId: 7, sportradarGameId: 'sr:1', more: [] }, { gameId: '7' }],
  ['empty texts', { gameId: 7, score: '', period: '' }, { score: undefined, period: undefined }],
])('takes %s', (_what, message, expected) => {
  expect(parseOne(message)).toMatchObject(expected)
})

describe('frames', () => {
  test.each([
    ['ping', { kind: 'ping' }],
    ['PING', { kind: 'ping' }],
    ['pong', undefined],
    ['', undefined],
    ['[]', undefined],
  ])('%j', (text, expected) => {
    expect(parseScoreFrame(text)).toEqual(expected)
  })

  test('several games in one', () => {
    const frame = parseScoreFrame(JSON.stringify([LIVE, { gameId: 2 }]))
    expect(frame).toMatchObject({ scores: [{ gameId: '19439' }, { gameId: '2' }] })
  })

  test.each([
    ['no JSON', '{"gameId":'],
    ['no object', '7'],
    ['null', 'null'],
    ['no name of a game', '{"score":"1-0"}'],
    ['a score that is a number', '{"gameId":1,"score":10}'],
    ['`live` as a text', '{"gameId":1,"live":"yes"}'],
    ['a time that is none', '{"gameId":1,"finishedTimestamp":"soon"}'],
    ['a time of another age', '{"gameId":1,"finishedTimestamp":179478720}'],
    ['a text without end', JSON.stringify({ gameId: 1, status: 'x'.repeat(201) })],
  ])('refuses %s', (_what, text) => {
    expect(() => parseScoreFrame(text)).toThrow('frame')
  })
})
