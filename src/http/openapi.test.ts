import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inlineReferences } from '../../demo/inline-references.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { WEBHOOK_EVENT_TYPE_NAMES } from '../webhooks/event-types.js'

type Operation = {
  operationId?: string
  tags?: string[]
  summary?: string
  security?: object[]
  requestBody?: object
  parameters?: { name: string }[]
  'x-cost'?: number
  responses: Record<string, { description: string; content?: Record<string, object>; headers?: object }>
}
type Document = {
  openapi: string
  security: object[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, { post?: Operation }>
}

type Shown = {
  examples?: unknown[]
  properties?: Record<string, Shown>
  items?: Shown
  anyOf?: Shown[]
}

/** What people who generate a client look for first. */
const WELL_KNOWN = [
  'Trade',
  'OrderTrades',
  'Position',
  'WalletPosition',
  'Market',
  'Wallet',
  'LeaderboardRow',
  'ErrorResponse',
  'BadRequestError',
  'RateLimitError',
  'PaymentRequiredError',
  'Plan',
] as const

const NAMED_ENUMS = [
  'TradeSide',
  'FillRole',
  'PositionStatus',
  'MarketStatus',
  'MarketModule',
  'TokenPriceSource',
  'SortOrder',
  'RowFormat',
  'CandleResolution',
  'StatsPeriod',
  'PnlPeriod',
  'CopyPeriod',
  'WebhookEventName',
  'WatchedStatus',
  'WalletType',
  'GameStatus',
  'TickSource',
  'KeyScope',
]

/** Operations that make a key, or a session with one. */
const NEW_SECRETS = ['createKey', 'createOwnKey', 'createSession']

let t: TestApp
let raw: string
let document: Document
beforeAll(async () => {
  t = await createTestApp()
  raw = (await t.app.inject('/openapi.json')).body
  document = inlineReferences(JSON.parse(raw))
})
afterAll(() => t.close())

/** Those that do not say otherwise take a key. */
const operations = () =>
  Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .map(({ security = document.security, ...rest }) => ({ security, ...rest }))

describe('GET /openapi.json', () => {
  test('has no error that a strict linter finds', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: raw, config })
    const errors = problems.filter(({ severity }) => severity === 'error')
    expect(errors.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  })

  test('is version 3.1 and describes every route of the API', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths).sort()).toEqual([
      '/healthz',
      '/proxy/gamma/events',
      '/proxy/polymarket/api/crypto/crypto-price',
      '/readyz',
      '/v1/account',
      '/v1/account/keys',
      '/v1/account/keys/{id}',
      '/v1/account/usage',
      '/v1/activity',
      '/v1/admin/accounts',
      '/v1/admin/accounts/{account}',
      '/v1/admin/accounts/{account}/keys',
      '/v1/admin/accounts/{account}/plan',
      '/v1/admin/accounts/{account}/resume',
      '/v1/admin/accounts/{account}/suspend',
      '/v1/admin/keys/{key}',
      '/v1/admin/usage',
      '/v1/candles/{token_id}',
      '/v1/connections',
      '/v1/coverage',
      '/v1/crypto/active',
      '/v1/crypto/candles',
      '/v1/crypto/markets',
      '/v1/crypto/price',
      '/v1/crypto/series',
      '/v1/crypto/ticks',
      '/v1/event/{slug}',
      '/v1/events/search',
      '/v1/keys',
      '/v1/leaderboard',
      '/v1/markets',
      '/v1/markets/condition/{condition_id}',
      '/v1/markets/list',
      '/v1/markets/slug/{slug}',
      '/v1/markets/{id}/positions',
      '/v1/markets/{id}/trades',
      '/v1/markets/{token_id}',
      '/v1/midpoint/{id}',
      '/v1/movers',
      '/v1/orderbook/{id}',
      '/v1/plans',
      '/v1/resolve/{query}',
      '/v1/search',
      '/v1/session',
      '/v1/settlements/recent',
      '/v1/settlements/token/{token_id}',
      '/v1/settlements/wallet/{address}',
      '/v1/spread/{id}',
      '/v1/stats/{token_id}',
      '/v1/status',
      '/v1/status/history',
      '/v1/status/overview',
      '/v1/trader/{wallet}',
      '/v1/trader/{wallet}/pnl',
      '/v1/trending',
      '/v1/usage',
      '/v1/wallets/positions',
      '/v1/wallets/{address}',
      '/v1/wallets/{address}/positions',
      '/v1/wallets/{address}/trades',
      '/v2/copy-pnl/batch',
      '/v2/copy-pnl/leaderboard',
      '/v2/copy-pnl/snapshot',
      '/v2/copy-pnl/wallets',
      '/v2/copy-pnl/{wallet}',
      '/v2/markets/{category}',
      '/v2/movers',
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
      '/v2/sports/series',
      '/v2/sports/series/{id}',
      '/v2/sports/summary',
      '/v2/trending',
      '/v2/wallets/{address}/closed-positions',
      '/v2/wallets/{address}/positions/onchain',
      '/v3/builders',
      '/v3/builders/activity/daily',
      '/v3/builders/{code}',
      '/v3/builders/{code}/activity/daily',
      '/v3/builders/{code}/leaderboard',
      '/v3/builders/{code}/trades',
      '/v3/combos/activity',
      '/v3/combos/activity/daily',
      '/v3/combos/leaderboard',
      '/v3/combos/markets',
      '/v3/combos/redemptions',
      '/v3/conditions/{condition_id}',
      '/v3/events',
      '/v3/events/stats',
      '/v3/events/{slug}/trades/all',
      '/v3/fees',
      '/v3/fees/{receiver}',
      '/v3/identities/batch',
      '/v3/identities/search',
      '/v3/identities/{address}',
      '/v3/leaderboard',
      '/v3/leaderboard/scopes',
      '/v3/markets',
      '/v3/markets/condition/{condition_id}',
      '/v3/markets/condition/{condition_id}/book',
      '/v3/markets/condition/{condition_id}/book/depth',
      '/v3/markets/condition/{condition_id}/book/history',
      '/v3/markets/condition/{condition_id}/candles',
      '/v3/markets/condition/{condition_id}/positions',
      '/v3/markets/condition/{condition_id}/trades/all',
      '/v3/markets/search',
      '/v3/markets/slug/{slug}',
      '/v3/markets/slug/{slug}/book',
      '/v3/markets/slug/{slug}/book/depth',
      '/v3/markets/slug/{slug}/book/history',
      '/v3/markets/slug/{slug}/candles',
      '/v3/markets/slug/{slug}/positions',
      '/v3/markets/slug/{slug}/rules',
      '/v3/markets/slug/{slug}/trades',
      '/v3/markets/slug/{slug}/trades/all',
      '/v3/markets/stats',
      '/v3/markets/{token_id}/book',
      '/v3/markets/{token_id}/book/depth',
      '/v3/markets/{token_id}/book/history',
      '/v3/markets/{token_id}/candles',
      '/v3/markets/{token_id}/positions',
      '/v3/markets/{token_id}/price',
      '/v3/markets/{token_id}/trades',
      '/v3/markets/{token_id}/trades/all',
      '/v3/polymarket/profiles/username-available',
      '/v3/polymarket/profiles/{eoa}',
      '/v3/positions',
      '/v3/resolutions',
      '/v3/rewards/markets',
      '/v3/rewards/markets/{condition_id}',
      '/v3/search',
      '/v3/stats',
      '/v3/tags',
      '/v3/tags/{slug}',
      '/v3/tags/{slug}/leaderboard',
      '/v3/tags/{slug}/trades/all',
      '/v3/tokens/{token_id}',
      '/v3/trades',
      '/v3/trades/all',
      '/v3/wallets/batch',
      '/v3/wallets/{address}',
      '/v3/wallets/{address}/activity',
      '/v3/wallets/{address}/combos/activity',
      '/v3/wallets/{address}/combos/positions',
      '/v3/wallets/{address}/combos/redemptions',
      '/v3/wallets/{address}/combos/summary',
      '/v3/wallets/{address}/combos/trades',
      '/v3/wallets/{address}/fees-paid',
      '/v3/wallets/{address}/merges',
      '/v3/wallets/{address}/nrc',
      '/v3/wallets/{address}/pnl',
      '/v3/wallets/{address}/pnl/events',
      '/v3/wallets/{address}/polyusd-flows',
      '/v3/wallets/{address}/positions',
      '/v3/wallets/{address}/ranks',
      '/v3/wallets/{address}/rebates',
      '/v3/wallets/{address}/redemptions',
      '/v3/wallets/{address}/splits',
      '/v3/wallets/{address}/trades',
      '/v3/webhooks',
      '/v3/webhooks/event-types',
      '/v3/webhooks/{id}',
      '/v3/webhooks/{id}/deliveries',
      '/v3/webhooks/{id}/deliveries/{event_id}',
      '/v3/webhooks/{id}/deliveries/{event_id}/resend',
      '/v3/webhooks/{id}/recover',
      '/v3/webhooks/{id}/rotate-secret',
      '/v3/webhooks/{id}/test',
    ])
  })

  test('shows an answer of the demo, or a row of it, in the shape that it says', () => {
    const ajv = new Ajv({ strict: false })
    for (const { operationId, responses, tags } of operations()) {
      // An example of a new key would be a key. What operators change is not tried on the demo.
      if (NEW_SECRETS.includes(operationId ?? '') || '204' in responses) continue
      if (tags?.includes('admin') && !/^(get|list)/.test(operationId ?? '')) continue
      const { content } = responses['200'] ?? responses['201'] ?? {}
      const { schema = {} } = (content?.['application/json'] ?? {}) as { schema?: Shown }
      const rows = Object.values(schema.properties ?? {}).find(({ items }) => items !== undefined)
      const shown = schema.examples === undefined ? (rows?.items?.anyOf?.[0] ?? rows?.items) : schema
      const [example] = shown?.examples ?? []
      expect(example, `run \`npm run examples\` for ${operationId}`).toBeDefined()
      const validate = ajv.compile(shown ?? {})
      validate(example)
      expect(validate.errors, `run \`npm run examples\` for ${operationId}`).toBeNull()
    }
  })

  // Of which an operation takes about 3 KB. Repeated texts and schemas that have no name show here first.
  test('has at most 740 KB', () => {
    expect(Buffer.byteLength(raw)).toBeLessThan(740_000)
  })

  test('names every row, answer, body and error', () => {
    const { paths, webhooks, components } = JSON.parse(raw)
    const isNamed = ({ $ref = '' }) => $ref.startsWith('#/components/schemas/')
    const anonymous: string[] = []
    const look = (value: unknown, path: string): void => {
      if (value === null || typeof value !== 'object') return
      const { type, properties } = value as { type?: unknown; properties?: object }
      if (type === 'object' && properties !== undefined) anonymous.push(path)
      for (const [key, inner] of Object.entries(value)) {
        if (key !== 'example') look(inner, `${path}.${key}`)
      }
    }
    look({ paths, webhooks, responses: components.responses }, '')
    expect(anonymous).toEqual([])
    // A row without a name of its own would be called after the path to it.
    const names = Object.keys(components.schemas)
    expect(names.filter((name) => name.endsWith('Item'))).toEqual([])
    expect(names).toEqual(expect.arrayContaining([...WELL_KNOWN]))
    const trades = components.schemas.ListTradesResponse.allOf[1].properties.trades
    expect(trades.items.anyOf.map(isNamed)).toEqual([true, true])
  })

  test('names enums that our code names, and says that they are texts', () => {
    const { schemas } = JSON.parse(raw).components
    for (const name of NAMED_ENUMS) {
      expect(schemas[name], name).toMatchObject({ type: 'string', enum: expect.any(Array) })
    }
    expect(schemas.Trade.properties.direction).toMatchObject({
      $ref: '#/components/schemas/TradeSide',
    })
  })

  test('has errors whose types differ by their fields', () => {
    const { schemas } = JSON.parse(raw).components
    expect(schemas.RateLimitError.properties).toHaveProperty('reset_at')
    const open = Object.keys(schemas).filter(
      (name) => /Error(Response)?$/.test(name) && schemas[name].additionalProperties === true,
    )
    expect(open).toEqual([])
  })

  test('names every operation, its answers and its errors', () => {
    for (const { operationId, summary, responses } of operations()) {
      expect(operationId).toMatch(/^[a-z]+[A-Z]/)
      expect(summary).toBeTruthy()
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '500', '503']))
      for (const [status, { description, content, headers }] of Object.entries(responses)) {
        expect(description).not.toBe('Default Response')
        expect(content === undefined).toBe(['204', '304'].includes(status))
        if (!status.startsWith('2')) expect(headers).toHaveProperty('x-request-id')
      }
    }
  })

  test('asks for a key where the service does', () => {
    const open = operations().filter(({ security }) => security?.length === 0)
    expect(open.map(({ operationId }) => operationId).sort()).toEqual([
      'createKey',
      'createSession',
      'deleteSession',
      'findGammaEvent',
      'getHealth',
      'getReadiness',
      'getSiteCryptoPrice',
      'getStatusHistory',
      'getStatusOverview',
      'listPlans',
    ])
    const isKeyed = ({ security = [] }: Operation) => security.some((each) => 'header' in each)
    const keyed = operations().filter(isKeyed)
    for (const { responses } of keyed) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429']))
      expect(responses['400']?.headers).toHaveProperty('x-ratelimit-remaining')
      expect(responses['429']?.headers).toHaveProperty('retry-after')
    }
    expect(document.paths['/v1/plans']?.get?.responses).toHaveProperty('304')
  })

  test('says what each operation costs, unless it is for operators', () => {
    const isForOperators = ({ security = [] }: Operation) => security.some((each) => 'operator' in each)
    const open = operations().filter((operation) => !isForOperators(operation))
    const costs = new Map(open.map((operation) => [operation.operationId, operation['x-cost']]))
    for (const [operationId, cost] of costs) expect(cost, operationId).toBeOneOf([0, 1, 3, 6])
    const free = [...costs].filter(([, cost]) => cost === 0).map(([operationId]) => operationId)
    expect(free.sort()).toEqual(['getHealth', 'getReadiness'])
  })

  test('describes what is sent to webhooks, with the headers of the signature', () => {
    const { webhooks = {} } = document
    expect(Object.keys(webhooks)).toEqual(WEBHOOK_EVENT_TYPE_NAMES)
    for (const { post } of Object.values(webhooks)) {
      expect(post?.operationId).toMatch(/^on[A-Z]/)
      expect(post?.parameters?.map(({ name }) => name)).toEqual([
        'X-Webhook-ID',
        'X-Webhook-Event',
        'X-Webhook-Timestamp',
        'X-Webhook-Signature',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'X-Webhook-Hop',
      ])
    }
  })

  test('says which operations take the block of an earlier answer: those that name one', async () => {
    const takesBlock = ({ parameters = [] }: Operation) =>
      parameters.some(({ name }) => name === 'x-head-block')
    const all = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    // Without a key nothing is done, and the refusal names the block already; unless answers are kept, with their block.
    const asked = all.filter(({ operation }) => operation.responses['304'] === undefined)
    for (const { path, method, operation } of asked) {
      const url = path.replace(/\{\w+\}/g, '1')
      const { headers } = await t.app.inject({ method: method as 'get', url })
      expect('x-head-block' in headers, operation.operationId).toBe(takesBlock(operation))
    }
    const cached = all.filter(({ operation }) => !asked.some((each) => each.operation === operation))
    const ids = cached.filter(({ operation }) => takesBlock(operation))
    expect(ids.map(({ operation }) => operation.operationId)).toContain('getCoverage')
    expect(document.paths['/v1/plans']?.get).toSatisfy((plans: Operation) => !takesBlock(plans))
    expect(all.filter(({ operation }) => takesBlock(operation)).length).toBeGreaterThan(50)
    expect(raw.split('"x-head-block"').length - 1).toBe(2)
  })

  test('asks for no parameter that has a default', () => {
    const ticks = document.paths['/v1/crypto/ticks']?.get as unknown as {
      parameters: { name: string; required?: boolean }[]
    }
    const required = ticks.parameters.filter((parameter) => parameter.required)
    expect(required.map(({ name }) => name)).toEqual(['symbol', 'from', 'to'])
  })

  test('has an example of everything that a request needs, which stands first', () => {
    type Parameter = { required?: boolean; example?: unknown }
    const missing = operations().filter(({ parameters = [] }) =>
      (parameters as Parameter[]).some(({ required, example }) => required && example === undefined),
    )
    // What is deleted for good is not prefilled.
    expect(missing.map(({ operationId }) => operationId)).toEqual([
      'revokeOwnKey',
      'deleteAccount',
      'revokeKey',
    ])
    expect(raw).not.toMatch(/"\{[a-z_]+\}"/)
    for (const { parameters = [] } of operations()) {
      const needed = (parameters as Parameter[]).map(({ required = false }) => required)
      expect(needed).toEqual(needed.toSorted((a, b) => Number(b) - Number(a)))
    }
  })

  test('304: a client that has the document does not get it again', async () => {
    const { headers } = await t.app.inject('/openapi.json')
    const again = { 'if-none-match': String(headers.etag) }
    const reply = await t.app.inject({ url: '/openapi.json', headers: again })
    expect([reply.statusCode, reply.body]).toEqual([304, ''])
  })

  test('looks for samples again when half a minute has passed without some', async () => {
    const etag = async () => (await t.app.inject('/openapi.json')).headers.etag
    t.clock.advance(60_000)
    const first = await etag()
    t.clock.advance(29_000)
    expect(await etag()).toBe(first)
    t.clock.advance(1_000)
    expect(await etag()).not.toBe(first)
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

  test('200: a browser gets the page, compressed, with a policy that runs nothing but its own files', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    for (const url of ['/', '/markets/some-slug', '/account/webhooks/wh_1']) {
      const page = await t.app.inject({ url, headers: { accept } })
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(page.headers.vary).toContain('accept')
      expect(page.headers['content-security-policy']).toMatch(
        /default-src 'none'; script-src 'self'; style-src 'self'/,
      )
      expect(page.headers['content-security-policy']).not.toContain('unsafe')
      const links = [...page.body.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1] ?? '')
      expect(links.length).toBeGreaterThan(2)
      for (const link of links) {
        const headers = { 'accept-encoding': 'br' }
        const file = await t.app.inject({ url: link, headers })
        expect(file.statusCode, link).toBe(200)
        expect(file.headers['cache-control']).toContain('immutable')
        expect(file.headers['content-encoding']).toBe('br')
      }
    }
  })
})

describe('GET /docs', () => {
  test('lets its scripts set styles, and keeps no key when the page is closed', async () => {
    const page = await t.app.inject('/docs')
    expect(page.headers['content-security-policy']).toMatch(/style-src 'self' 'unsafe-inline'/)
    const script = await t.app.inject('/docs/static/swagger-initializer.js')
    expect(script.body).toContain('"persistAuthorization":false')
    expect(script.body).toContain('"filter":true')
  })

  test('shows the same operations with one way to send a key, and webhooks as callbacks', async () => {
    const { paths, openapi, components } = (await t.app.inject('/docs/json')).json()
    expect(openapi).toBe('3.0.3')
    expect(Object.keys(paths)).toEqual(Object.keys(document.paths))
    expect(Object.keys(components.securitySchemes)).toEqual(['header'])
    expect(Object.keys(paths['/v3/webhooks'].post.callbacks)).toEqual(WEBHOOK_EVENT_TYPE_NAMES)
    expect(components.schemas.Trade.properties.market).toMatchObject({ nullable: true })
    const yaml = await t.app.inject('/docs/yaml')
    expect(yaml.body).toMatch(/^openapi: 3.1.0\n/)
    expect(yaml.body).not.toMatch(/example: "?\{/)
  })

  test('fits a phone, and searches paths and texts', async () => {
    const page = await t.app.inject('/docs')
    expect(page.body).toContain('content="width=device-width')
    const { body } = await t.app.inject('/docs/static/swagger-initializer.js')
    expect(body).toContain('Filter the operations: words or a part of a path')
    expect(() => new Function(body)).not.toThrow()
  })

  test('serves the reference and everything it loads from here', async () => {
    const page = await t.app.inject('/docs')
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-security-policy']).not.toMatch(/upgrade-insecure|https?:/)
    const links = [...page.body.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(links.length).toBeGreaterThan(2)
    for (const link of links) {
      expect(link).not.toMatch(/^(https?:)?\/\//)
      const url = new URL(link, 'http://localhost/docs').pathname
      expect((await t.app.inject(url)).statusCode).toBe(200)
    }
  })
})
