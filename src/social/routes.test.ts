import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { FaultMode } from '../../sim/server/fault-order.js'
import { openSimulatedApp, type SimulatedApp } from '../../test/simulated-app.js'
import { createTestApp } from '../../test/test-app.js'
import { createKey } from '../accounts/accounts.js'
import { DEFAULT_PLANS, type PlanId } from '../accounts/plans.js'
import type { Post } from '../lookups/posts/post.js'
import { waitForSocialRate } from '../lookups/posts/search-posts.js'

let t: SimulatedApp
beforeAll(async () => {
  t = await openSimulatedApp({ hasGames: true })
})
afterAll(() => t.close())
afterEach(() => t.faults.set({ upstream: 'x_api', mode: 'off' }))

type Found = { tweets: Post[]; result_count: number; error: string }

/** A key without a request in the last second. */
async function open(plan: PlanId = 'enterprise') {
  const { key, ...ids } = await t.createCaller(plan)
  const ask = async (url: string) => {
    const reply = await t.app.inject({ url, headers: { 'x-api-key': key } })
    return { status: reply.statusCode, headers: reply.headers, body: reply.json<Found>() }
  }
  return { key, ...ids, ask }
}

const search = (q: string, rest = '') => `/v2/social/search?q=${encodeURIComponent(q)}${rest}`

describe('GET /v2/social/search', () => {
  test('200: posts as the contract has them, newest first, and the counter', async () => {
    const { ask } = await open()
    const { status, headers, body } = await ask(search('market OR odds OR who', '&max=50'))
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'x-quota-used': '1', 'x-quota-limit': '5000' })
    expect(body).toMatchObject({
      query: 'market OR odds OR who',
      result_count: 50,
      fetched_at: '2026-11-14T12:30:00Z',
    })
    expect(body).not.toHaveProperty('elapsed_ms')
    const times = body.tweets.map(({ created_at }) => Date.parse(created_at))
    expect(times).toEqual([...times].sort((a, b) => b - a))
    for (const post of body.tweets) {
      expect(post.created_at).toMatch(/^\w{3} \w{3} \d\d \d\d:\d\d:\d\d \+0000 2026$/)
      expect(post.public_metrics.impression_count).toMatch(/^\d+$/)
      expect(post.author.username).toMatch(/^\w{1,15}$/)
      expect(post.text).not.toContain('t.co/')
      expect(Object.values(post)).not.toContain(null)
    }
    expect(body.tweets.some(({ text }) => text.includes('…'))).toBe(false)
  })

  test('200: links, cards, pictures, videos and quotes of what is found', async () => {
    const { ask } = await open()
    const seen: Post[] = []
    for (const q of ['is:quote odds', 'has:media who', 'has:links odds', 'injury', 'lineup']) {
      t.clock.advance(1_000)
      seen.push(...(await ask(search(q, '&max=50'))).body.tweets)
    }
    t.clock.set(t.universe.nowMs)
    const linked = seen.find(({ card }) => card !== undefined)
    expect(linked?.card).toMatchObject({
      name: 'summary_large_image',
      domain: 'polymarket.com',
      thumbnail_url: expect.stringMatching(/^https:/),
    })
    expect(linked?.urls?.[0]).toMatchObject({
      url: expect.stringMatching(/^https:\/\/t\.co\//),
      expanded_url: linked?.card?.url,
    })
    expect(linked?.text).toContain(linked?.card?.url)
    const media = seen.flatMap((post) => post.media ?? [])
    expect(media.find(({ type }) => type === 'photo')).not.toHaveProperty('video_url')
    expect(media.find(({ type }) => type === 'video')).toMatchObject({
      url: expect.stringMatching(/\.jpg$/),
      expanded_url: expect.stringMatching(/\/video\/1$/),
      video_url: expect.stringMatching(/720x1280\/clip\.mp4$/),
    })
    const quote = seen.find((post) => post.quoted_tweet !== undefined)
    expect(quote?.quoted_tweet).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      author: { username: expect.stringMatching(/^\w+$/) },
    })
  })

  test('200: operators of web search', async () => {
    const { ask } = await open()
    const q = 'odds min_faves:50 min_retweets:9 since:2026-11-13 until:2026-11-14_06:00:00_UTC'
    const { body } = await ask(search(q, '&limit=50'))
    expect(body.result_count).toBeGreaterThan(0)
    for (const { created_at, public_metrics } of body.tweets) {
      expect(public_metrics.like_count).toBeGreaterThanOrEqual(50)
      expect(public_metrics.retweet_count).toBeGreaterThanOrEqual(9)
      expect(Date.parse(created_at)).toBeGreaterThanOrEqual(Date.UTC(2026, 10, 13))
      expect(Date.parse(created_at)).toBeLessThan(Date.UTC(2026, 10, 14, 6))
    }
  })

  test('200: nothing found counts, and an earlier time than can be searched is said', async () => {
    const { ask } = await open()
    const reply = await ask(search('zyzzyva since:2026-10-01'))
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'x-quota-used': '1' },
      body: { tweets: [], result_count: 0, searched_since: '2026-11-07T12:31:00Z' },
    })
  })

  test.each([
    ['no q', '/v2/social/search', /'q'/],
    ['an empty q', '/v2/social/search?q=%20', /q/],
    ['a q that cannot be seen', '/v2/social/search?q=%EF%BB%BF%E2%80%8B', /q/],
    ['a long q', search('a'.repeat(501)), /q/],
    ['a q of 10 kB', search('a '.repeat(5_000)), /q/],
    ['max over 50', search('a', '&max=51'), /max/],
    ['max under 1', search('a', '&max=0'), /max/],
    ['no number as count', search('a', '&count=x'), /count/],
    ['nothing but times', search('since:2026-11-13'), /nothing to search/],
    ['an operator that the network refuses', search('a nonsense:1'), /invalid operator/],
    ['nothing that can stand alone', search('lang:en'), /standalone/],
  ])('400: %s; it counts nothing', async (_what, url, message) => {
    const { ask } = await open()
    const { status, headers, body } = await ask(url)
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)])
    expect(headers['x-quota-used']).toBe('0')
  })

  test('402: a free key', async () => {
    expect(await (await open('free')).ask(search('a'))).toMatchObject({ status: 402 })
  })

  test('429: the second request within a second, of either kind; it counts nothing', async () => {
    const { ask, accountId, key } = await open('starter')
    expect((await ask(search('the'))).status).toBe(200)
    const refused = await ask('/v2/social/user/MarketWire/tweets')
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1', 'x-quota-used': '1', 'x-quota-limit': '500' },
      body: { scope: 'social_rate', retryAfterMs: 1_000 },
    })
    const nowMs = t.clock.now()
    const { secret } = await createKey(t.ctx.sql, {
      plans: t.ctx.plans,
      accountId,
      name: 'second',
      nowMs,
    })
    const headers = { 'x-api-key': secret }
    expect((await t.app.inject({ url: search('the'), headers })).headers['x-quota-used']).toBe('2')
    expect(key).not.toBe(secret)
  })

  test('429: the quota of the month, until the first of the next one', async () => {
    const { ask, accountId } = await open('starter')
    await t.ctx.sql`
      insert into usage (account_id, month, meter, used)
      values (${accountId}, '2026-11-01', 'social', 499)`
    expect(await ask(search('the'))).toMatchObject({
      status: 200,
      headers: { 'x-quota-used': '500' },
    })
    t.clock.advance(1_000)
    const refused = await ask(search('the'))
    t.clock.set(t.universe.nowMs)
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'x-quota-used': '500', 'x-quota-limit': '500' },
      body: { scope: 'social_quota', reset_at: Date.UTC(2026, 11) / 1000 },
    })
    const usage = await ask('/v1/usage')
    expect(usage.body).toMatchObject({ social: { used: 500, limit: 500 } })
  })
})

describe('GET /v2/social/user/{handle}/tweets', () => {
  test('200: posts, replies and reposts of one account, whatever the case of its handle', async () => {
    const { ask } = await open()
    const { status, headers, body } = await ask('/v2/social/user/@marketwire/tweets?max=50')
    expect([status, headers['x-quota-used']]).toEqual([200, '1'])
    expect(body).toMatchObject({ handle: 'marketwire', result_count: body.tweets.length })
    expect(new Set(body.tweets.map(({ author }) => author.username))).toEqual(new Set(['MarketWire']))
    const repost = body.tweets.find(({ text }) => text.startsWith('RT @'))
    expect(repost?.text).not.toMatch(/…|t\.co\//)
    t.clock.advance(1_000)
    expect((await ask('/v2/social/user/MarketWire/tweets?count=3')).body.result_count).toBe(3)
    t.clock.set(t.universe.nowMs)
  })

  test.each([
    ['404', 'nobody_here', 404],
    ['404: suspended', 'pump_king', 404],
    ['404: its posts are not public', 'quiet_whale', 404],
    ['400: invalid characters', 'a-b', 400],
    ['400: too long', 'a'.repeat(16), 400],
    ['400: nothing but the sign', '@', 400],
    ['400: invalid Unicode', encodeURIComponent('ｘ🐋'), 400],
  ])('%s; it counts nothing', async (_what, handle, expected) => {
    const { ask } = await open()
    const { status, headers } = await ask(`/v2/social/user/${handle}/tweets`)
    expect([status, headers['x-quota-used']]).toEqual([expected, '0'])
  })
})

describe('while the network', () => {
  test.each<[FaultMode]>([['500'], ['429'], ['garbage'], ['truncated'], ['half-open']])(
    'answers %s: 502, and nothing is counted',
    async (mode) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      try {
        const { ask } = await open()
        t.faults.set({ upstream: 'x_api', mode })
        const reply = ask(search('the'))
        let isOver = false
        void reply.finally(() => {
          isOver = true
        })
        while (!isOver) {
          await vi.advanceTimersByTimeAsync(200)
          await new Promise((next) => setImmediate(next))
        }
        expect(await reply).toMatchObject({
          status: 502,
          headers: { 'x-quota-used': '0' },
          body: { error: 'temporary_data_provider_error', detail: 'x_api' },
        })
      } finally {
        vi.useRealTimers()
      }
    },
  )

  test('has no token: 502 that says what to set', async () => {
    const bare = await createTestApp()
    const { key } = await bare.createCaller('growth')
    const headers = { 'x-api-key': key }
    const reply = await bare.app.inject({ url: search('the'), headers })
    expect([reply.statusCode, reply.json()]).toEqual([
      502,
      { error: 'not_configured', detail: expect.stringMatching(/AUSPEX_X_BEARER_TOKEN/) },
    ])
    expect(reply.headers['x-quota-used']).toBe('0')
    await bare.close()
  })
})

test('a key may search again a second after its last request', async () => {
  const { accountId, keyId, ask } = await open()
  await ask(search('the'))
  const tools = {
    platform: t.ctx,
    deps: t.ctx,
    caller: {
      accountId,
      keyId,
      plan: DEFAULT_PLANS.enterprise,
      scope: 'full' as const,
      expiresAtMs: Number.POSITIVE_INFINITY,
    },
  }
  let isAllowed = false
  const waiting = waitForSocialRate(tools, new AbortController().signal).then(() => {
    isAllowed = true
  })
  await new Promise((next) => setTimeout(next, 50))
  expect(isAllowed).toBe(false)
  t.clock.advance(1_000)
  await waiting
  t.clock.set(t.universe.nowMs)
})
