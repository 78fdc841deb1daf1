import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COMPANION_SUFFIXES, canonicalSlugOf } from '../../lookups/game-slug.js'
import { foldGame, type GameMarket, isGameEvent } from './game.js'
import { makeEvent, makeMarket } from './test-events.js'

const SLUG = 'nba-atl-orl-2026-11-16'

describe('canonicalSlugOf', () => {
  test.each<[string, string]>([
    [SLUG, SLUG],
    ...COMPANION_SUFFIXES.map((suffix): [string, string] => [SLUG + suffix, SLUG]),
    [`${SLUG}-game-2`, `${SLUG}-game-2`],
    ['-more-markets', '-more-markets'],
    ['more-markets', 'more-markets'],
  ])('%s belongs to %s', (slug, canonical) => {
    expect(canonicalSlugOf(slug)).toBe(canonical)
  })
})

describe('isGameEvent', () => {
  const future = { gameId: null, markets: [makeMarket({ sportsMarketType: null })] }
  test.each([
    ['with a game id', { markets: [] }, true],
    ['with a sports market', { gameId: null, markets: [makeMarket({})] }, true],
    [
      'with a kick-off',
      {
        gameId: null,
        markets: [makeMarket({ sportsMarketType: null, gameStartTime: '2026-11-16 19:00:00+00' })],
      },
      true,
    ],
    ['of a future', future, false],
    ['of a window of a coin', { ...future, startTime: '2026-11-16T19:00:00Z' }, false],
  ])('an event %s: %#', (_what, fields, expected) => {
    expect(isGameEvent(makeEvent(fields))).toBe(expected)
  })
})

describe('foldGame', () => {
  test('the main event is the game, and has the markets of its companions', () => {
    const main = makeEvent({
      id: '5',
      title: 'Hawks vs. Magic',
      markets: [makeMarket({ id: '1' })],
    })
    const more = makeEvent({
      id: '4',
      slug: `${SLUG}-more-markets`,
      markets: [makeMarket({ id: '2' })],
    })
    expect(foldGame([more, main])).toMatchObject({
      id: '5',
      slug: SLUG,
      title: 'Hawks vs. Magic',
      markets: [{ id: '1', tokens: [{ tokenId: '11', outcome: 'Hawks', price: '0.4' }, {}] }, { id: '2' }],
    })
  })

  test('events of another game and events without one are left out', () => {
    const main = makeEvent({ id: '5', markets: [makeMarket({ id: '1' })] })
    const other = makeEvent({
      id: '6',
      slug: `${SLUG}-exact-score`,
      gameId: 8,
      markets: [makeMarket({ id: '2' })],
    })
    const none = makeEvent({ id: '7', slug: `${SLUG}-player-props`, gameId: null, markets: [] })
    expect(foldGame([main, other, none])?.markets.map(({ id }) => id)).toEqual(['1'])
    expect(foldGame([none])).toBeUndefined()
  })

  test('of an event that was closed between two reads the closed one counts', () => {
    const open = makeEvent({ closed: false })
    const closed = makeEvent({ closed: true, score: '90-88' })
    expect(foldGame([open, closed])).toMatchObject({ closed: true, score: '90-88' })
    expect(foldGame([closed, open])).toMatchObject({ closed: true, score: '90-88' })
  })

  test('a small price is written out', () => {
    const market = makeMarket({ outcomePrices: '["0.0000001", "0.9999999"]' })
    const [token] = foldGame([makeEvent({ markets: [market] })])?.markets[0]?.tokens ?? []
    expect(token?.price).toBe('0.0000001')
  })

  test('whatever the events and their order, each market is there once and in order', () => {
    const types = ['moneyline', 'spreads', 'totals', 'points', 'tennis_moneyline', null]
    const markets = fc.uniqueArray(
      fc.record({
        id: fc.nat(99).map(String),
        sportsMarketType: fc.constantFrom(...types),
        volumeNum: fc.constantFrom(0, 1, 5, 5.5, null),
      }),
      { selector: ({ id }) => id, maxLength: 20 },
    )
    const events = fc.array(fc.record({ id: fc.nat(9), closed: fc.boolean(), markets }), {
      minLength: 1,
      maxLength: 7,
    })
    fc.assert(
      fc.property(events, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (inputs, draws) => {
        const made = inputs.map(({ id, closed, markets: of }, index) =>
          makeEvent({
            id: String(id),
            closed,
            slug: SLUG + (COMPANION_SUFFIXES[index - 1] ?? ''),
            markets: of.map((market) => makeMarket({ ...market, id: `${id}${market.id.padStart(2, '0')}` })),
          }),
        )
        const game = foldGame(made)
        const shown = game?.markets ?? []
        const known = new Set(made.flatMap((event) => event.markets.map(({ id }) => id)))
        expect(new Set(shown.map(({ id }) => id)).size).toBe(shown.length)
        expect(shown.every(({ id }) => known.has(id))).toBe(true)
        for (const [index, market] of shown.slice(1).entries())
          expect(comesBefore(shown[index], market)).toBe(true)
        // The order in which Gamma answers does not matter.
        const distinct = [...new Map(made.map((event) => [event.id, event])).values()]
        const shuffled = distinct
          .map((event) => ({ event, at: draws.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ event }) => event)
        expect(foldGame(shuffled)).toEqual(foldGame(distinct))
      }),
    )
  })
})

const RANKS = ['moneyline', 'spreads', 'totals']
const rankOf = ({ sportsMarketType = '' }: GameMarket) => {
  const rank = RANKS.indexOf(sportsMarketType.replace('tennis_', ''))
  return rank === -1 ? RANKS.length : rank
}

function comesBefore(a: GameMarket | undefined, b: GameMarket): boolean {
  if (a === undefined) return false
  return rankOf(a) < rankOf(b) || (rankOf(a) === rankOf(b) && a.volume >= b.volume)
}
