import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { JumpingTiming } from '../../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../../test/simulated-app.js'
import { DEFAULT_PLANS, type PlanId } from '../../accounts/plans.js'
import { systemTiming } from '../../lib/timing.js'
import { askSocial } from './ask-social.js'

const TICK_MS = 50

let t: SimulatedApp
let game: { slug: string; title: string }
beforeAll(async () => {
  t = await openSimulatedApp({ hasGames: true, timing: new ClockTiming() })
  const [first] = t.universe.games().filter(({ endMs }) => endMs > t.clock.now())
  if (first === undefined) throw new Error('there is no game')
  game = first
})
afterAll(() => t.close())
afterEach(() => t.faults.set({ upstream: '*', mode: 'off' }))

/** Every sleep ends at once and advances the clock of the service, which the rate limit of a key follows. */
class ClockTiming extends JumpingTiming {
  override async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await super.sleep(ms, signal)
    t.clock.advance(Math.ceil(ms))
  }
}

async function open(plan: PlanId = 'enterprise') {
  const { key, ...ids } = await t.createCaller(plan)
  const ask = async (query: string, name = game.slug) => {
    const url = `/v2/sports/games/${name}/context?${query}`
    const reply = await t.app.inject({ url, headers: { 'x-api-key': key } })
    return { status: reply.statusCode, body: reply.json() }
  }
  return { ...ids, ask }
}

const usedUnits = (accountId: number) => t.ctx.socialQuota.usedBy(accountId)

describe('GET /v2/sports/games/{slug}/context', () => {
  test('200: queries, what both sources found, and the state', async () => {
    const { ask, accountId } = await open()
    const startedMs = t.clock.now()
    const { status, body } = await ask('sources=web,x,unheard&max_queries=2&include_state=True')
    expect(status).toBe(200)
    expect(t.clock.now() - startedMs).toBeGreaterThanOrEqual(1_000)
    const [matchup, injuries] = body.generated_queries
    expect(body).toMatchObject({
      slug: game.slug,
      title: game.title,
      query_set: 'default',
      generated_queries: [
        { id: 'matchup', query: expect.any(String), reason: expect.any(String) },
        { id: 'matchup-injuries' },
      ],
      sources_requested: ['online', 'social'],
      sources: {
        social: {
          status: 'ok',
          queries: [
            { id: matchup.id, query: matchup.query, status: 'ok', tweets: expect.any(Array) },
            { id: injuries.id, query: injuries.query, status: 'ok' },
          ],
        },
        online: {
          status: 'ok',
          source: 'search_online',
          adapter: 'searxng',
          queries: [{ id: matchup.id, query: matchup.query, status: 'ok' }, { id: injuries.id }],
        },
      },
      state: { slug: game.slug, markets: expect.any(Array) },
    })
    const [found] = body.sources.online.queries
    expect(found.results.length).toBeGreaterThanOrEqual(3)
    expect(found.results.length).toBeLessThanOrEqual(5)
    expect(found.results[0].title).toContain(game.title)
    expect(await usedUnits(accountId)).toBe(2)
  })

  test('200: by event and by market', async () => {
    const { ask } = await open()
    const query = 'sources=online&max_queries=1'
    const { body } = await ask(query)
    const event = t.universe.catalogue.events().find(({ slug }) => slug === game.slug)
    const market = event?.markets[0]
    expect((await ask(query, `by-event/${event?.id}`)).body).toEqual(body)
    expect((await ask(query, `by-market/${market?.id}`)).body).toEqual(body)
  })

  test('200: values above their cap count as the cap; operators of posts stay out of web search', async () => {
    const { ask } = await open()
    const { body } = await ask('sources=ddg&max_queries=99&max_per_query=99&query_set=injuries')
    expect(body.generated_queries).toHaveLength(4)
    for (const { results } of body.sources.online.queries) expect(results.length).toBeLessThanOrEqual(10)
    const social = await ask('sources=online&query_set=social&max_queries=3')
    expect(social.body.generated_queries[2].query).toContain('min_faves:10')
    expect(social.body.sources.online.queries[2].query).not.toContain('min_faves')
  })

  test('200: a free key gets no posts, and all else', async () => {
    const { ask } = await open('free')
    const { body } = await ask('sources=social,online&max_queries=1')
    expect(body.sources.social).toEqual({
      status: 'not_available',
      error: 'Social search needs a paid plan.',
      result_count: 0,
      queries: [],
    })
    expect(body.sources.online.status).toBe('ok')
  })

  test('200: the quota ends in the middle of a bundle', async () => {
    const { ask, accountId } = await open('starter')
    const month = '2026-11-01'
    const used = DEFAULT_PLANS.starter.socialPerMonth - 1
    await t.ctx.sql`
      insert into usage (account_id, month, meter, used)
      values (${accountId}, ${month}, 'social', ${used})`
    const { social } = (await ask('max_queries=3')).body.sources
    expect(social.status).toBe('partial')
    // The second between two queries is nothing here, so either of the first two gets the last unit.
    const statuses: string[] = social.queries.map((query: { status: string }) => query.status)
    expect(statuses.sort()).toEqual(['ok', 'quota_exceeded', 'quota_exceeded'])
    expect((await ask('max_queries=1')).body.sources.social.status).toBe('quota_exceeded')
  })

  test('200: one source that fails does not fail the other', async () => {
    const { ask } = await open()
    t.faults.set({ upstream: 'searxng', mode: '500' })
    const query = 'sources=online,social&max_queries=1&query_set=news'
    expect((await ask(query)).body.sources).toMatchObject({
      online: { status: 'error', error: expect.stringContaining('searxng'), result_count: 0 },
      social: { status: 'ok' },
    })
    t.faults.set({ upstream: '*', mode: 'off' })
    t.faults.set({ upstream: 'x_api', mode: 'garbage' })
    t.faults.set({ upstream: 'searxng', mode: 'engine-down' })
    const { body } = await (await open()).ask(query)
    expect(body.sources.online).toMatchObject({
      status: 'partial',
      queries: [{ status: 'partial' }],
    })
    expect(body.sources.social).toMatchObject({ status: 'error', result_count: 0 })
  })

  test('200: bundles count as one online search each, and the fourth has none', async () => {
    const { ask } = await open()
    const query = 'sources=online&max_queries=5&query_set=lineups'
    const statuses = []
    for (const _ of [1, 2, 3, 4]) statuses.push((await ask(query)).body.sources.online.status)
    expect(statuses).toEqual(['ok', 'ok', 'ok', 'error'])
  })

  test('what is late is left out, and is not counted by the rate limit', async () => {
    const { keyId, accountId } = await t.createCaller('growth')
    // Answers are late in real time, so the rate limit follows real time too.
    const ticking = setInterval(() => t.clock.advance(TICK_MS), TICK_MS)
    onTestFinished(() => clearInterval(ticking))
    const tools = {
      platform: t.ctx,
      deps: { ...t.ctx, timing: systemTiming },
      caller: {
        keyId,
        accountId,
        plan: DEFAULT_PLANS.growth,
        scope: 'full' as const,
        expiresAtMs: Number.POSITIVE_INFINITY,
      },
    }
    t.faults.set({ upstream: 'x_api', mode: 'slow', delayMs: 3_000 })
    const queries = ['a', 'b', 'c'].map((id) => ({ id, query: 'the', reason: '' }))
    const found = await askSocial(tools, { queries, postsMax: 5, leftMs: 1_500 })
    const late = { status: 'error', error: 'No answer in time.', tweets: [] }
    expect(found).toMatchObject({
      status: 'error',
      queries: [late, late, { ...late, error: expect.stringMatching(/in time/) }],
    })
  })

  test.each([
    ['a source that is none', 'sources=radio', 'Invalid sources'],
    ['no source', 'sources=', 'Invalid sources'],
    ['a set that is none', 'query_set=weather', 'default, injuries, lineups, news, social, markets'],
    ['no queries', 'max_queries=0', 'Invalid max_queries'],
    ['half a result', 'max_per_query=0.5', 'Invalid max_per_query'],
    ['a number that is none', 'price_limit_tokens=many', 'Invalid price_limit_tokens'],
    ['neither yes nor no', 'include_state=maybe', 'Invalid include_state'],
  ])('400: %s', async (_why, query, error) => {
    const { ask } = await open('free')
    const { status, body } = await ask(query, 'no-such-game')
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.stringContaining(error) })
  })

  test('404: there is no such game', async () => {
    const { ask, accountId } = await open()
    expect((await ask('', 'nba-nobody-2026-11-20')).status).toBe(404)
    expect(await usedUnits(accountId)).toBe(0)
  })
})
