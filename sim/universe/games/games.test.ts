import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MarketEvent } from '../market.js'
import { Universe } from '../universe.js'
import type { Game, GameState } from './game.js'
import { gameStateAt, pointsAt, setsAt } from './game-state.js'
import { fixturesOf } from './schedule.js'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
const START_MS = Date.UTC(2026, 10, 14, 12)

const anyGame = fc
  .record({ seed: fc.nat(10_000), day: fc.integer({ min: 20_700, max: 20_800 }), at: fc.nat(19) })
  .map(({ seed, day, at }) => fixturesOf(seed, day)[at]?.game)
  .filter((game) => game !== undefined)

const minutesOf = ({ startMs, endMs }: Game): number[] => {
  const count = Math.ceil((endMs - startMs) / MINUTE_MS)
  return Array.from({ length: count }, (_, index) => startMs + index * MINUTE_MS)
}

describe('a day of games', () => {
  test('at every minute some game is live, and a few are put off or called off', () => {
    const games = [20_770, 20_771].flatMap((day) => fixturesOf(3, day).map(({ game }) => game))
    for (let atMs = 20_771 * DAY_MS; atMs < 20_772 * DAY_MS; atMs += MINUTE_MS) {
      expect(games.some((game) => gameStateAt(game, atMs).live)).toBe(true)
    }
    expect(new Set(games.map(({ slug }) => slug)).size).toBe(games.length)
    const fates = games.map(({ fate }) => fate.kind)
    expect(fates.filter((kind) => kind === 'postponed').length).toBe(2)
    expect(fates.filter((kind) => kind === 'canceled').length).toBe(2)
  })

  test('no team plays twice, and slugs name the sides in the order of the league', () => {
    const games = fixturesOf(4, 20_771).map(({ game }) => game)
    const teams = games.flatMap(({ home, away }) => [home.id, away.id])
    expect(new Set(teams).size).toBe(teams.length)
    for (const { slug, league, home, away } of games) {
      const [first, second] = league.ordering === 'home' ? [home, away] : [away, home]
      const prefix = `${league.code}-${first.abbreviation}-${second.abbreviation}-`
      expect(slug.startsWith(prefix)).toBe(true)
    }
  })
})

describe('the course of a game', () => {
  test('never takes a point back, and ends with the score that counts', () => {
    fc.assert(
      fc.property(anyGame, (game) => {
        let last = { home: 0, away: 0 }
        for (const atMs of minutesOf(game)) {
          const points = pointsAt(game.course, atMs)
          expect(points.home).toBeGreaterThanOrEqual(last.home)
          expect(points.away).toBeGreaterThanOrEqual(last.away)
          last = points
        }
        expect(pointsAt(game.course, game.endMs)).toEqual(pointsAt(game.course))
        expect(gameStateAt(game, game.endMs)).toMatchObject({ live: false, ended: true })
      }),
      { numRuns: 60 },
    )
  })

  test('goes from scheduled to live to over, with scores in the form of the sport', () => {
    fc.assert(
      fc.property(anyGame, (game) => {
        if (game.fate.kind === 'canceled') return
        expect(gameStateAt(game, game.startMs - 1)).toMatchObject({ live: false, ended: false })
        for (const atMs of minutesOf(game)) expectForm(game, gameStateAt(game, atMs))
        expectForm(game, gameStateAt(game, game.endMs))
      }),
      { numRuns: 40 },
    )
  })

  test('knows what no seed may break: soccer alone ends in a draw', () => {
    fc.assert(
      fc.property(anyGame, ({ course, fate, league }) => {
        if (fate.kind === 'canceled' || league.sport === 'soccer') return
        const parts = setsAt(course)
        const isBySets = ['tennis', 'counter-strike', 'league-of-legends'].includes(league.sport)
        const { home, away } = pointsAt(course)
        const margin = isBySets
          ? parts.reduce((sum, set) => sum + Math.sign(set.home - set.away), 0)
          : home - away
        expect(margin).not.toBe(0)
      }),
    )
  })
})

const FORMS: Record<string, RegExp> = {
  tennis: /^\d-\d(, \d-\d){0,2}$/,
  'counter-strike': /^\d{3}-\d{3}\|[0-2]-[0-2]\|Bo3$/,
  'league-of-legends': /^\d{3}-\d{3}\|[0-3]-[0-3]\|Bo5$/,
}

function expectForm({ league }: Game, { score, elapsed, period }: GameState): void {
  expect(score).toMatch(FORMS[league.sport] ?? /^\d+-\d+$/)
  expect(elapsed).toMatch(/^(\d\d:\d\d)?$/)
  expect(period).toMatch(/^(Q[1-4]|HT|End [1-3]|OT|SO|P[1-3]|[12]H|S[1-3]|[1-5]\/[35]|FT( OT| SO)?)$/)
}

describe('the markets of a game', () => {
  const universe = new Universe({ seed: 8, startMs: START_MS, hasGames: true })
  universe.advance(START_MS + 40 * MINUTE_MS)
  const { catalogue } = universe
  const eventsOf = (game: Game) => catalogue.events().filter((event) => event.game === game)

  test('are ten to forty, in events that share the game', () => {
    for (const game of universe.games().slice(1)) {
      const events = eventsOf(game)
      const markets = events.flatMap((event) => event.markets)
      expect(markets.length).toBeGreaterThanOrEqual(10)
      expect(markets.length).toBeLessThanOrEqual(40)
      expect(events.every(({ slug }) => slug.startsWith(game.slug))).toBe(true)
      expect(new Set(markets.map(({ slug }) => slug)).size).toBe(markets.length)
    }
  })

  test('have conditions of their own, though the same sides may meet again', () => {
    const markets = catalogue.events().flatMap((event) => event.markets)
    expect(new Set(markets.map(({ conditionId }) => conditionId)).size).toBe(markets.length)
  })

  test('come out as the final score says', () => {
    for (const event of catalogue.events()) {
      if (event.game !== undefined && event.game.fate.kind !== 'canceled') expectTruths(event)
    }
  })

  test('of a game that is called off pay half, or have one winner', () => {
    const games = universe.games().filter(({ fate }) => fate.kind === 'canceled')
    expect(games.length).toBeGreaterThan(0)
    for (const { model, negRisk } of games.flatMap(eventsOf)) {
      const truths = model.kind === 'game' ? model.truths : []
      if (negRisk === undefined) expect(new Set(truths.map(String))).toEqual(new Set(['1,1']))
      else expect(truths.filter(([first]) => first === 1).length).toBe(1)
    }
  })

  test('know the truth when it is decided, and nothing before the kick-off', () => {
    for (const event of catalogue.events()) {
      const { model } = event
      if (model.kind !== 'game' || event.isForgotten) continue
      for (const market of event.markets) {
        const decidedMs = model.decidedMs[market.index] ?? 0
        if (decidedMs >= event.endMs || decidedMs === Number.POSITIVE_INFINITY) continue
        const [first] = model.truths[market.index] ?? [0]
        if (String(model.truths[market.index]) === '1,1') continue
        const worth = universe.fairAt(market, decidedMs)
        expect(Math.abs(worth - first)).toBeLessThan(0.05)
      }
    }
  })

  test('a season’s winner is no game, and a forgotten game stays open', () => {
    const future = catalogue.eventBySlug('nba-champion-2027')
    expect(future?.series?.slug).toBe('nba-2026')
    expect(future?.game).toBeUndefined()
    const forgotten = catalogue.events().filter((event) => event.isForgotten)
    expect(forgotten.length).toBe(1)
    expect(forgotten[0]?.markets.every((market) => universe.payouts(market) === undefined)).toBe(true)
  })
})

/** The lines of the same kind, and the questions that exclude each other, agree with the score. */
function expectTruths({ game, model, markets, negRisk, slug }: MarketEvent): void {
  if (game === undefined || model.kind !== 'game') return
  const truths = model.truths.map(([first, second]) => first / (first + second))
  if (negRisk !== undefined) {
    expect(truths.reduce((sum, truth) => sum + truth, 0)).toBe(1)
  }
  const { home, away } = pointsAt(game.course)
  for (const { sportsMarketType, line = 0, outcomes, groupItemTitle, index } of markets) {
    const truth = truths[index]
    if (sportsMarketType === 'totals' && !groupItemTitle.startsWith('Total')) {
      expect([slug, line, truth]).toEqual([slug, line, home + away > line ? 1 : 0])
    }
    if (sportsMarketType === 'spreads') {
      const margin = outcomes[0] === game.home.name ? home - away : away - home
      expect([slug, line, truth]).toEqual([slug, line, margin + line > 0 ? 1 : 0])
    }
    if (sportsMarketType === 'soccer_exact_score' && groupItemTitle.includes('-')) {
      expect(truth).toBe(groupItemTitle === `${home}-${away}` ? 1 : 0)
    }
    if (sportsMarketType === 'soccer_first_to_score') {
      const winner = game.course.goals[0]?.side
      const name = winner === undefined ? 'No Goal' : game[winner].name
      expect(truth).toBe(groupItemTitle === name ? 1 : 0)
    }
  }
}
