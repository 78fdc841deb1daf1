import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { createXApiHost } from './host.js'

const START_MS = Date.UTC(2026, 10, 12)
const NOW_MS = START_MS + 600_000

const open = () => {
  const universe = new Universe({ seed: 9, startMs: START_MS, hasGames: true })
  universe.advance(NOW_MS)
  return createXApiHost(universe, { bearerToken: 'token' })
}
let host: Host
beforeAll(async () => {
  host = await openHost('x_api', new Faults(), open())
})
afterAll(() => host.close())

type Shown = { id: string; text: string; created_at: string; entities?: { urls?: LinkRange[] } }
type LinkRange = { start: number; end: number; url: string }
type Body = {
  data?: Shown[]
  includes?: Record<string, object[]>
  meta?: { result_count: number; next_token?: string }
  errors?: { title?: string; message?: string; type?: string }[]
  title?: string
}

async function ask(path: string, query: Record<string, string> = {}, token = 'token') {
  const url = `${host.url}${path}?${new URLSearchParams(query)}`
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Body }
}
const search = (query: string, rest: Record<string, string> = {}) =>
  ask('/2/tweets/search/recent', { query, ...rest })

describe('recent search', () => {
  test('shows an id and a text unless more is asked for', async () => {
    const { status, headers, body } = await search('the')
    expect(status).toBe(200)
    expect(headers.get('x-rate-limit-limit')).toBe('450')
    expect(body.data).toHaveLength(10)
    expect(Object.keys(body.data?.[0] ?? {})).toEqual(['id', 'text', 'edit_history_tweet_ids'])
    expect(body).not.toHaveProperty('includes')
  })

  test('pages through all posts by tokens, newest first, each once', async () => {
    const ids: string[] = []
    for (let token: string | undefined, more = true; more; ) {
      const rest = { max_results: '100', ...(token !== undefined && { next_token: token }) }
      const { body } = await search('injury', rest)
      ids.push(...(body.data ?? []).map(({ id }) => id))
      token = body.meta?.next_token
      more = token !== undefined
    }
    expect(ids.length).toBeGreaterThan(200)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => (BigInt(a) < BigInt(b) ? 1 : -1)))
  })

  test('positions of links count code points, and posts are of the last seven days', async () => {
    const fields = { 'tweet.fields': 'entities,created_at', max_results: '100' }
    const { body } = await search('who you got', fields)
    const linked = (body.data ?? []).filter(({ entities }) => entities?.urls !== undefined)
    expect(linked.length).toBeGreaterThan(20)
    for (const { text, created_at, entities } of linked) {
      expect(Date.parse(created_at)).toBeGreaterThan(NOW_MS - 7 * 86_400_000)
      expect(Date.parse(created_at)).toBeLessThanOrEqual(NOW_MS - 30_000)
      for (const { start, end, url } of entities?.urls ?? []) {
        expect([...text].slice(start, end).join('')).toBe(url)
      }
    }
  })

  test.each([
    ['#NBA OR #NHL', /#(NBA|NHL)\b/],
    ['"injury report" -injury', undefined],
    ['(injury OR lineup) -lang:es', /injury|lineup/i],
    ['lineup from:MarketWire', /lineup/i],
    ['lang:es noticias', /noticias/i],
  ])('%s', async (query, expected) => {
    const { status, body } = await search(query, { max_results: '100' })
    expect(status).toBe(200)
    if (expected === undefined) expect(body).toEqual({ meta: { result_count: 0 } })
    else for (const { text } of body.data ?? []) expect(text).toMatch(expected)
  })

  test.each([
    ['no query', {}, /query/],
    ['an operator of web search', { query: 'a min_faves:5' }, /invalid operator 'min_faves'/],
    ['another one', { query: 'a since:2026-11-10' }, /invalid operator 'since'/],
    ['nothing that stands alone', { query: 'lang:en' }, /standalone/],
    ['an open parenthesis', { query: '(a' }, /no viable alternative/],
    ['too few', { query: 'a', max_results: '9' }, /max_results/],
    ['too many', { query: 'a', max_results: '101' }, /max_results/],
    ['a field that is none', { query: 'a', 'tweet.fields': 'colour' }, /tweet\.fields/],
    ['a token that is none', { query: 'a', next_token: 'x!' }, /next_token/],
    ['too long ago', { query: 'a', start_time: '2026-11-01T00:00:00Z' }, /start_time/],
    ['no time', { query: 'a', end_time: 'today' }, /end_time/],
  ])('400: %s', async (_what, query, message) => {
    const { status, body } = await ask('/2/tweets/search/recent', query)
    expect([status, body.title]).toEqual([400, 'Invalid Request'])
    expect(body.errors?.[0]?.message).toMatch(message)
  })
})

test.each([
  ['401: no token', '/2/tweets/search/recent', 'other', 401],
  ['403: the archive', '/2/tweets/search/all', 'token', 403],
  ['404: no such path', '/2/tweets', 'token', 404],
  ['400: a username that is none', '/2/users/by/username/a-b', 'token', 400],
])('%s', async (_what, path, token, expected) => {
  expect((await ask(path, { query: 'a' }, token)).status).toBe(expected)
})

test('users that X does not show are errors of a 200', async () => {
  const titles = async (path: string) => (await ask(path)).body.errors?.map(({ title }) => title)
  expect(await titles('/2/users/by/username/nobody_here')).toEqual(['Not Found Error'])
  expect(await titles('/2/users/by/username/pump_king')).toEqual(['Forbidden'])
  const { body } = await ask('/2/users/by/username/quiet_whale')
  const { id } = body.data as unknown as { id: string }
  expect(await titles(`/2/users/${id}/tweets`)).toEqual(['Authorization Error'])
})

test('the same universe posts the same', async () => {
  const again = await openHost('x_api', new Faults(), open())
  const url = '/2/tweets/search/recent?query=the&max_results=100&tweet.fields=entities'
  const headers = { authorization: 'Bearer token' }
  const [first, second] = await Promise.all(
    [host, again].map(async (each) => (await fetch(`${each.url}${url}`, { headers })).text()),
  )
  expect(first).toBe(second)
  await again.close()
})
