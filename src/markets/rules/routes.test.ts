import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { JumpingTiming } from '../../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../../test/simulated-app.js'
import { insertTestMarkets } from '../test-catalogue.js'

const CACHED_MS = 60_000
const FRESH_MS = 600_000

let t: SimulatedApp
beforeAll(async () => {
  t = await openSimulatedApp({ timing: new JumpingTiming() })
  const { sql } = t.ctx
  const slugs = ['known', 'never-requested', 'gone']
  await insertTestMarkets(
    sql,
    slugs.map((slug) => ({ slug, question: slug })),
  )
  const ids = t.universe.catalogue.events().flatMap(({ markets }) => markets.map(({ id }) => Number(id)))
  await sql`update markets set id = ${ids[0] ?? 0} where slug = 'known'`
  await sql`update markets set id = ${ids[1] ?? 0} where slug = 'never-requested'`
  await sql`update markets set id = 2000000000 where slug = 'gone'`
})
afterAll(() => t.close())
beforeEach(() => t.clock.advance(CACHED_MS))
afterEach(() => t.faults.set({ upstream: 'gamma', mode: 'off' }))

const ask = (slug: string) => t.get(`/v3/markets/slug/${slug}/rules`)

test("200: the platform's text, and where the result is read", async () => {
  const [market] = t.universe.catalogue.events().flatMap(({ markets }) => markets)
  const reply = await ask('known')
  expect(reply.statusCode).toBe(200)
  expect(reply.json()).toEqual({
    slug: 'known',
    rules: market?.description,
    resolution_source: market?.event.resolutionSource || null,
    elapsed_ms: expect.any(Number),
  })
})

test('404: a market that the catalogue or the platform does not have', async () => {
  for (const slug of ['unknown', 'gone']) {
    const reply = await ask(slug)
    expect([slug, reply.statusCode, reply.json()]).toEqual([slug, 404, { error: 'Not found.' }])
  }
})

test('400: a slug that is too long', async () => {
  const reply = await ask('a'.repeat(400))
  expect(reply.statusCode).toBe(400)
  expect(reply.json().error).toMatch(/slug/)
})

test('200: the last copy while the platform does not answer; 502 without one', async () => {
  t.clock.advance(FRESH_MS)
  const { rules } = (await ask('known')).json()
  t.faults.set({ upstream: 'gamma', mode: '500' })
  t.clock.advance(FRESH_MS - CACHED_MS)
  expect((await ask('known')).json()).not.toHaveProperty('stale')
  t.clock.advance(FRESH_MS)
  const copy = await ask('known')
  expect(copy.statusCode).toBe(200)
  expect(copy.json()).toMatchObject({ rules, stale: true, as_of: expect.any(Number) })
  const without = await ask('never-requested')
  expect(without.statusCode).toBe(502)
  expect(without.headers['retry-after']).toBe('1')
})
