import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { translateQuery } from './translate-query.js'

const NOW_MS = Date.UTC(2026, 10, 16, 18)
const at = (text: string) => Date.parse(text)

describe('translateQuery', () => {
  test.each<[string, string, { startMs?: number; endMs?: number; cutAtMs?: number }]>([
    ['bitcoin', 'bitcoin', {}],
    ['  a   "b  c"  ', 'a "b  c"', {}],
    ['hawks min_faves:100', 'hawks min_likes:100', {}],
    ['-min_retweets:5 (a OR b)', '-min_reposts:5 (a OR b)', {}],
    ['"min_faves:9 since:x" c', '"min_faves:9 since:x" c', {}],
    ['from:a -to:b lang:en #NBA', 'from:a -to:b lang:en #NBA', {}],
    ['a -(b "c d") url:"x y"', 'a -(b "c d") url:"x y"', {}],
    ['a since:2026-11-14', 'a', { startMs: at('2026-11-14T00:00:00Z') }],
    [
      'since:2026-11-14_18:30:00_UTC a until:2026-11-15',
      'a',
      { startMs: at('2026-11-14T18:30:00Z'), endMs: at('2026-11-15T00:00:00Z') },
    ],
    ['SINCE:2026-11-12 a since:2026-11-14', 'a', { startMs: at('2026-11-14T00:00:00Z') }],
    ['a until:2026-11-17', 'a', {}],
    ['a since:2026-11-16_17:59:59_UTC', 'a', { startMs: at('2026-11-16T17:59:29Z') }],
    ['a since:2026-11-01', 'a', { cutAtMs: at('2026-11-09T18:01:00Z') }],
  ])('%s', (text, query, times) => {
    expect(translateQuery(text, NOW_MS)).toEqual({
      startMs: undefined,
      endMs: undefined,
      cutAtMs: undefined,
      ...times,
      query,
    })
  })

  test.each([
    ['since:2026-11-14', /nothing to search/],
    ['a "b', /quotation mark/],
    ['a (b', /parenthesis is not closed/],
    ['a) b', /not opened/],
    ['a min_faves:many', /min_faves: takes a whole number/],
    ['a since:yesterday', /since: takes a UTC date/],
    ['a since:2026-02-30', /since: takes a UTC date/],
    ['a since:2026-11-14_25:00:00_UTC', /since: takes a UTC date/],
    ['a until:', /until: takes a UTC date/],
    ['a -since:2026-11-14', /since: holds for the whole query/],
    ['(a since:2026-11-14)', /since: holds for the whole query/],
    ['a OR since:2026-11-14', /since: holds for the whole query/],
    ['a since:2026-11-17', /in the future/],
    ['a since:2026-11-15 until:2026-11-14', /not before until:/],
    ['a until:2026-11-09', /last 7 days/],
  ])('400: %s', (text, message) => {
    expect(() => translateQuery(text, NOW_MS)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringMatching(message) }),
    )
  })

  const word = fc.stringMatching(/^[a-zß-ü0-9#@$.:_\p{Emoji_Presentation}-]{1,8}$/u)
  const isPlain = (text: string) => text !== 'OR' && !/^-?(since|until|min_faves|min_retweets):/i.test(text)
  const plain = fc.oneof(
    word.filter(isPlain),
    fc.stringMatching(/^[a-z :()-]{0,9}$/).map((text) => `"${text}"`),
    fc.constantFrom('(a OR b)', '-(c)', 'from:x'),
  )

  test('leaves everything else as it is, wherever the times stand', () => {
    const time = fc.constantFrom('since:2026-11-12', 'until:2026-11-14_01:02:03_UTC')
    fc.assert(
      fc.property(
        fc.array(plain, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(time, fc.nat(6)), { maxLength: 3 }),
        (words, times) => {
          const mixed = [...words]
          for (const [text, index] of times) mixed.splice(index, 0, text)
          expect(translateQuery(mixed.join('  '), NOW_MS).query).toBe(words.join(' '))
        },
      ),
    )
  })

  test('any text is translated or refused with a 400', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        try {
          expect(translateQuery(text, NOW_MS).query).not.toBe('')
        } catch (error) {
          expect(error).toMatchObject({ status: 400 })
        }
      }),
    )
  })
})
