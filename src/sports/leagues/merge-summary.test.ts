import { expect, test } from 'vitest'
import { type LeagueSummary, mergeSummary } from './merge-summary.js'
import { createLeagueNames } from './summary.js'

const league = (sport: string, name?: string) => ({
  id: 1,
  sport,
  name,
  image: undefined,
  resolution: undefined,
  ordering: undefined,
  tagIds: [],
  primaryTagId: undefined,
  series: undefined,
})
const toCode = createLeagueNames([league('nba', 'NBA'), league('lol'), league('epl', 'Premier League')])

const counted = (code: string): LeagueSummary => ({
  league: code,
  activeEvents: 5,
  liveEvents: 1,
  marketCount: 50,
  volume24h: 100,
  isUpcoming: true,
  dates: ['2026-11-14', '2026-11-16'],
})
const WHOLE = {
  activeEvents: 3,
  liveEvents: 0,
  marketCount: 9,
  volume24hr: 7,
  isUpcoming: false,
  dates: ['2026-11-15'],
}

test.each([
  ['NBA', 'nba'],
  ['league-of-legends', 'lol'],
  ['premier_league', 'epl'],
  ['curling', 'curling'],
])('%s is %s', (name, code) => {
  expect(toCode(name)).toBe(code)
})

test('a league that the summary lacks is counted', () => {
  const { leagues, isCompleted } = mergeSummary({ nba: WHOLE }, [counted('lol')], toCode)
  expect(isCompleted).toBe(true)
  expect(leagues.map((row) => row.league)).toEqual(['lol', 'nba'])
  expect(leagues[0]).toEqual(counted('lol'))
})

test('a field that the summary lacks is counted, under whatever name it has the league', () => {
  const { leagues, isCompleted } = mergeSummary(
    { 'league-of-legends': { volume24hr: 7, dates: ['2026-11-15'] } },
    [counted('lol')],
    toCode,
  )
  expect(isCompleted).toBe(true)
  expect(leagues).toEqual([
    { ...counted('lol'), volume24h: 7, dates: ['2026-11-14', '2026-11-15', '2026-11-16'] },
  ])
})

test('a summary that has everything stays as it is', () => {
  const { leagues, isCompleted } = mergeSummary({ nba: WHOLE }, [], toCode)
  expect(isCompleted).toBe(false)
  expect(leagues).toEqual([
    {
      league: 'nba',
      activeEvents: 3,
      liveEvents: 0,
      marketCount: 9,
      volume24h: 7,
      isUpcoming: false,
      dates: ['2026-11-15'],
    },
  ])
  expect(mergeSummary({ nba: WHOLE }, [counted('nba')], toCode).isCompleted).toBe(false)
})
