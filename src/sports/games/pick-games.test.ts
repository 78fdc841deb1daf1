import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toGame } from './game.js'
import { dropCompanions, isOverdueEvent, pageGames, toListedGames } from './pick-games.js'
import { makeEvent, makeMarket } from './test-events.js'

const NOW_MS = Date.UTC(2026, 10, 16, 12)
const slugsOf = (games: { slug: string }[]) => games.map(({ slug }) => slug)

test('futures and companions are not listed, whatever else is', () => {
  const events = [
    makeEvent({ id: '1', slug: 'nba-atl-orl-2026-11-16' }),
    makeEvent({ id: '2', slug: 'nba-atl-orl-2026-11-16-more-markets' }),
    makeEvent({ id: '3', slug: 'nba-champion-2027', gameId: null }),
    makeEvent({ id: '4', slug: 'nba-atl-orl-2026-11-16-game-2', gameId: 8 }),
  ]
  expect(slugsOf(toListedGames(events, NOW_MS))).toEqual([
    'nba-atl-orl-2026-11-16',
    'nba-atl-orl-2026-11-16-game-2',
  ])
})

test('a companion of an unknown kind has the game id and begins with the slug of its game', () => {
  const games = [
    { id: '1', slug: 'nba-a-b-2026-11-16-corners', gameId: 7 },
    { id: '2', slug: 'nba-a-b-2026-11-16', gameId: 7 },
    { id: '3', slug: 'nba-a-b-2026-11-18', gameId: 7 },
    { id: '4', slug: 'nba-a-b-2026-11-16-game-2', gameId: 8 },
    { id: '2', slug: 'nba-a-b-2026-11-16', gameId: 7 },
    { id: '5', slug: 'nba-a-b-2026-11-16-x', gameId: null },
  ].map((fields) => toGame(makeEvent(fields)))
  expect(dropCompanions(games).map(({ id }) => id)).toEqual(['2', '3', '4', '5'])
})

describe('isOverdueEvent', () => {
  const LONG_AGO = { endDate: '2026-11-14T12:00:00Z' }
  const TAKING = [makeMarket({})]
  const TAKING_NONE = [makeMarket({ acceptingOrders: false })]
  test.each([
    ['over for long and without orders', { ...LONG_AGO, markets: TAKING_NONE }, true],
    ['over for long and without a book', { ...LONG_AGO, enableOrderBook: false, markets: TAKING }, true],
    ['put off: it takes orders', { ...LONG_AGO, markets: TAKING }, false],
    ['closed', { ...LONG_AGO, closed: true, markets: TAKING_NONE }, false],
    ['over since a while', { endDate: '2026-11-16T00:00:00Z', markets: TAKING_NONE }, false],
    ['without an end, kicked off long ago', { startTime: '2026-11-14T12:00:00Z' }, true],
    ['without any time', { markets: TAKING_NONE }, false],
  ])('%s', (_what, fields, expected) => {
    expect(isOverdueEvent(makeEvent(fields), NOW_MS)).toBe(expected)
  })
})

test('pages put together are all games, in order', () => {
  const games = fc.uniqueArray(
    fc.record({
      id: fc.nat(999).map(String),
      startTimeMs: fc.option(fc.constantFrom(1, 2, 3), { nil: undefined }),
      volume: fc.constantFrom(0, 1, 2.5),
    }),
    { selector: ({ id }) => id, maxLength: 30 },
  )
  const sort = fc.constantFrom('startDate', 'volume')
  const direction = fc.constantFrom('asc', 'desc')
  fc.assert(
    fc.property(games, sort, direction, fc.integer({ min: 1, max: 7 }), (inputs, by, way, limit) => {
      const all = inputs.map((fields) => ({ ...toGame(makeEvent({})), ...fields }))
      const order = { sort: by, direction: way } as const
      const pages = Array.from({ length: Math.ceil(all.length / limit) }, (_, page) =>
        pageGames(all, { ...order, limit, offset: page * limit }),
      )
      const listed = pages.flat()
      expect(listed.map(({ id }) => id).toSorted()).toEqual(all.map(({ id }) => id).toSorted())
      const values = listed.map((game) => (by === 'volume' ? game.volume : (game.startTimeMs ?? 0)))
      const sorted = values.toSorted((a, b) => (way === 'asc' ? a - b : b - a))
      expect(values).toEqual(sorted)
    }),
  )
})
