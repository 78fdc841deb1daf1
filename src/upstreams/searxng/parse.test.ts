import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { expectOnlyParseErrors } from '../../../test/spoiled-objects.js'
import { parseSearchResults } from './parse.js'

const answers = JSON.parse(readFileSync(new URL('fixtures/answers.json', import.meta.url), 'utf8'))

test('an answer of the current version; times without a zone are UTC, torrents are left out', () => {
  expect(parseSearchResults(answers.current, 'body')).toEqual({
    results: [
      {
        title: 'Magic injury report',
        url: 'https://www.example.com/a',
        domain: 'example.com',
        snippet: 'Who is out.',
        engines: ['bing', 'duckduckgo'],
        score: 3,
        category: 'general',
        publishedMs: Date.UTC(2026, 10, 15, 10),
      },
      {
        title: 'Hawks',
        url: 'https://example.org/b?x=1',
        domain: 'example.org',
        snippet: '',
        engines: ['bing'],
        score: 1,
        category: 'news',
        publishedMs: Date.UTC(2026, 10, 15, 4, 30, 0, 123),
      },
    ],
    answers: ['Two players are out.'],
    suggestions: ['hawks magic lineup'],
    unresponsive: [{ engine: 'brave', reason: 'Suspended: too many requests' }],
  })
})

test('an answer of an older version', () => {
  expect(parseSearchResults(answers.older, 'body')).toEqual({
    results: [
      expect.objectContaining({
        title: '',
        url: 'http://example.net/',
        domain: 'example.net',
        snippet: '',
        score: 0,
        engines: ['bing'],
        category: 'general',
        publishedMs: undefined,
      }),
    ],
    answers: ['42'],
    suggestions: [],
    unresponsive: [
      { engine: 'bing', reason: 'no answer' },
      { engine: 'duckduckgo', reason: 'no answer' },
    ],
  })
})

test('texts of pages are cut at 2 KB, between two characters', () => {
  const long = '🏀'.repeat(2_000)
  const result = { ...answers.current.results[0], title: long, content: `a${long}` }
  const {
    results,
    answers: [answer],
    suggestions,
  } = parseSearchResults(
    { results: [result], answers: [long], suggestions: [long, 'x'.repeat(2_048)] },
    'body',
  )
  const cut = `${'🏀'.repeat(511)}…`
  expect(results[0]).toMatchObject({ title: cut, snippet: `a${cut}` })
  expect(Buffer.byteLength(results[0]?.snippet ?? '')).toBe(2_048)
  expect(answer).toBe(cut)
  expect(suggestions).toEqual([cut, 'x'.repeat(2_048)])
})

test('whatever comes, nothing but a ParseError is thrown', () => {
  expectOnlyParseErrors([parseSearchResults], answers.current)
  const [result] = answers.current.results
  expectOnlyParseErrors([(value) => parseSearchResults({ results: [value] }, 'body')], result)
})
