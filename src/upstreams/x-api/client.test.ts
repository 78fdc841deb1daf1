import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { createXApiHost } from '../../../sim/x-api/host.js'
import { systemTiming } from '../../lib/timing.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { XApiClient } from './client.js'

const START_MS = Date.UTC(2026, 10, 12)
const TOKEN = 'a-token-of-the-test'

const universe = new Universe({ seed: 9, startMs: START_MS })
const calls: string[] = []
let host: Host
const clients: XApiClient[] = []

beforeAll(async () => {
  universe.advance(START_MS + 60_000)
  const { http, ...rest } = createXApiHost(universe, { bearerToken: TOKEN })
  host = await openHost('x_api', new Faults(), {
    ...rest,
    http: (request) => {
      calls.push(request.path)
      return http?.(request) ?? { status: 404, body: '' }
    },
  })
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await host.close()
})

function connect(bearerToken = TOKEN): XApiClient {
  const metrics = createUpstreamMetrics(new Registry())
  const timing = { ...systemTiming, sleep: async () => undefined }
  const clock = { now: () => universe.nowMs }
  const client = new XApiClient({ url: host.url, metrics, clock, timing, bearerToken })
  clients.push(client)
  return client
}

describe('XApiClient', () => {
  test('posts with everything that they name', async () => {
    const found = await connect().searchRecent({ query: 'odds is:quote', count: 50 })
    expect(found.posts.length).toBeGreaterThan(2)
    for (const { authorId = '', createdMs, metrics, conversationId } of found.posts) {
      expect(found.users.get(authorId)?.username).toMatch(/^\w+$/)
      expect(createdMs).toBeGreaterThan(START_MS - 7 * 86_400_000)
      expect(metrics.impressions).toBeGreaterThanOrEqual(metrics.likes)
      expect(conversationId).toMatch(/^\d+$/)
    }
    const quoted = found.posts.flatMap(({ references }) =>
      references.filter(({ type }) => type === 'quoted').map(({ id }) => found.referenced.get(id)),
    )
    expect(quoted.some((post) => post !== undefined)).toBe(true)
  })

  test('a time between two seconds is a time that X takes', async () => {
    const search = { query: 'odds', count: 1, startMs: START_MS - 3_599_999, endMs: START_MS - 1 }
    const { posts } = await connect().searchRecent(search)
    expect(posts.length).toBeLessThanOrEqual(10)
    for (const { createdMs } of posts) expect(createdMs).toBeLessThan(START_MS)
  })

  test('nothing found', async () => {
    expect((await connect().searchRecent({ query: 'zyzzyva', count: 10 })).posts).toEqual([])
  })

  test('a query that X refuses is not tried again, and says why', async () => {
    calls.length = 0
    await expect(connect().searchRecent({ query: 'min_faves:5 a', count: 10 })).rejects.toMatchObject({
      status: 400,
      retryable: false,
      said: expect.stringMatching(/invalid operator 'min_faves'/),
    })
    expect(calls).toHaveLength(1)
  })

  test('a handle is looked up once', async () => {
    const client = connect()
    calls.length = 0
    const first = await client.listPostsOf('MarketWire', 5)
    expect(first?.posts.length).toBeGreaterThan(0)
    await client.listPostsOf('marketwire', 5)
    expect(calls.filter((path) => path.includes('/by/username/'))).toHaveLength(1)
    expect(calls).toHaveLength(3)
  })

  test.each(['nobody_here', 'pump_king', 'quiet_whale'])('%s has no public posts', async (handle) => {
    expect(await connect().listPostsOf(handle, 5)).toBeUndefined()
  })

  test('a wrong token is a fault that does not show the token', async () => {
    const refusal = connect('another-token').searchRecent({ query: 'odds', count: 10 })
    await expect(refusal).rejects.toMatchObject({ status: 401, retryable: false })
    await expect(refusal).rejects.not.toThrow(/another-token/)
  })

  test('a used-up limit is left alone until X says that its window starts again', async () => {
    const ask = () =>
      fetch(`${host.url}/2/users/by/username/X`, { headers: { authorization: `Bearer ${TOKEN}` } })
    for (let count = 0; count < 300; count++) await ask()
    calls.length = 0
    const client = connect()
    const findUser = () => client.findUserId('X')
    await expect(findUser()).rejects.toMatchObject({ status: 429, retryAfterMs: expect.any(Number) })
    await expect(findUser()).rejects.toMatchObject({ name: 'UpstreamError' })
    expect(calls).toHaveLength(1)
  })
})
