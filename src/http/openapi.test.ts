import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { WEBHOOK_EVENT_TYPE_NAMES } from '../webhooks/event-types.js'

type Operation = {
  operationId?: string
  summary?: string
  security?: object[]
  requestBody?: object
  parameters?: { name: string }[]
  responses: Record<
    string,
    { description: string; content?: Record<string, object>; headers?: object }
  >
}
type Document = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, { post?: Operation }>
}

let t: TestApp
let document: Document
beforeAll(async () => {
  t = await createTestApp()
  document = (await t.app.inject('/openapi.json')).json()
})
afterAll(() => t.close())

const operations = () => Object.values(document.paths).flatMap((path) => Object.values(path))

describe('GET /openapi.json', () => {
  test('has no error that a strict linter finds', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    const errors = problems.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  })

  test('is version 3.1 and describes every route of the API', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths).sort()).toEqual([
      '/healthz',
      '/readyz',
      '/v1/coverage',
      '/v1/crypto/active',
      '/v1/crypto/candles',
      '/v1/crypto/markets',
      '/v1/crypto/price',
      '/v1/crypto/series',
      '/v1/crypto/ticks',
      '/v1/keys',
      '/v1/midpoint/{id}',
      '/v1/orderbook/{id}',
      '/v1/plans',
      '/v1/resolve/{query}',
      '/v1/spread/{id}',
      '/v1/status',
      '/v1/usage',
      '/v2/copy-pnl/batch',
      '/v2/copy-pnl/leaderboard',
      '/v2/copy-pnl/snapshot',
      '/v2/copy-pnl/wallets',
      '/v2/copy-pnl/{wallet}',
      '/v2/onchain/positions',
      '/v2/onchain/tags',
      '/v2/onchain/wallets/{address}/trades/all',
      '/v2/search/online',
      '/v2/social/search',
      '/v2/social/user/{handle}/tweets',
      '/v2/sports/games/by-event/{event_id}',
      '/v2/sports/games/by-event/{event_id}/context',
      '/v2/sports/games/by-event/{event_id}/history',
      '/v2/sports/games/by-event/{event_id}/prices',
      '/v2/sports/games/by-event/{event_id}/state',
      '/v2/sports/games/by-market/{market_id}',
      '/v2/sports/games/by-market/{market_id}/context',
      '/v2/sports/games/by-market/{market_id}/history',
      '/v2/sports/games/by-market/{market_id}/prices',
      '/v2/sports/games/by-market/{market_id}/state',
      '/v2/sports/games/{slug}',
      '/v2/sports/games/{slug}/context',
      '/v2/sports/games/{slug}/history',
      '/v2/sports/games/{slug}/prices',
      '/v2/sports/games/{slug}/state',
      '/v2/sports/leagues',
      '/v2/sports/leagues/{league}/games',
      '/v2/sports/leagues/{league}/teams',
      '/v2/sports/live',
      '/v2/sports/market-types',
      '/v2/sports/search',
      '/v2/sports/summary',
      '/v2/wallets/{address}/closed-positions',
      '/v2/wallets/{address}/positions/onchain',
      '/v3/builders',
      '/v3/builders/activity/daily',
      '/v3/builders/{code}',
      '/v3/builders/{code}/activity/daily',
      '/v3/builders/{code}/leaderboard',
      '/v3/builders/{code}/trades',
      '/v3/combos/activity',
      '/v3/combos/leaderboard',
      '/v3/combos/markets',
      '/v3/conditions/{condition_id}',
      '/v3/events',
      '/v3/events/stats',
      '/v3/leaderboard',
      '/v3/leaderboard/scopes',
      '/v3/markets',
      '/v3/markets/condition/{condition_id}',
      '/v3/markets/condition/{condition_id}/candles',
      '/v3/markets/condition/{condition_id}/positions',
      '/v3/markets/search',
      '/v3/markets/slug/{slug}/candles',
      '/v3/markets/slug/{slug}/positions',
      '/v3/markets/slug/{slug}/trades',
      '/v3/markets/stats',
      '/v3/markets/{token_id}/candles',
      '/v3/markets/{token_id}/positions',
      '/v3/markets/{token_id}/price',
      '/v3/markets/{token_id}/trades',
      '/v3/positions',
      '/v3/resolutions',
      '/v3/rewards/markets',
      '/v3/rewards/markets/{condition_id}',
      '/v3/tags',
      '/v3/tags/{slug}',
      '/v3/tags/{slug}/leaderboard',
      '/v3/tokens/{token_id}',
      '/v3/trades',
      '/v3/wallets/batch',
      '/v3/wallets/{address}',
      '/v3/wallets/{address}/activity',
      '/v3/wallets/{address}/combos/activity',
      '/v3/wallets/{address}/combos/positions',
      '/v3/wallets/{address}/combos/summary',
      '/v3/wallets/{address}/combos/trades',
      '/v3/wallets/{address}/fees-paid',
      '/v3/wallets/{address}/pnl',
      '/v3/wallets/{address}/pnl/events',
      '/v3/wallets/{address}/polyusd-flows',
      '/v3/wallets/{address}/positions',
      '/v3/wallets/{address}/rebates',
      '/v3/wallets/{address}/trades',
      '/v3/webhooks',
      '/v3/webhooks/event-types',
      '/v3/webhooks/{id}',
      '/v3/webhooks/{id}/deliveries',
      '/v3/webhooks/{id}/deliveries/{event_id}/resend',
      '/v3/webhooks/{id}/recover',
      '/v3/webhooks/{id}/rotate-secret',
      '/v3/webhooks/{id}/test',
    ])
  })

  test('shows a request to the demo and its answer, in the shape that it says', () => {
    const ajv = new Ajv({ strict: false })
    for (const { operationId, responses } of operations()) {
      // An example of a new key would be a key.
      if (operationId === 'createKey') continue
      const { content } = responses['200'] ?? responses['201'] ?? {}
      const { schema, example } = (content?.['application/json'] ?? {}) as {
        schema?: object
        example?: unknown
      }
      expect(example, `run \`npm run examples\` for ${operationId}`).toBeDefined()
      const validate = ajv.compile(schema ?? {})
      validate(example)
      expect(validate.errors, `run \`npm run examples\` for ${operationId}`).toBeNull()
    }
  })

  test('names every operation, its answers and its errors', () => {
    for (const { operationId, summary, responses } of operations()) {
      expect(operationId).toMatch(/^[a-z]+[A-Z]/)
      expect(summary).toBeTruthy()
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '500', '503']))
      for (const [status, { description, content, headers }] of Object.entries(responses)) {
        expect(description).not.toBe('Default Response')
        expect(content === undefined).toBe(status === '304')
        expect(headers).toHaveProperty('x-request-id')
      }
    }
  })

  test('asks for a key where the service does', () => {
    const open = operations().filter(({ security }) => security?.length === 0)
    expect(open.map(({ operationId }) => operationId).sort()).toEqual([
      'createKey',
      'getHealth',
      'getReadiness',
    ])
    const keyed = operations().filter(({ security }) => security?.length !== 0)
    for (const { responses } of keyed) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429']))
      expect((responses['200'] ?? responses['201'])?.headers).toHaveProperty(
        'x-ratelimit-remaining',
      )
      expect(responses['429']?.headers).toHaveProperty('retry-after')
    }
    expect(document.paths['/v1/plans']?.get?.responses).toHaveProperty('304')
  })

  test('describes what is sent to webhooks, with the headers of the signature', () => {
    const { webhooks = {} } = document
    expect(Object.keys(webhooks)).toEqual(WEBHOOK_EVENT_TYPE_NAMES)
    for (const { post } of Object.values(webhooks)) {
      expect(post?.operationId).toMatch(/^on[A-Z]/)
      expect(post?.parameters?.map(({ name }) => name)).toEqual([
        ...['X-Webhook-ID', 'X-Webhook-Event', 'X-Webhook-Timestamp', 'X-Webhook-Signature'],
        ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      ])
    }
  })

  test('asks for no parameter that has a default', () => {
    const ticks = document.paths['/v1/crypto/ticks']?.get as unknown as {
      parameters: { name: string; required?: boolean }[]
    }
    const required = ticks.parameters.filter((parameter) => parameter.required)
    expect(required.map(({ name }) => name)).toEqual(['symbol', 'from', 'to'])
  })

  test('describes the body of a request, which may be left out', () => {
    const { post } = document.paths['/v1/keys'] ?? {}
    const { requestBody, responses } = post ?? { responses: {} }
    expect(requestBody).toMatchObject({ content: { 'application/json': { schema: {} } } })
    expect(requestBody).not.toMatchObject({ required: true })
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['201', '413', '415', '429']))
  })
})

describe('GET /', () => {
  test('200: a program gets JSON, and every path in it answers', async () => {
    const reply = await t.app.inject('/')
    expect(reply.json()).toMatchObject({ name: 'auspex', docs: '/docs', openapi: '/openapi.json' })
    for (const path of Object.values<string>(reply.json()).filter((text) => text.startsWith('/'))) {
      expect((await t.app.inject(path)).statusCode, path).not.toBe(404)
    }
  })

  test('200: a browser gets a page, and every link on it answers', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const page = await t.app.inject({ url: '/', headers: { accept } })
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers.vary).toContain('accept')
    const links = [...page.body.matchAll(/href="(\/[^"]*)"/g)].map((match) => match[1] ?? '')
    expect(links).toContain('/docs')
    for (const link of links) expect((await t.app.inject(link)).statusCode).not.toBe(404)
  })
})

describe('GET /docs', () => {
  test('lets its scripts set styles, and keeps no key when the page is closed', async () => {
    const page = await t.app.inject('/docs')
    expect(page.headers['content-security-policy']).toMatch(/style-src 'self' 'unsafe-inline'/)
    const script = await t.app.inject('/docs/static/swagger-initializer.js')
    expect(script.body).toContain('"persistAuthorization":false')
  })

  test('serves the reference and everything it loads from here', async () => {
    const page = await t.app.inject('/docs')
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-security-policy']).not.toMatch(/upgrade-insecure|https?:/)
    const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links.length).toBeGreaterThan(2)
    for (const link of links) {
      expect(link).not.toMatch(/^(https?:)?\/\//)
      const url = new URL(link, 'http://localhost/docs').pathname
      expect((await t.app.inject(url)).statusCode).toBe(200)
    }
  })
})
