import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KNOWN_CODES, toMarketType } from './market-type.js'
import { SPORT_NAMES } from './sports.js'
import { MARKET_CATEGORIES } from './type-table.js'

test.each([
  ['moneyline', 'Moneyline', 'moneyline', undefined],
  ['spreads', 'Point Spread', 'spread', undefined],
  ['q3_totals', 'Q3 Total', 'half-period', ['basketball', 'football']],
  ['points', 'Player Points', 'player-prop', ['basketball']],
  ['soccer_halftime_result', 'Halftime Result', 'three-way', ['soccer']],
  ['round_over_under_game_7', 'Round Total', 'esports-special', expect.arrayContaining(['cs2'])],
  // Codes that are not in the table.
  ['first_half_shots', '1H Shots', 'half-period', undefined],
  ['soccer_player_tackles', 'Soccer Player Tackles', 'player-prop', ['soccer']],
  ['darts_leg_winner', 'Darts Leg Winner', 'moneyline', undefined],
  ['darts_leg_handicap', 'Darts Leg Handicap', 'spread', undefined],
  ['hockey_exact_score', 'Hockey Exact Score', 'exact-score', undefined],
  ['darts_180s_over_under', 'Darts 180s Over Under', 'total', undefined],
  ['valorant_ace', 'Valorant Ace', 'esports-special', ['valorant']],
  ['something_else', 'Something Else', 'unknown', undefined],
  ['___', '___', 'unknown', undefined],
  ['constructor', 'Constructor', 'unknown', undefined],
])('%s is %s, %s', (code, label, category, sports) => {
  expect(toMarketType(code)).toEqual({ code, label, category, sports })
})

test('every code has a label, a category and sports of the vocabulary', () => {
  const parts = fc.constantFrom(...KNOWN_CODES.flatMap((code) => code.split('_')))
  const made = fc.array(parts, { minLength: 1, maxLength: 6 }).map((words) => words.join('_'))
  const codes = fc.oneof(fc.constantFrom(...KNOWN_CODES), made, fc.string({ minLength: 1 }))
  fc.assert(
    fc.property(codes, (code) => {
      const { label, category, sports = [] } = toMarketType(code)
      expect(label).not.toBe('')
      expect(MARKET_CATEGORIES).toContain(category)
      expect(SPORT_NAMES).toEqual(expect.arrayContaining([...sports]))
    }),
    { numRuns: 500 },
  )
})
