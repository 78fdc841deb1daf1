import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { translateQuery } from '../../lookups/posts/translate-query.js'
import { toPlainWords } from '../../upstreams/searxng/client.js'
import { generateQueries, QUERY_SETS, type QuerySet, withoutPostOperators } from './game-queries.js'

const ask = (title: string, querySet: QuerySet = 'default', max = 5) =>
  generateQueries({ title, slug: 'nba-atl-orl-2026-11-20' }, { querySet, max })
const queries = (title: string, querySet: QuerySet) =>
  ask(title, querySet).map(({ id, query }) => [id, query])

test('the queries of each set, in order', () => {
  const title = 'Hawks vs. Magic'
  expect(queries(title, 'default')).toEqual([
    ['matchup', 'Hawks Magic'],
    ['matchup-injuries', 'Hawks Magic injury'],
    ['matchup-lineups', 'Hawks Magic lineup'],
    ['matchup-news', 'Hawks Magic news'],
    ['matchup-odds', 'Hawks Magic odds'],
  ])
  expect(queries(title, 'injuries')).toEqual([
    ['matchup-injuries', 'Hawks Magic injury'],
    ['t1-injuries', 'Hawks injury report'],
    ['t2-injuries', 'Magic injury report'],
    ['matchup-availability', 'Hawks Magic out questionable'],
  ])
  expect(queries(title, 'lineups')).toEqual([
    ['matchup-lineups', 'Hawks Magic starting lineup'],
    ['t1-lineup', 'Hawks starting lineup'],
    ['t2-lineup', 'Magic starting lineup'],
  ])
  expect(queries(title, 'news')).toEqual([
    ['matchup-news', 'Hawks Magic news'],
    ['t1-news', 'Hawks news'],
    ['t2-news', 'Magic news'],
  ])
  expect(queries(title, 'social')).toEqual([
    ['matchup-social', '"Hawks" "Magic"'],
    ['matchup-hashtag', '#HawksvsMagic'],
    ['matchup-popular', 'Hawks vs Magic min_faves:10'],
  ])
  expect(queries(title, 'markets')).toEqual([
    ['matchup-market', 'Hawks vs Magic Polymarket'],
    ['matchup-prediction', 'Hawks Magic prediction market'],
    ['matchup-odds', 'Hawks Magic odds'],
  ])
  expect(ask(title, 'default', 2)).toHaveLength(2)
})

test.each([
  ['Brighton & Hove Albion vs. Fulham', 'Brighton Hove Albion Fulham'],
  ['ATP Finals: Sinner vs Alcaraz', 'Sinner Alcaraz'],
  ['LoL: T1 vs Gen.G (BO5) - LCK Finals', 'T1 Gen.G'],
  ['Paris Saint-Germain v Olympique de Marseille', 'Paris Saint-Germain Olympique de Marseille'],
  ['Lakers @ Celtics', 'Lakers Celtics'],
  ['Counter-Strike: 9z vs MOUZ (BO3)', '9z MOUZ'],
  ["O'Neill vs. Ødegård – More Markets", "O'Neill Ødegård"],
  ['日本 vs. ブラジル', '日本 ブラジル'],
  ['"from:me" OR -x vs. #tag min_faves:1', 'from me or x tag min faves 1'],
  ['Who wins the race?', 'Who wins the race'],
  ['vs.', 'vs'],
  ['!!! ???', 'nba-atl-orl-2026-11-20'],
])('the names in %s', (title, query) => {
  expect(ask(title)[0]?.query).toBe(query)
})

test.each([
  ['Gael Kardahl vs. Bo Novelli', 'Kardahl Novelli'],
  ['ATP Finals: Juan Martín del Potro vs Alex de la Mer (BO3)', 'del Potro de la Mer'],
  ['Sinner vs. Jo-Wilfried Tsonga', 'Sinner Tsonga'],
])('the surnames of tennis players in %s', (title, query) => {
  const slug = 'atp-one-two-2026-11-15'
  const [first] = generateQueries({ title, slug }, { querySet: 'default', max: 1 })
  expect(first?.query).toBe(query)
})

describe('whatever the title', () => {
  const word = fc.oneof(
    fc.constantFrom('vs.', 'vs', 'OR', 'AND', '-a', '"', '(', ')', 'from:x', '#', ':', '!!w', '@'),
    fc.string(),
    fc.constantFrom('Hawks', 'José', '日本', '🏀', 'x'.repeat(90), '\u0000', '\u0301'),
  )
  const title = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))

  test('queries are never empty, bounded, and bring no operators of the title with them', () => {
    fc.assert(
      fc.property(title, fc.constantFrom(...QUERY_SETS), fc.integer({ min: 1, max: 5 }), (...query) => {
        const [text, querySet, max] = query
        const generated = ask(text, querySet, max)
        expect(generated.length).toBeGreaterThan(0)
        expect(generated.length).toBeLessThanOrEqual(max)
        for (const { query } of generated) {
          expect(query.trim()).not.toBe('')
          expect(query.length).toBeLessThanOrEqual(200)
          const plain = withoutPostOperators(query)
          expect(toPlainWords(plain)).toBe(plain)
          expect(plain).not.toMatch(/[:()!<>?@$\p{Cc}]|(^|\s)-|\b(OR|AND|NOT)\b/u)
          expect(translateQuery(query, Date.UTC(2026, 10, 20)).startMs).toBeUndefined()
          expect((plain.match(/["#]/g) ?? []).length).toBe(querySet === 'social' ? quotes(query) : 0)
        }
      }),
    )
  })
})

/** The quotation marks and hashes of our own in a query of the set `social`. */
function quotes(query: string): number {
  if (query.startsWith('#')) return 1
  if (!query.startsWith('"')) return 0
  return query.includes('" "') ? 4 : 2
}
