import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestApp, jobOf, type TestApp } from '../../../test/test-app.js'
import { chainStatus } from '../../chain/domain.js'
import { UpstreamHealth } from '../../upstreams/transport/health.js'
import { presentUpstreams } from '../present.js'
import { StatusSampler } from './sampler.js'

/** Two processes on one database. */
let t: TestApp
let other: TestApp
beforeAll(async () => {
  const database = await createTestDatabase()
  t = await createTestApp({ database })
  other = await createTestApp({ database: { ...database, drop: async () => undefined } })
})
afterAll(async () => {
  await other.close()
  await t.close()
})
const NOON_MS = Date.UTC(2026, 10, 20, 12)
beforeEach(async () => {
  await t.ctx.sql`truncate status_samples`
  for (const { clock } of [t, other]) clock.set(NOON_MS)
})

type Sample = Record<string, unknown>
const get = async (hours: number) => {
  const reply = await t.app.inject(`/v1/status/history?hours=${hours}`)
  expect(reply.statusCode).toBe(200)
  return { ...reply.json(), headers: reply.headers } as {
    from: string
    to: string
    step_seconds: number
    samples: Sample[]
    headers: Record<string, unknown>
  }
}

/** A sampler of its own for a process, with what it looks at. */
function watch({ ctx, clock }: TestApp) {
  const health = new UpstreamHealth()
  const chain = { ...ctx.chain, follower: { phase: 'live' as const, nodeBlock: 70, problem: undefined } }
  const store = { ...ctx.store, problem: undefined as string | undefined }
  const platform = Object.create(ctx, {
    store: { value: store },
    statusParts: { value: [chainStatus(chain)] },
  })
  const sampler = new StatusSampler({ platform, chain, health })
  const lookAt = async (ms: number, ageSec = 2) => {
    clock.set(ms)
    chain.head = { block: 70, timeSec: Math.floor(ms / 1000) - ageSec }
    await sampler.look()
  }
  return { health, store, chain, lookAt }
}

describe('GET /v1/status/history', () => {
  test('200: a minute of a process, when it is over, without a key', async () => {
    const { lookAt, health } = watch(t)
    await lookAt(NOON_MS)
    const broken = { url: '/v1/status/history?hours=1' }
    for (let count = 0; count < 3; count++) await t.app.inject('/healthz')
    await t.app.inject(broken)
    health.failed('gamma', 'boom', NOON_MS)
    health.failed('clob', 'boom', NOON_MS)
    health.failed('gamma', 'boom', NOON_MS)
    await lookAt(NOON_MS + 30_000, 61)
    await lookAt(NOON_MS + 59_999)
    await lookAt(NOON_MS + 60_000)
    const { samples, step_seconds, to, headers } = await get(1)
    expect([step_seconds, to, samples.length]).toEqual([60, '2026-11-20T12:01:00.000Z', 60])
    expect(samples.at(-1)).toEqual({
      at: '2026-11-20T12:00:00.000Z',
      status: 'not_ready',
      head_block: 70,
      head_age_seconds: 61,
      requests: 4,
      server_errors: 0,
      upstream_faults: 3,
      failing_upstreams: ['clob', 'gamma'],
    })
    expect(samples[0]).toMatchObject({ status: 'no_data', head_block: null, requests: 0 })
    expect(headers['cache-control']).toBe('private, max-age=30')
  })

  test('200: counts are of their minute alone; server errors are not those of /readyz', async () => {
    const { lookAt } = watch(t)
    await lookAt(NOON_MS)
    t.ctx.statusParts.push({
      check: () => ({ name: 'x', status: 'not_ready', isReady: false, problem: 'x' }),
    })
    onTestFinished(() => void t.ctx.statusParts.pop())
    expect((await t.app.inject('/readyz')).statusCode).toBe(503)
    await t.ctx.sql`alter table status_samples rename to hidden`
    expect((await t.app.inject('/v1/status/history?hours=7')).statusCode).toBe(500)
    await t.ctx.sql`alter table hidden rename to status_samples`
    for (const minutes of [1, 2, 3]) await lookAt(NOON_MS + minutes * 60_000)
    const { samples } = await get(2)
    expect(samples.slice(-3).map(({ requests, server_errors }) => [requests, server_errors])).toEqual([
      [2, 1],
      [0, 0],
      [0, 0],
    ])
  })

  test('200: of several processes: as ready as the best, requests of all', async () => {
    const [one, two] = [watch(t), watch(other)]
    for (const minutes of [0, 1, 2]) {
      await one.lookAt(NOON_MS + minutes * 60_000, 90)
      if (minutes < 2) await t.app.inject('/healthz')
      await two.lookAt(NOON_MS + minutes * 60_000, 3)
      if (minutes < 2) await other.app.inject('/healthz')
      two.health.failed('site', 'boom', 0)
    }
    const { samples } = await get(3)
    expect(samples.at(-1)).toMatchObject({ status: 'ready', head_age_seconds: 3, requests: 2 })
    expect(samples.at(-1)).toMatchObject({ upstream_faults: 1, failing_upstreams: ['site'] })
  })

  test.each([
    [4, 60, 240],
    [24, 300, 288],
    [168, 1_800, 336],
  ])('200: %i hours in steps of %i seconds, each as bad as its worst minute', async (hours, step, count) => {
    const { lookAt } = watch(t)
    for (const [minutes, ageSec] of [0, 70, 0, 0].entries()) await lookAt(NOON_MS + minutes * 60_000, ageSec)
    t.clock.set(NOON_MS + 60 * 60_000)
    const { samples, step_seconds, from } = await get(hours)
    expect([step_seconds, samples.length]).toEqual([step, count])
    expect(samples[0]?.at).toBe(from)
    const known = samples.filter(({ status }) => status !== 'no_data')
    expect(known.map(({ status }) => status)).toEqual(
      step === 60 ? ['ready', 'not_ready', 'ready'] : ['not_ready'],
    )
  })

  test('minutes in which the database was lost are stored when it is back', async () => {
    const { lookAt, store } = watch(t)
    await lookAt(NOON_MS)
    store.problem = 'database: gone'
    for (const minutes of [1, 2]) await lookAt(NOON_MS + minutes * 60_000)
    expect(await t.ctx.sql`select from status_samples`).toHaveLength(0)
    store.problem = undefined
    await lookAt(NOON_MS + 180_000)
    const rows = await t.ctx.sql`select status from status_samples order by at`
    expect(rows.map(({ status }) => status)).toEqual([0, 2, 2])
  })

  test('a week is kept', async () => {
    const { lookAt } = watch(t)
    const week = 7 * 24 * 60 * 60_000
    for (const ms of [0, 60_000, week, week + 60_000]) await lookAt(NOON_MS + ms)
    const [row] = await t.ctx.sql`select min(at) as at from status_samples`
    expect(row?.at.getTime()).toBe(NOON_MS + 60_000)
  })

  test.each(['hours=0', 'hours=169', 'hours=x'])('400: %s', async (query) => {
    const reply = await t.app.inject(`/v1/status/history?${query}`)
    expect([reply.statusCode, reply.json().error]).toEqual([400, expect.stringMatching(/hours/)])
  })

  test('the job of the service writes it', async () => {
    const job = jobOf(t.domains, 'status samples')
    await job.run({} as never)
    t.clock.advance(60_000)
    await job.run({} as never)
    expect(await t.ctx.sql`select from status_samples`).toHaveLength(1)
  })
})

describe('upstreams of /v1/status', () => {
  test('say how they did, with their last error', () => {
    const health = new UpstreamHealth()
    health.succeeded('gamma', 1_000_000)
    health.failed('clob', 'GET /book failed: timeout', 2_000_000)
    health.failed('data_api', 'boom', 2_000_000)
    health.succeeded('data_api', 3_000_000)
    const shown = presentUpstreams(t.ctx.config, health)
    const of = (name: string) => shown.find((upstream) => upstream.name === name)
    expect(of('gamma')).toMatchObject({ state: 'ok', successes: 1, last_ok: 1_000, last_error: null })
    expect(of('clob')).toEqual({
      name: 'clob',
      state: 'failing',
      successes: 0,
      faults: 1,
      last_ok: null,
      last_fault: 2_000,
      last_error: 'GET /book failed: timeout',
    })
    expect(of('data_api')).toMatchObject({ state: 'ok', last_error: 'boom' })
    expect([of('site')?.state, of('polygon')?.state]).toEqual(['idle', 'off'])
  })
})
