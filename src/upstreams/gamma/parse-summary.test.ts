import { expect, test } from 'vitest'
import { ParseError } from '../transport/parse-json.js'
import { parseSportsSummary } from './parse-summary.js'

const NBA = { liveEvents: 2, marketCount: 64, volume24hr: 10.5 }

test.each<[string, unknown]>([
  ['rows', [{ sport: 'nba', live: 2, market_count: 64, volume24hr: '10.5' }]],
  ['rows in a wrapper', { leagues: [{ league: 'nba', liveGames: 2, markets: 64, volume_24h: 10.5 }] }],
  ['rows by league', { nba: { live_events: 2, marketCount: 64, volume24hr: 10.5 } }],
  ['rows by league in wrappers', { data: { sports: { nba: { live: 2, markets: 64, volume24h: 10.5 } } } }],
  ['lists in place of counts', { nba: { live: [{}, {}], marketCount: 64, volume24hr: 10.5 } }],
  ['fields by league', { live_events: { nba: 2 }, market_counts: { nba: 64 }, volumes_24h: { nba: 10.5 } }],
])('%s', (_what, body) => {
  expect(parseSportsSummary(body, 'body')).toEqual({ nba: NBA })
})

test('leagues of which something is true, and days', () => {
  const body = {
    upcoming_leagues: ['atp', 7],
    latest_event_dates: { nba: '2026-11-30', epl: 'soon' },
    dates: { atp: ['2026-11-15T09:00:00Z', '2026-11-14', '2026-11-15', null] },
  }
  expect(parseSportsSummary(body, 'body')).toEqual({
    atp: { isUpcoming: true, dates: ['2026-11-14', '2026-11-15'] },
    nba: { dates: ['2026-11-30'] },
    epl: {},
  })
})

test.each<[string, unknown]>([
  ['nothing', {}],
  ['an empty list', []],
  ['fields that it does not know', { updated: '2026-11-14', took: 3 }],
  ['rows without a league', [{ live: 2 }, null, 'nba']],
  ['more wrappers than any answer has', { data: { data: { data: { data: { data: [{ sport: 'nba' }] } } } } }],
])('no leagues: %s', (_what, body) => {
  const found = parseSportsSummary(body, 'body')
  expect(Object.values(found).flatMap(Object.values)).toEqual([])
})

test('refuses what is no summary', () => {
  expect(() => parseSportsSummary('down', 'body')).toThrow(ParseError)
})
