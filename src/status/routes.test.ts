import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import type { ChainStatus } from './board.js'
import { presentBytes } from './present.js'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp({ config: { metricsToken: 'let-me-in' } })
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
    expect(reply.json()).toEqual({ status: 'ready', checks: { store: 'ok' } })
  })
})

describe('GET /readyz with a chain', () => {
  const BLOCK = 86_000_000
  const ready = async (chain: Partial<ChainStatus>, ageSec: number) => {
    t.ctx.status.chain = { phase: 'live', nodeBlock: BLOCK + 500, problem: undefined, ...chain }
    t.ctx.status.latestBlock = BLOCK
    t.ctx.status.latestBlockSec = Math.floor(t.clock.now() / 1000) - ageSec
    const reply = await t.app.inject('/readyz')
    t.ctx.status.chain = undefined
    return [reply.statusCode, reply.json().checks.chain]
  }

  test.each<[string, Partial<ChainStatus>, number]>([
    ['it is live', { phase: 'live' }, 5],
    ['another process books, and has just done so', { phase: 'standby' }, 60],
  ])('200: %s', async (_what, chain, ageSec) => {
    expect(await ready(chain, ageSec)).toEqual([200, 'ok'])
  })

  test.each<[string, Partial<ChainStatus>, number, string]>([
    [
      'history is read',
      { phase: 'catching_up' },
      900,
      `catching up: block ${BLOCK} of ${BLOCK + 500}`,
    ],
    [
      'nobody has books that are fresh',
      { phase: 'standby' },
      61,
      'the last block is 61 seconds old',
    ],
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
    t.ctx.status.latestBlock = 77_000_000
    t.ctx.status.latestBlockSec = 0
    t.ctx.status.eventStoreBytes = 3_328_599_655
    t.clock.advance(90_500)
    const reply = await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })
    expect(reply.json()).toEqual({
      node_connected: false,
      uptime_seconds: 90,
      stream_length: 0,
      events_stream_length: 0,
      pending_txs: 0,
      ws_subscribers: 0,
      firehose_connections: 0,
      redis_memory: '3.1G',
      state: {
        market_count: 0,
        wallet_count: 0,
        metadata_count: 0,
        events_buffered: 0,
        events_processed: 0,
        latest_block: 77_000_000,
      },
      chain: {
        phase: 'off',
        node_block: null,
        block: 77_000_000,
        block_age_seconds: null,
        problem: null,
        quarantined: 0,
      },
      prices: [],
      warnings: [],
    })
  })

  test('200: what the chain is doing, and what somebody should look at', async () => {
    const { key } = await t.createCaller('free')
    const { status } = t.ctx
    Object.assign(status, {
      chain: { phase: 'stopped', nodeBlock: 77_000_100, problem: 'another chain' },
      latestBlockSec: Math.floor(t.clock.now() / 1000) - 7,
      quarantined: 2,
      warnings: ['2 logs could not be booked'],
    })
    const reply = await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })
    expect(reply.json()).toMatchObject({
      chain: {
        phase: 'stopped',
        node_block: 77_000_100,
        block: 77_000_000,
        block_age_seconds: 7,
        problem: 'another chain',
        quarantined: 2,
      },
      warnings: ['2 logs could not be booked'],
    })
    status.chain = undefined
  })

  test('401: without a key', async () => {
    expect((await t.app.inject('/v1/status')).statusCode).toBe(401)
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
    ['through a proxy on this machine', '127.0.0.1', { 'x-forwarded-for': '192.0.2.1' }],
  ])('403: %s', async (_who, address, headers) => {
    expect((await scrape(address, headers)).statusCode).toBe(403)
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
