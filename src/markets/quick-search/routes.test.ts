import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { parseTokenId } from '../../core/ids.js'
import { hexToBytes } from '../../lib/hex.js'
import { insertTestMarkets } from '../test-catalogue.js'
import { quickSearchRoutes } from './routes.js'

const ADDRESS = '0xabcdef0123456789abcdef0123456789abcdef01'
const NEIGHBOUR = '0xabcdef0fffffffffffffffffffffffffffffffff'
const CONDITION = `0xabcdef${'1'.repeat(58)}`
const TOKEN = '71321045679252212594626385532706912750332728571942532289631379312455583992563'

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp({ routes: (ctx) => [quickSearchRoutes(ctx)] })
  key = (await t.createCaller('starter')).key
  const { sql } = t.ctx
  await insertTestMarkets(sql, [
    {
      question: 'Bitcoin above $100k?',
      slug: 'bitcoin-above-100k',
      title: 'Bitcoin prices',
      event: 90,
      volume: 70,
    },
    {
      question: 'Bitcoin above $200k?',
      slug: 'bitcoin-200k',
      title: 'Bitcoin prices',
      event: 90,
      volume: 10,
    },
    { question: 'Bitcoin below $1?', slug: 'bitcoin-below-1', title: 'Old coins', volume: 900, closed: true },
    { question: 'Will it rain in Oslo?', slug: 'rain-oslo', volume: 5 },
    { question: 'Suns vs. Sonics', slug: 'nba-phx-sea-2026-11-17', event: 91, volume: 3 },
    {
      question: 'Suns vs. Sonics: points?',
      slug: 'nba-points',
      title: 'Suns vs. Sonics',
      event: 92,
      volume: 4,
    },
    { question: 'Gone?', slug: 'gone', event: 93, title: 'Bitcoin that Gamma does not list' },
    { question: '100% of the votes_cast?', slug: 'half & half', volume: 2 },
  ])
  await sql`update events set slug = 'bitcoin-prices', market_count = 2, icon = 'https://x/i.png' where id = 90`
  await sql`update events set market_count = 1 where id <> 90`
  await sql`
    update events set slug = 'nba-phx-sea-2026-11-17', game_id = '7', starts_at = '2026-11-17T20:00:00Z' where id = 91`
  await sql`
    update events set slug = 'nba-phx-sea-2026-11-17-more-markets', game_id = '7' where id = 92`
  await sql`update events set gone_at = now() where id = 93`
  await sql`update markets set archived = true where event = 93`
  await sql`update markets set condition = ${hexToBytes(CONDITION)} where id = 1`
  await sql`insert into market_tokens values (${hexToBytes(parseTokenId(TOKEN) ?? '')}, 1, 1)`
  await sql`
    insert into tag_counts values
      ('bitcoin', 'Bitcoin', 40, 3, now(), now()), ('bitcoin-cash', 'Bitcoin Cash', 50, 1, now(), now()),
      ('us-election', 'US Election', 9, 1, now(), now()), ('rainfall', 'Rainfall', 1, 1, now(), now())`
  await sql`
    insert into wallets values
      (1, ${hexToBytes(ADDRESS)}, 1), (2, ${hexToBytes(NEIGHBOUR)}, 1)`
  await sql`
    insert into usernames values
      (${hexToBytes(ADDRESS)}, 'RainMan', now()), (${hexToBytes(NEIGHBOUR)}, 'b_tc%maker', now())`
})
afterAll(() => t.close())
beforeEach(() => t.clock.advance(60_000))

const get = (query: Record<string, string>) =>
  t.app.inject({ url: `/v3/search?${new URLSearchParams(query)}`, headers: { 'x-api-key': key } })
type Result = { kind: string; url_path: string } & Record<string, unknown>
const find = async (q: string, limit = 10): Promise<Result[]> =>
  (await get({ q, limit: String(limit) })).json().results
const pathsOf = async (q: string, limit?: number) =>
  (await find(q, limit)).map(({ kind, url_path }) => `${kind} ${url_path}`)

const BITCOIN = [
  'event /events/bitcoin-prices',
  'market /markets/bitcoin-above-100k',
  'market /markets/bitcoin-200k',
  'market /markets/bitcoin-below-1',
]

describe('GET /v3/search', () => {
  test.each<[string, string, string[]]>([
    [
      'an exact tag, names that begin with it, what is open by volume, what is closed',
      'Bitcoin',
      ['tag /leaderboard?tag=bitcoin', 'tag /leaderboard?tag=bitcoin-cash', ...BITCOIN],
    ],
    ['words that are not typed to their end', 'bitc 200', ['market /markets/bitcoin-200k']],
    ['a market by its slug first', 'bitcoin-200k', ['market /markets/bitcoin-200k']],
    ['an event by its slug first', 'bitcoin-prices', BITCOIN.slice(0, 3)],
    ['a tag by a later word', 'elec', ['tag /leaderboard?tag=us-election']],
    ['an event of one market as that market', 'oslo', ['market /markets/rain-oslo']],
    [
      'names that begin with the text before markets',
      'rain',
      ['tag /leaderboard?tag=rainfall', `user /wallets/RainMan`, 'market /markets/rain-oslo'],
    ],
    [
      'a game once, with its companions and its first market, by a team',
      'sonics',
      ['game /sports/games/nba-phx-sea-2026-11-17', 'market /markets/nba-points'],
    ],
    ['a game by its slug', 'nba-phx-sea-2026-11-17', ['game /sports/games/nba-phx-sea-2026-11-17']],
    ['the inside of a word when nothing begins so', 'itcoi', BITCOIN.slice(1, 2).concat(BITCOIN.slice(2))],
    ['a misspelt word', 'bitcion', BITCOIN.slice(1)],
    ['users alone, in any letter case', '@RAIN', ['user /wallets/RainMan']],
    ['a part of a username, its signs literally', '_tc%', ['user /wallets/b_tc%25maker']],
    ['slugs that need escaping', '100% of', ['market /markets/half%20%26%20half']],
    ['an address', ADDRESS.toUpperCase().replace('0X', '0x'), [`wallet /wallets/${ADDRESS}`]],
    [
      'wallets and conditions by their first six digits',
      '0xabcdef',
      [`wallet /wallets/${ADDRESS}`, `wallet /wallets/${NEIGHBOUR}`, 'condition /markets/bitcoin-above-100k'],
    ],
    ['an odd number of digits', '0xabcdef0f', [`wallet /wallets/${NEIGHBOUR}`]],
    ['a condition', CONDITION, ['condition /markets/bitcoin-above-100k']],
    ['a token', TOKEN, ['token /markets/bitcoin-above-100k']],
    ['no wallet by five digits', '0xabcde', []],
    ['nothing for a token of no market', '9'.repeat(77), []],
    ['nothing for a number that is no token', '9'.repeat(100), []],
    ['nothing that resembles nothing', 'xylophone', []],
    ['nothing for punctuation', '?', []],
    ['nothing for @ alone', '@', []],
    ['nothing for what looks like SQL', "'; drop table markets --", []],
  ])('200: finds %s', async (_what, q, expected) => {
    expect(await pathsOf(q)).toEqual(expected)
  })

  test('200: results say what they are', async () => {
    expect(await find('bitcoin-prices', 1)).toEqual([
      {
        kind: 'event',
        id: '90',
        title: 'Bitcoin prices',
        subtitle: '2 markets',
        url_path: '/events/bitcoin-prices',
        image: 'https://x/i.png',
        is_closed: false,
      },
    ])
    const [game] = await find('sonics')
    expect(game).toMatchObject({ id: 'nba-phx-sea-2026-11-17', subtitle: '2026-11-17T20:00:00.000Z' })
    expect(await find(TOKEN)).toMatchObject([{ id: TOKEN, title: 'Bitcoin above $100k?', subtitle: 'No' }])
    expect(await find(ADDRESS)).toMatchObject([{ id: ADDRESS, title: ADDRESS, subtitle: 'RainMan' }])
    expect(await find('@rainman')).toMatchObject([{ id: ADDRESS, title: 'RainMan', subtitle: ADDRESS }])
    expect((await find('bitcoin 1')).at(-1)).toMatchObject({ subtitle: 'Old coins', is_closed: true })
  })

  test('200: an address that nothing is known of has a page, too', async () => {
    const unknown = `0x${'9'.repeat(40)}`
    expect(await find(unknown)).toMatchObject([{ kind: 'wallet', id: unknown, subtitle: null }])
  })

  test('200: as many as the limit, the best of them', async () => {
    const all = await pathsOf('bitcoin', 20)
    for (const limit of [1, 3]) expect(await pathsOf('bitcoin', limit)).toEqual(all.slice(0, limit))
  })

  test.each([
    ['no q', {}, /q/],
    ['an empty q', { q: ' ' }, /q/],
    ['a control character', { q: 'a\u0007' }, /q/],
    ['a null character', { q: 'a\u0000' }, /q/],
    ['201 characters', { q: 'x'.repeat(201) }, /q/],
    ['a limit of 0', { q: 'x', limit: '0' }, /limit/],
    ['a limit of 21', { q: 'x', limit: '21' }, /limit/],
  ])('400: %s', async (_what, query, message) => {
    const reply = await get(query as Record<string, string>)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toMatch(message)
  })

  test('402: a free key; 401: none', async () => {
    const { key: free } = await t.createCaller('free')
    expect((await t.app.inject(`/v3/search?q=x&key=${free}`)).statusCode).toBe(402)
    expect((await t.app.inject('/v3/search?q=x')).statusCode).toBe(401)
  })
})
