import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { insertTestMarkets } from '../test-catalogue.js'
import { marketSearchRoutes } from './routes.js'

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp({ routes: (ctx) => [marketSearchRoutes(ctx)] })
  key = (await t.createCaller('enterprise')).key
  await insertTestMarkets(t.ctx.sql, [
    { question: 'Peace in Ukraine by June?', slug: 'peace-in-ukraine', volume: 900 },
    { question: 'Will it rain in Oslo?', slug: 'rain-oslo', volume: 5, title: 'Oslo weather' },
    { question: 'Rain in Bergen?', slug: 'rain-bergen', volume: 50 },
    { question: 'Bitcoin above $100k?', slug: 'bitcoin-above-100k', volume: 70 },
    { question: 'Bitcoin above $100,5?', slug: 'btc-low', volume: 60, closed: true },
    { question: 'S&P 500 up in May?', slug: 'sp-500-may', volume: 3 },
    { question: '50% of the votes_cast?', slug: 'half', volume: 2 },
    { question: 'Lula wins São Paulo?', slug: 'lula-sao-paulo' },
    { question: 'rain-oslo is in the question only', slug: 'another', volume: 1_000 },
    { question: 'Candidate A?', slug: 'candidate-a', title: 'Mayor', event: 99, volume: 1 },
    { question: 'Candidate B?', slug: 'candidate-b', title: 'Mayor', event: 99, volume: 8 },
    { question: 'The event-candidate-a of it?', slug: 'it', volume: 2_000 },
    { question: 'Will Trump win the election?', slug: 'trump-election', volume: 500 },
  ])
})
afterAll(() => t.close())

const get = (query: Record<string, string>) =>
  t.app.inject({
    url: `/v3/markets/search?${new URLSearchParams(query)}`,
    headers: { 'x-api-key': key },
  })
const slugs = async (q: string, page: Record<string, string> = {}) =>
  (await get({ q, ...page })).json().data.map(({ slug }: { slug: string }) => slug)

describe('GET /v3/markets/search', () => {
  test.each([
    ['all words in any order', 'oslo rain', ['another', 'rain-oslo']],
    ['words of the title of the event', 'weather', ['rain-oslo']],
    ['words of the slug', '500 sp', ['sp-500-may']],
    ['an exact slug first, whatever its volume', 'rain-oslo', ['rain-oslo', 'another']],
    ['an exact slug with spaces in it', 'Rain OSLO', ['rain-oslo', 'another']],
    [
      'then the markets of the event with the slug',
      'event-candidate-a',
      ['candidate-b', 'candidate-a', 'it'],
    ],
    [
      'beginnings of words before insides, each by volume',
      'rain',
      ['another', 'rain-bergen', 'rain-oslo', 'peace-in-ukraine'],
    ],
    ['a prefix', 'bitc', ['bitcoin-above-100k', 'btc-low']],
    ['the inside of a word', 'itcoi', ['bitcoin-above-100k', 'btc-low']],
    ['punctuation literally', '$100k', ['bitcoin-above-100k']],
    ['a comma literally', '100,5', ['btc-low']],
    ['a percent sign literally', '50%', ['half']],
    ['an underscore literally', 's_cas', ['half']],
    ['a backslash literally', 'oslo\\', []],
    ['short words at beginnings', 's&p up', ['sp-500-may']],
    ['but not inside of words', 'sl', []],
    ['letters without their accents', 'SAO paulo', ['lula-sao-paulo']],
    ['accents', 'são', ['lula-sao-paulo']],
    ['two letters that are swapped', 'bitcion', ['bitcoin-above-100k', 'btc-low']],
    ['a letter too few', 'trup', ['trump-election']],
    ['a letter too many, beside a right word', 'trump ellection', ['trump-election']],
    ['two typos in a long word', 'elektiom', ['trump-election']],
    ['nothing when each word is right but no market has all', 'trump bitcoin', []],
    ['nothing when a word resembles none', 'xylophone', []],
    ['nothing for punctuation alone', '?', []],
  ])('200: finds %s', async (_what, q, expected) => {
    expect(await slugs(q)).toEqual(expected)
  })

  test('200: pages by cursor and by offset run through all ways to match', async () => {
    const whole = await slugs('rain')
    const byCursor: string[] = []
    for (let cursor: string | undefined; byCursor.length < 10; ) {
      const page = (await get({ q: 'rain', limit: '1', ...(cursor && { cursor }) })).json()
      byCursor.push(...page.data.map(({ slug }: { slug: string }) => slug))
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(byCursor).toEqual(whole)
    for (const offset of whole.keys()) {
      expect(await slugs('rain', { offset: `${offset}`, limit: '2' })).toEqual(
        whole.slice(offset, offset + 2),
      )
    }
    expect(await slugs('rain', { offset: '4' })).toEqual([])
  })

  test('200: has the fields of the reference', async () => {
    const { data } = (await get({ q: 'bergen' })).json()
    expect(data).toEqual([
      {
        condition_id: null,
        question: 'Rain in Bergen?',
        slug: 'rain-bergen',
        category: null,
        volume_all_time: '50',
        active: true,
        closed: false,
        winning_outcome_index: null,
        tag_slugs: [],
      },
    ])
  })

  test.each([
    ['no q', {}, "Missing required query parameter 'q'"],
    ['an empty q', { q: ' ' }, 'Invalid q: '],
    ['a q that cannot be seen', { q: '\ufeff\u200b\u00a0' }, 'Invalid q: '],
    ['a control character', { q: 'a\u0007b' }, 'Invalid q: .*without control characters'],
    ['more than 200 characters', { q: 'a'.repeat(201) }, 'Invalid q: .*from 1 to 200 characters'],
  ])('400: %s', async (_what, query, error) => {
    const reply = await get(query)
    expect(reply.statusCode).toBe(400)
    expect(Object.keys(reply.json())).toEqual(['error'])
    expect(reply.json().error).toMatch(new RegExp(`^${error}`))
  })

  test('200: spaces around q do not count', async () => {
    expect(await slugs(`  bergen${' '.repeat(200)}`)).toEqual(['rain-bergen'])
  })
})
