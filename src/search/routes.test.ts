import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openSimulatedApp, type SimulatedApp } from '../../test/simulated-app.js'
import { createTestApp } from '../../test/test-app.js'

let t: SimulatedApp
let title: string
beforeAll(async () => {
  t = await openSimulatedApp()
  title = t.universe.catalogue.events().find(({ window }) => window === undefined)?.title ?? ''
})
afterAll(() => t.close())
afterEach(() => t.faults.set({ upstream: 'searxng', mode: 'off' }))

type Fields = Record<string, string | number>

/** Each request by a key of its own, which the limit of a key does not reach. */
async function search(fields: Fields) {
  const { key } = await t.createCaller('free')
  return ask(key, fields)
}

async function ask(key: string, fields: Fields) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) query.set(name, `${value}`)
  const url = `/v2/search/online?${query}`
  const reply = await t.app.inject({ url, headers: { 'x-api-key': key } })
  return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
}

const calls = async () => {
  const { values } = (await t.ctx.metrics.getSingleMetric('auspex_upstream_requests_total')?.get()) ?? {
    values: [],
  }
  const own = values.filter(({ labels }) => labels.upstream === 'searxng')
  return own.reduce((sum, { value }) => sum + value, 0)
}

describe('GET /v2/search/online', () => {
  test('200: results, the best first; the same search is answered from memory', async () => {
    const { status, body } = await search({ q: title, max_results: 3 })
    expect(status).toBe(200)
    expect(body).toEqual({
      query: title,
      source: 'search_online',
      adapter: 'searxng',
      status: 'ok',
      cached: false,
      engines_requested: ['bing', 'duckduckgo'],
      unresponsive_engines: [],
      result_count: 3,
      results: expect.any(Array),
      answers: [],
      suggestions: expect.any(Array),
      fetched_at: new Date(t.clock.now()).toISOString(),
      elapsed_ms: expect.any(Number),
    })
    expect(body.results[0]).toEqual({
      title: expect.stringContaining(title),
      url: expect.stringMatching(/^https:/),
      domain: expect.stringMatching(/^(?!www\.)[\w.]+$/),
      snippet: expect.any(String),
      engines: expect.arrayContaining([expect.any(String)]),
      score: expect.any(Number),
      category: 'general',
      published_at: expect.toSatisfy((at) => at === null || new Date(at).toISOString() === at),
    })
    const again = await search({ q: `  ${title.toUpperCase()} `, engines: 'duckduckgo,Bing' })
    expect(again.body).toMatchObject({
      query: title.toUpperCase(),
      cached: true,
      fetched_at: body.fetched_at,
      results: expect.arrayContaining(body.results),
    })
    expect(again.body.result_count).toBeGreaterThan(3)
  })

  test('200: the time that a caller accepts decides, and values are cut to their range', async () => {
    const q = `${title} ages`
    expect((await search({ q })).body.cached).toBe(false)
    t.clock.advance(2_000)
    expect((await search({ q, cache_ttl_seconds: 3 })).body.cached).toBe(true)
    expect((await search({ q, cache_ttl_seconds: -5 })).body.cached).toBe(false)
    t.clock.advance(3_599_000)
    expect((await search({ q, cache_ttl_seconds: 99_999 })).body.cached).toBe(true)
    t.clock.advance(1_000)
    expect((await search({ q, cache_ttl_seconds: 99_999 })).body.cached).toBe(false)
    expect((await search({ q, max_results: 0 })).body.result_count).toBe(1)
    expect((await search({ q, max_results: 500 })).body.result_count).toBeLessThanOrEqual(20)
  })

  test('200: another language, range, filter or set of engines is another search', async () => {
    const q = `${title} variants`
    const others: Fields[] = [
      { q },
      { q, language: 'de' },
      { q, time_range: 'year' },
      { q, safe_search: 2 },
      { q, engines: 'brave' },
    ]
    for (const fields of others) expect((await search(fields)).body.cached).toBe(false)
    for (const fields of others) expect((await search(fields)).body.cached).toBe(true)
  })

  test('200: searches at the same time are one', async () => {
    const before = await calls()
    const many = await Promise.all(Array.from({ length: 20 }, () => search({ q: `${title} many` })))
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 200))
    expect(await calls()).toBe(before + 1)
  })

  test('200: partial when one engine fails; the answer is requested again after a minute', async () => {
    t.faults.set({ upstream: 'searxng', mode: 'engine-down' })
    const q = `${title} partial`
    const { body } = await search({ q })
    expect(body).toMatchObject({
      status: 'partial',
      unresponsive_engines: [{ engine: 'bing', reason: 'timeout' }],
    })
    expect(body.result_count).toBeGreaterThan(0)
    t.faults.set({ upstream: 'searxng', mode: 'off' })
    expect((await search({ q })).body).toMatchObject({ status: 'partial', cached: true })
    t.clock.advance(60_000)
    expect((await search({ q })).body).toMatchObject({ status: 'ok', cached: false })
  })

  test.each([
    ['engines-down', 'timeout'],
    ['500', 'SearXNG does not answer'],
    ['garbage', 'SearXNG does not answer'],
  ] as const)('200 during %s: an older answer stands in for twelve hours', async (mode, reason) => {
    const q = `${title} ${mode}`
    const { body } = await search({ q })
    t.clock.advance(601_000)
    t.faults.set({ upstream: 'searxng', mode })
    const older = await search({ q })
    expect(older.status).toBe(200)
    expect(older.body).toMatchObject({
      status: 'partial',
      cached: true,
      fetched_at: body.fetched_at,
      results: body.results,
      unresponsive_engines: [{ engine: 'bing', reason }, expect.anything()],
    })
    t.clock.advance(12 * 3_600_000)
    expect((await search({ q })).status).toBe(502)
  })

  test('200: commands to SearXNG are plain words', async () => {
    const { status, body } = await search({ q: `!!w !brave :fr ${title}` })
    expect(status).toBe(200)
    const engines = new Set(body.results.flatMap((result: { engines: string[] }) => result.engines))
    expect([...engines].sort()).toEqual(['bing', 'duckduckgo'])
  })

  test.each([
    ['no q', {}, "Missing required query parameter 'q'"],
    ['a blank q', { q: '   ' }, 'Invalid q'],
    ['a q without words', { q: '!! ! <' }, 'Invalid q'],
    ['a q of a byte order mark', { q: '\ufeff' }, 'Invalid q'],
    ['a q that cannot be seen', { q: '\u200b \u2060\u00a0!\u3164' }, 'Invalid q'],
    ['a control character', { q: 'a\u0007b' }, 'Invalid q'],
    ['a null character', { q: 'a\u0000b' }, "'q' contains a null character"],
    ['a q of 401 characters', { q: 'x'.repeat(401) }, 'Invalid q'],
    ['a q of 10 kB', { q: 'x'.repeat(10_000) }, 'Invalid q'],
    ['an engine that is none', { q: 'a', engines: 'bing,google' }, 'bing, duckduckgo, brave'],
    ['no engine', { q: 'a', engines: '' }, 'bing, duckduckgo, brave'],
    ['a language that is none', { q: 'a', language: 'english' }, 'Invalid language'],
    ['a time range that is none', { q: 'a', time_range: 'hour' }, 'day, week, month, year'],
    ['a filter that is none', { q: 'a', safe_search: 3 }, 'from 0 to 2'],
    ['a number that is none', { q: 'a', max_results: 'ten' }, 'Invalid max_results'],
    ['a time that is none', { q: 'a', cache_ttl_seconds: '1e3' }, 'Invalid cache_ttl_seconds'],
  ])('400: %s', async (_why, fields, error) => {
    const { status, body } = await search(fields as Fields)
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.stringContaining(error) })
  })

  test.each(['日本 代表 試合', '🏀🏀', 'x'.repeat(400), 'ﷺ'.repeat(400), '"a" OR -b (c', "'; drop"])(
    '200: %s',
    async (q) => {
      expect((await search({ q })).body).toMatchObject({ query: q, result_count: expect.any(Number) })
    },
  )

  test('401 without a key', async () => {
    expect((await t.app.inject('/v2/search/online?q=a')).statusCode).toBe(401)
  })

  test('429: the fourth request within ten seconds, answered from memory or not', async () => {
    const { key } = await t.createCaller('enterprise')
    for (const _ of [1, 2, 3]) expect((await ask(key, { q: title })).status).toBe(200)
    const { status, body, headers } = await ask(key, { q: title })
    expect(status).toBe(429)
    expect(body).toEqual({
      error: expect.any(String),
      scope: 'search_online',
      reset_at: expect.any(Number),
      retryAfterMs: 10_000,
    })
    expect(headers['retry-after']).toBe('10')
    t.clock.advance(10_000)
    expect((await ask(key, { q: title })).status).toBe(200)
  })

  test('502: no engine answers, and there is no older answer', async () => {
    t.faults.set({ upstream: 'searxng', mode: 'engines-down' })
    const { status, body } = await search({ q: `${title} nothing`, engines: 'brave' })
    expect(status).toBe(502)
    expect(body).toEqual({
      error: 'search_unavailable',
      unresponsive_engines: [{ engine: 'brave', reason: 'Suspended: too many requests' }],
    })
  })

  test.each(['500', 'garbage', 'format-off', 'drop'] as const)('502 during %s', async (mode) => {
    t.faults.set({ upstream: 'searxng', mode })
    const { status, body } = await search({ q: `${title} lost ${mode}` })
    expect(status).toBe(502)
    expect(body).toEqual({ error: 'temporary_data_provider_error', detail: 'searxng' })
  })

  test('502: not set up on this server', async () => {
    const bare = await createTestApp()
    const { key } = await bare.createCaller('free')
    const headers = { 'x-api-key': key }
    const reply = await bare.app.inject({ url: '/v2/search/online?q=a', headers })
    await bare.close()
    expect(reply.statusCode).toBe(502)
    const detail = 'Set AUSPEX_SEARXNG_URL to search the web.'
    expect(reply.json()).toEqual({ error: 'not_configured', detail })
  })
})
