import { Gauge } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { NO_KEYS } from '../bus/event.js'
import { chainStatus } from '../chain/domain.js'
import type { FollowerStatus } from '../core/chain-status.js'
import { eventStatus, presentBytes } from '../events/domain.js'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp({ config: { metricsToken: 'let-me-in', publicUrl: 'https://data.example.net' } })
  t.ctx.statusParts.push(chainStatus(t.ctx.chain))
})
afterAll(() => t.close())

test('GET /healthz: 200 without a key', async () => {
  const reply = await t.app.inject('/healthz')
  expect(reply.statusCode).toBe(200)
  expect(reply.json()).toEqual({ status: 'ok' })
})

describe('GET /readyz', () => {
  test('200: every check is ok', async () => {
    const reply = await t.app.inject('/readyz')
    expect(reply.statusCode).toBe(200)
    const chain = expect.stringMatching(/^No chain data will come until AUSPEX_POLYGON_URL is set/)
    expect(reply.json()).toEqual({ status: 'degraded', checks: { store: 'ok', chain } })
  })
})

describe('GET /readyz with a chain', () => {
  const BLOCK = 86_000_000
  const ready = async (chain: Partial<FollowerStatus>, ageSec: number) => {
    t.ctx.chain.follower = { phase: 'live', nodeBlock: BLOCK + 500, problem: undefined, ...chain }
    t.ctx.chain.head = { block: BLOCK, timeSec: Math.floor(t.clock.now() / 1000) - ageSec }
    const reply = await t.app.inject('/readyz')
    t.ctx.chain.follower = undefined
    return [reply.statusCode, reply.json().checks.chain]
  }

  test.each<[string, Partial<FollowerStatus>, number]>([
    ['it is live', { phase: 'live' }, 5],
    ['another process books, and has just done so', { phase: 'standby' }, 60],
    ['it takes over from another process', { phase: 'catching_up', hasServed: true }, 60],
  ])('200: %s', async (_what, chain, ageSec) => {
    expect(await ready(chain, ageSec)).toEqual([200, 'ok'])
  })

  test.each<[string, Partial<FollowerStatus>, number, string]>([
    ['history is read', { phase: 'catching_up' }, 900, `catching up: block ${BLOCK} of ${BLOCK + 500}`],
    [
      'it takes over, and no process has booked a block lately',
      { phase: 'catching_up', hasServed: true },
      61,
      `catching up: block ${BLOCK} of ${BLOCK + 500}`,
    ],
    ['no process has booked a block lately', { phase: 'standby' }, 61, 'the last block is 61 seconds old'],
    ['the node is behind', { phase: 'live' }, 61, 'the last block is 61 seconds old'],
    ['it cannot go on', { phase: 'stopped', problem: 'another chain' }, 5, 'another chain'],
    ['the node is gone', { phase: 'live', problem: 'no new block' }, 5, 'no new block'],
  ])('503: %s', async (_what, chain, ageSec, check) => {
    expect(await ready(chain, ageSec)).toEqual([503, check])
  })
})

describe('GET /v1/status', () => {
  test('200: all fields, from what the parts report', async () => {
    const { key } = await t.createCaller('free')
    t.ctx.chain.head = { block: 77_000_000, timeSec: 0 }
    const status = { ...t.ctx.bus.status, eventStoreBytes: 3_328_599_655 }
    const { bus } = t.ctx
    const subscribe = bus.subscribe.bind(bus)
    t.ctx.statusParts.push(eventStatus({ status, countBuffered: () => 0, subscribe }))
    const draft = { timestampMs: t.clock.now(), keys: NO_KEYS }
    bus.publish([
      { ...draft, type: 'settlement', data: {} },
      { ...draft, type: 'settlement', data: { market_title: 'Will it?' } },
      { ...draft, type: 'status_update', data: { market_title: 'Will it?' } },
      { ...draft, type: 'trade', data: {} },
    ])
    t.clock.advance(90_500)
    const reply = await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })
    expect(reply.json()).toEqual({
      node_connected: false,
      uptime_seconds: 90,
      readiness: { status: 'degraded', checks: { store: 'ok', chain: expect.any(String) } },
      stream_length: 0,
      events_stream_length: 0,
      pending_txs: 0,
      ws_subscribers: 0,
      firehose_connections: 0,
      redis_memory: '3.1G',
      redis: { state: 'off', lost_since: null, problem: null },
      state: {
        market_count: 0,
        wallet_count: 0,
        metadata_count: 0,
        events_buffered: 0,
        events_processed: 0,
        latest_block: 77_000_000,
      },
      metadata_observability: {
        ws_settlement_missing_full: 2,
        ws_settlement_missing_title: 1,
        ws_status_missing_full: 1,
        ws_status_missing_title: 0,
        hydration_queued: 0,
        hydration_retries: 0,
        hydration_failures: 0,
        gamma_hydration_success: 0,
        gamma_hydration_no_markets: 0,
        gamma_hydration_unusable: 0,
        gamma_hydration_request_errors: 0,
        gamma_hydration_status_errors: 0,
        gamma_hydration_parse_errors: 0,
      },
      chain: {
        phase: 'off',
        node_block: null,
        block: 77_000_000,
        lag_blocks: null,
        block_age_seconds: null,
        problem: expect.stringContaining('AUSPEX_POLYGON_URL'),
        quarantined: 0,
      },
      prices: [],
      orderbooks: { followed: 0, stale: 0, sockets: 0, recorded: 0, unrecorded: 0 },
      scores: { state: 'off', games: 0, live: 0, age_seconds: null },
      leaderboards: { as_of: null, last_refresh: null },
      coverage: null,
      upstreams: [],
      replicas: [],
      audit: { last_run: null, seconds: null, differences: null, node: null },
      not_configured: [
        { feature: 'chain', setting: 'AUSPEX_POLYGON_URL' },
        { feature: 'online_search', setting: 'AUSPEX_SEARXNG_URL' },
        { feature: 'social', setting: 'AUSPEX_X_BEARER_TOKEN' },
      ],
      jobs: [],
      roles: ['ingest', 'api', 'stream', 'worker'],
      processes: [],
      warnings: [],
    })
  })

  test('200: what the chain is doing, and what an operator should look at', async () => {
    const { key } = await t.createCaller('free')
    Object.assign(t.ctx.chain, {
      follower: { phase: 'stopped', nodeBlock: 77_000_100, problem: 'another chain' },
      head: { block: 77_000_000, timeSec: Math.floor(t.clock.now() / 1000) - 7 },
      quarantined: 2,
    })
    t.ctx.statusParts.push({ warnings: () => ['2 logs could not be booked'] })
    const reply = await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })
    expect(reply.json()).toMatchObject({
      chain: {
        phase: 'stopped',
        node_block: 77_000_100,
        block: 77_000_000,
        lag_blocks: 100,
        block_age_seconds: 7,
        problem: 'another chain',
        quarantined: 2,
      },
      warnings: ['2 logs could not be booked'],
    })
    t.ctx.chain.follower = undefined
  })

  test('200: how the jobs went', async () => {
    const { key } = await t.createCaller('free')
    t.ctx.jobs.add([
      {
        name: 'probe',
        everyMs: 2_500,
        roles: ['worker'],
        runsIn: 'every process',
        needsDatabase: true,
        run: async () => {
          throw new Error('no luck')
        },
      },
    ])
    const show = async () => {
      const reply = await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })
      return reply.json().jobs
    }
    const probe = { name: 'probe', runs_in: 'every_process', every_seconds: 2.5 }
    expect(await show()).toEqual([
      {
        ...probe,
        is_running: false,
        last_start: null,
        last_seconds: null,
        runs: 0,
        failures: 0,
        is_failing: false,
        last_error: null,
      },
    ])
    const ending = new AbortController()
    const running = t.ctx.jobs.runEverywhere(ending.signal)
    await until(() => t.ctx.jobs.records[0]?.runs === 1)
    expect(await show()).toMatchObject([
      {
        ...probe,
        last_start: Math.floor(t.clock.now() / 1000),
        runs: 1,
        failures: 1,
        is_failing: true,
        last_error: 'no luck',
      },
    ])
    ending.abort()
    await running
    const metrics = await t.ctx.metrics.metrics()
    expect(metrics).toContain('auspex_job_runs_total{job="probe",result="failed"} 1')
  })

  test('401: without a key', async () => {
    expect((await t.app.inject('/v1/status')).statusCode).toBe(401)
  })

  test('200: the overview needs none, and has the same of its parts', async () => {
    const { key } = await t.createCaller('free')
    t.clock.advance(1_000)
    const whole = (await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })).json()
    const reply = await t.app.inject('/v1/status/overview')
    expect(reply.statusCode).toBe(200)
    const overview = reply.json()
    expect(Object.keys(overview)).toContain('upstreams')
    for (const [name, part] of Object.entries(overview)) expect(part, name).toEqual(whole[name])
  })
})

describe('GET /metrics', () => {
  const scrape = (remoteAddress: string, headers = {}) =>
    t.app.inject({ url: '/metrics', remoteAddress, headers })

  test('200: from this machine, with the requests that were answered', async () => {
    await t.app.inject('/healthz')
    const reply = await scrape('127.0.0.1')
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toMatch(/^text\/plain/)
    expect(reply.body).toMatch(
      /auspex_http_request_duration_seconds_count\{route="\/healthz",method="GET",status="200"\} [1-9]/,
    )
    expect(reply.body).toMatch(/auspex_store_up 1/)
    expect(reply.body).toMatch(/auspex_process_resident_memory_bytes/)
  })

  test('200: from elsewhere with the token', async () => {
    const reply = await scrape('192.0.2.1', { authorization: 'Bearer let-me-in' })
    expect(reply.statusCode).toBe(200)
  })

  test.each([
    ['from elsewhere', '192.0.2.1', {}],
    ['with a wrong token', '192.0.2.1', { authorization: 'Bearer let-me-out' }],
    ['with a wrong token from this machine', '127.0.0.1', { authorization: 'Bearer let-me-out' }],
  ])('403: %s', async (_who, address, headers) => {
    expect((await scrape(address, headers)).statusCode).toBe(403)
  })

  test.each([
    'Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Forwarded-By',
    'X-Real-IP',
    'Via',
    'X-Original-Forwarded-For',
    'CF-Connecting-IP',
    'True-Client-IP',
  ])('403: through a proxy on this machine that sends %s, even without a value', async (name) => {
    for (const value of ['192.0.2.1', '']) {
      expect((await scrape('127.0.0.1', { [name]: value })).statusCode).toBe(403)
    }
    const authorization = 'Bearer let-me-in'
    expect((await scrape('127.0.0.1', { [name]: 'x', authorization })).statusCode).toBe(200)
  })

  test.each([
    'localhost',
    'LOCALHOST:8080',
    'localhost.',
    'auspex.localhost',
    '127.0.0.1:80',
    '127.9.9.9',
    '[::1]:8080',
    '10.0.0.5',
    'data.example.net',
    'Data.Example.Net:8080',
  ])('200: from this machine as %s', async (host) => {
    expect((await scrape('127.0.0.1', { host })).statusCode).toBe(200)
  })

  test.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'notlocalhost',
    '127.0.0.1.evil.example',
    'x.data.example.net',
    'a%b',
  ])(
    '403: from this machine as %s, a name that a page may have pointed to it; with the token it is 200',
    async (host) => {
      const reply = await scrape('127.0.0.1', { host })
      expect(reply.statusCode).toBe(403)
      expect(reply.json()).toEqual({ error: expect.stringContaining('Host header') })
      const authorization = 'Bearer let-me-in'
      expect((await scrape('127.0.0.1', { host, authorization })).statusCode).toBe(200)
    },
  )

  test.each(['/metrics', '/%6detrics', '/metrics?x=1'])(
    '%s: pages of other origins cannot read it',
    async (url) => {
      const reply = await t.app.inject({ url, headers: { origin: 'https://evil.example' } })
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    },
  )

  test('200: collected once a second, however many ask', async () => {
    let collected = 0
    new Gauge({
      name: 'probe_collections',
      help: 'test',
      registers: [t.ctx.metrics],
      collect() {
        this.set(++collected)
      },
    })
    t.clock.advance(1_000)
    const replies = await Promise.all(Array.from({ length: 50 }, () => scrape('127.0.0.1')))
    for (const { body } of replies) expect(body).toContain('probe_collections 1\n')
    t.clock.advance(1_000)
    expect((await scrape('127.0.0.1')).body).toContain('probe_collections 2\n')
  })
})

test.each([
  [0, '0B'],
  [1_023, '1023B'],
  [1_536, '1.5K'],
  [2 ** 50, '1024.0T'],
])('%i bytes read %s', (bytes, text) => {
  expect(presentBytes(bytes)).toBe(text)
})
