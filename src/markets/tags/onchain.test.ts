import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/test-app.js'

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp()
  key = (await t.createCaller('free')).key
  await t.ctx.sql`
    insert into tag_counts values
      ('crypto', 'Crypto', 40, 30, to_timestamp(1000.9), to_timestamp(2000)),
      ('5M', '5M', 12, 12, 'epoch', 'epoch'), ('5m', '5m', 3, 1, 'epoch', 'epoch'),
      ('100%', '100%', 3, 2, 'epoch', 'epoch'), ('nba', 'NBA', 1, 1, 'epoch', 'epoch')`
})
afterAll(() => t.close())

const get = (query: string) =>
  t.app.inject({ url: `/v2/onchain/tags?${query}`, headers: { 'x-api-key': key } })

describe('GET /v2/onchain/tags', () => {
  test.each([
    ['', 'crypto 5M 100% 5m nba'],
    ['sort=alpha', '100% 5M 5m crypto nba'],
    ['prefix=5', '5M 5m'],
    ['prefix=5M', '5M'],
    ['prefix=Cry', ''],
    ['prefix=%25', ''],
    ['prefix=', 'crypto 5M 100% 5m nba'],
    ['min_markets=3', 'crypto 5M 100% 5m'],
    ['min_markets=3&sort=alpha&limit=2', '100% 5M'],
    ['min_markets=41', ''],
    ['limit=1', 'crypto'],
    ['limit=0', 'crypto'],
    ['limit=-4', 'crypto'],
    ['limit=99999', 'crypto 5M 100% 5m nba'],
    ['details=False', 'crypto 5M 100% 5m nba'],
  ])('200: slugs of ?%s', async (query, slugs) => {
    const tags = slugs === '' ? [] : slugs.split(' ')
    const reply = await get(query)
    expect(reply.statusCode, reply.body).toBe(200)
    expect(reply.json()).toEqual({ count: tags.length, tags })
  })

  test.each(['true', 'True', '1'])('200: details=%s', async (details) => {
    expect((await get(`details=${details}&limit=1`)).json()).toEqual({
      count: 1,
      tags: [{ slug: 'crypto', markets: 40, events: 30, first_seen_at: 1000, last_seen_at: 2000 }],
    })
  })

  test.each([
    ['details', 'yes'],
    ['min_markets', '-1'],
    ['min_markets', '1.5'],
    ['sort', 'name'],
    ['sort', 'Alpha'],
    ['limit', 'all'],
    ['prefix', 'x'.repeat(301)],
  ])('400: %s=%s', async (name, value) => {
    const reply = await get(`${name}=${value}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })

  test('401 without a key', async () => {
    expect((await t.app.inject('/v2/onchain/tags')).statusCode).toBe(401)
  })
})
