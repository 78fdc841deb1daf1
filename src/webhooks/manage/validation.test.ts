import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, createWebhookApi, HOOK_URL, NEW_WEBHOOK, type WebhookApi } from './test-api.js'

let t: WebhookApi
let caller: Caller
let id: string
beforeAll(async () => {
  t = await createWebhookApi()
  caller = await t.createCaller('enterprise')
  id = (await t.make(caller)).id
})
afterAll(() => t.close())

const WALLETS = { wallet_addresses: ['0x00000000000000000000000000000000000000aa'] }

/** What is wrong with a body, and the answer to it. */
const WRONG: [string, object, object][] = [
  ['url is no text', { url: 5 }, { error: 'invalid_url', message: /url must be text/ }],
  ['url is null', { url: null }, { error: 'invalid_url' }],
  ['url is empty', { url: '' }, { error: 'invalid_url' }],
  ['url cannot be parsed', { url: 'https://' }, { error: 'invalid_url' }],
  ['url is http', { url: 'http://8.8.8.8/' }, { error: 'invalid_url', message: /https/ }],
  ['url is of another protocol', { url: 'ftp://8.8.8.8/' }, { error: 'invalid_url' }],
  ['url is too long', { url: `${HOOK_URL}${'a'.repeat(2_048)}` }, { error: 'invalid_url', message: /2048/ }],
  ['url has user info', { url: 'http://a:b@127.0.0.1/' }, { error: 'invalid_url', message: /user/ }],
  ['url is private', { url: 'https://10.0.0.1/' }, { error: 'invalid_url', message: /not public/ }],
  ['url is of metadata', { url: 'https://169.254.169.254/' }, { error: 'invalid_url' }],
  ['event_types is null', { event_types: null }, { error: 'invalid_event_types' }],
  ['event_types is empty', { event_types: [] }, { error: 'invalid_event_types' }],
  [
    'event_types has an unknown name',
    { event_types: ['trade', 'nft'] },
    { error: 'invalid_event_types', message: /"nft"/, allowed: /large_trade/ },
  ],
  ['filters is a list', { filters: [] }, { error: 'invalid_filters' }],
  ['a filter is unknown', { filters: { wallet: [] } }, { error: 'invalid_filters', hint: /event-types/ }],
  [
    'a filter has the wrong type',
    { filters: { min_amount_usd: 'five' } },
    {
      error: 'invalid_filters',
      message: /min_amount_usd must be a number/,
      hint: /^min_amount_usd/,
    },
  ],
  [
    'a filter is above its maximum',
    { filters: { tags: Array(21).fill('a') } },
    { error: 'invalid_filters', hint: /^tags: at most 20 values/ },
  ],
  [
    'a required filter is missing',
    { event_types: ['trade', 'wallet_activity'], filters: { side: 'BUY' } },
    {
      error: 'missing_required_filter',
      message: /wallet_activity .* wallet_addresses/,
      filter: /^wallet_addresses$/,
    },
  ],
  ['description is a number', { description: 5 }, { error: 'invalid_description' }],
  [
    'description is too long',
    { description: 'x'.repeat(501) },
    { error: 'invalid_description', message: /500/ },
  ],
  ['description has half a character', { description: '\ud800' }, { error: 'invalid_description' }],
  ['description has a null character', { description: 'a\u0000' }, { error: 'invalid_description' }],
]

/** The fields of an answer as patterns, where they are given. */
function expectRefusal(body: Record<string, unknown>, expected: object): void {
  for (const [field, value] of Object.entries(expected)) {
    if (value instanceof RegExp) expect(String(body[field])).toMatch(value)
    else expect(body[field]).toBe(value)
  }
  expect(body.message).toEqual(expect.any(String))
}

describe('POST /v3/webhooks', () => {
  test.each(WRONG)('400: %s', async (_why, fields, expected) => {
    const { status, body } = await t.ask(caller, 'POST /v3/webhooks', { ...NEW_WEBHOOK, ...fields })
    expect(status).toBe(400)
    expectRefusal(body, expected)
  })

  test.each<[string, object, object]>([
    ['url is missing', { event_types: ['trade'] }, { error: 'invalid_url', message: /url is missing/ }],
    ['event_types is missing', { url: HOOK_URL }, { error: 'invalid_event_types' }],
    [
      'secret is short',
      { ...NEW_WEBHOOK, secret: 'x'.repeat(15) },
      { error: 'invalid_secret', message: /16 to 128/ },
    ],
    ['secret is long', { ...NEW_WEBHOOK, secret: 'x'.repeat(129) }, { error: 'invalid_secret' }],
    ['secret is empty', { ...NEW_WEBHOOK, secret: '' }, { error: 'invalid_secret' }],
    ['secret is a number', { ...NEW_WEBHOOK, secret: 1234567890123456 }, { error: 'invalid_secret' }],
    [
      'secret has a null character',
      { ...NEW_WEBHOOK, secret: 'x'.repeat(20).concat('\0') },
      { error: 'invalid_secret' },
    ],
  ])('400: %s', async (_why, fields, expected) => {
    const { status, body } = await t.ask(caller, 'POST /v3/webhooks', fields)
    expect(status).toBe(400)
    expectRefusal(body, expected)
    expect(JSON.stringify(body)).not.toContain('xxxx')
  })

  test.each<[string, object]>([
    ['a secret of 16 characters', { secret: 'x'.repeat(16) }],
    ['a secret of 128 characters', { secret: 'ü'.repeat(128) }],
    ['a description of 500 characters', { description: 'ü'.repeat(500) }],
    ['an empty description', { description: '' }],
    ['nulls', { filters: null, secret: null, description: null }],
    ['an address of the internet', { url: 'https://8.8.8.8/hooks?a=1' }],
    ['all types', { event_types: ['trade', 'pnl_change', 'wallet_activity'], filters: WALLETS }],
  ])('201: %s', async (_what, fields) => {
    const { status } = await t.ask(caller, 'POST /v3/webhooks', { ...NEW_WEBHOOK, ...fields })
    expect(status).toBe(201)
  })

  test('201: filters of the maximum size, written as long as JSON can', async () => {
    const escaped = (length: number) => '\\ud83d\\ude00'.repeat(length / 2)
    const many = (count: number, item: (index: number) => string) =>
      `[${Array.from({ length: count }, (_, index) => `"${item(index)}"`).join(',')}]`
    const hex = (index: number, digits: number) => `0x${index.toString(16).padStart(digits, '0')}`
    const body = `{"url":"${HOOK_URL}","event_types":["trade"],"filters":{
      "wallet_addresses":${many(500, (index) => hex(index, 40))},
      "receiver_addresses":${many(500, (index) => hex(index, 40))},
      "token_ids":${many(100, (index) => `${index}`.padStart(78, '0'))},
      "condition_ids":${many(100, (index) => hex(index, 64))},
      "builder_codes":${many(100, (index) => hex(index, 64))},
      "event_slugs":${many(50, (index) => `${index % 10}${Math.floor(index / 10)}${escaped(298)}`)},
      "tags":${many(20, (index) => `${index % 10}${Math.floor(index / 10)}${escaped(298)}`)}}}`
    const made = await t.ask(caller, 'POST /v3/webhooks', body)
    expect(made.status).toBe(201)
    const { body: record } = await t.ask(caller, `GET /v3/webhooks/${made.body.id}`)
    expect(record.filters).toEqual(made.body.filters)
    expect(record.filters.wallet_addresses).toHaveLength(500)
    expect(record.filters.event_slugs?.[49]).toHaveLength(300)
  })

  test.each<[number, string, unknown]>([
    [400, 'no body', undefined],
    [400, 'an empty body', ''],
    [400, 'no JSON', '{"url":'],
    [400, 'null', 'null'],
    [400, 'a list', '[]'],
    [400, 'a text', '"x"'],
    [400, 'a field that could change other objects', '{"__proto__":{"url":1}}'],
    [400, 'a list of 100,000 levels', `{"filters":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    [400, '100,000 filters', `{"filters":{${Array.from({ length: 50_000 }, (_, n) => `"${n}":1`)}}}`],
    [413, 'more than a megabyte', `{"url":"${'x'.repeat(1_100_000)}"}`],
  ])('%d: %s', async (status, _what, body) => {
    const reply = await t.ask(caller, 'POST /v3/webhooks', body)
    expect(reply.status).toBe(status)
    expect(reply.body.error).toEqual(expect.any(String))
    expect(JSON.stringify(reply.body).length).toBeLessThan(1_000)
  })
})

describe('PUT /v3/webhooks/{id}', () => {
  test.each([
    ...WRONG,
    ['active is a text', { active: 'true' }, { error: 'invalid_active' }],
    ['active is null', { active: null }, { error: 'invalid_active' }],
  ] as typeof WRONG)('400: %s', async (_why, fields, expected) => {
    const before = await t.ask(caller, `GET /v3/webhooks/${id}`)
    const { status, body } = await t.ask(caller, `PUT /v3/webhooks/${id}`, fields)
    expect(status).toBe(400)
    expectRefusal(body, expected)
    expect(await t.ask(caller, `GET /v3/webhooks/${id}`)).toMatchObject({ body: before.body })
  })

  test('400: no body', async () => {
    expect((await t.ask(caller, `PUT /v3/webhooks/${id}`)).status).toBe(400)
  })
})

describe('GET /v3/webhooks/{id}/deliveries', () => {
  test.each(['limit=abc', 'limit=', 'limit=1.5', 'offset=x', 'offset=100001', 'limit=1&limit=2'])(
    '400: %s',
    async (query) => {
      const { status, body } = await t.ask(caller, `GET /v3/webhooks/${id}/deliveries?${query}`)
      expect(status).toBe(400)
      expect(body).toEqual({
        error: 'invalid_limit',
        message: expect.stringMatching(/limit|offset/),
      })
    },
  )

  test.each(['limit=0', 'limit=-5', 'limit=100000', 'offset=-1', 'offset=100000', 'other=1'])(
    '200: %s',
    async (query) => {
      const { status } = await t.ask(caller, `GET /v3/webhooks/${id}/deliveries?${query}`)
      expect(status).toBe(200)
    },
  )
})

describe('POST /v3/webhooks/{id}/recover', () => {
  test.each([
    [{}],
    [{ since: null }],
    [{ since: 'yesterday' }],
    [{ since: '2026-11-16' }],
    [{ since: '2026-11-16T09:30:00' }],
    [{ since: '2026-13-45T09:30:00Z' }],
    [{ since: -1 }],
    [{ since: 1.5 }],
    [{ since: [] }],
    [{ since: true }],
  ])('400: %j', async (given) => {
    const { status, body } = await t.ask(caller, `POST /v3/webhooks/${id}/recover`, given)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: 'invalid_since',
      hint: expect.stringMatching(/Unix seconds/),
    })
  })

  test('400: milliseconds', async () => {
    const { body } = await t.ask(caller, `POST /v3/webhooks/${id}/recover`, {
      since: 1793000000000,
    })
    expect(body).toMatchObject({
      error: 'invalid_since',
      hint: expect.stringMatching(/not milliseconds/),
    })
  })
})
