import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../test/api-world.js'
import { counts } from '../../test/counts.js'
import { SocketClient } from '../../test/socket-client.js'
import { until } from '../../test/until.js'
import { NO_KEYS } from '../bus/event.js'
import { selectOpenCounts } from '../sessions/socket-queries.js'
import { TOOLS } from './tools.js'

let world: ApiWorld
let url: string
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true })
  url = await world.app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
})
afterAll(() => world.close())

type Row = Record<string, unknown>

const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** A message as it is, with headers beside those that the protocol asks for. */
const post = (body: unknown, headers: Record<string, string | undefined> = {}) => {
  const all = Object.entries({ ...HEADERS, 'x-api-key': world.key, ...headers })
  return world.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: Object.fromEntries(all.filter(([, value]) => value !== undefined)),
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })

const callRaw = async (name: string, args: Row = {}, key = world.key) =>
  await post(request('tools/call', { name, arguments: args }), { 'x-api-key': key })

/** What a tool answers: its text, and whether it is a refusal. */
async function call(name: string, args: Row = {}, key = world.key) {
  const { result } = (await callRaw(name, args, key)).json()
  return { text: result.content[0].text as string, isError: result.isError === true }
}

async function answerOf(name: string, args: Row = {}) {
  const { text, isError } = await call(name, args)
  if (isError) throw new Error(text)
  return JSON.parse(text)
}

const LIST_TOOLS = request('tools/list')

describe('POST /mcp', () => {
  test('200: a client without a session sees what there is', async () => {
    const reply = await post(LIST_TOOLS)
    expect(reply.statusCode).toBe(200)
    expect(reply.headers).not.toHaveProperty('mcp-session-id')
    expect(reply.json().result.tools.map(({ name }: Row) => name)).toEqual(TOOLS.map(({ name }) => name))
  })

  test('200: arguments are described as the API describes its parameters', async () => {
    const { tools } = (await post(LIST_TOOLS)).json().result
    const trades = tools.find(({ name }: Row) => name === 'list_trades')
    const { paths, components } = (await world.app.inject('/openapi.json')).json()
    const parameters = paths['/v3/trades'].get.parameters.map((each: { $ref?: string }) =>
      each.$ref === undefined ? each : components.parameters[each.$ref.split('/').at(-1) ?? ''],
    )
    const fills = parameters.find(({ name }: Row) => name === 'fills')
    expect(trades.inputSchema.properties.fills).toEqual({
      type: 'string',
      enum: ['all', 'maker', 'taker'],
      default: 'all',
      description: fills.description ?? fills.schema.description,
    })
    expect(trades.inputSchema).toMatchObject({ additionalProperties: false, required: [] })
  })

  test('401: no key', async () => {
    const reply = await post(LIST_TOOLS, { 'x-api-key': undefined })
    expect(reply.statusCode).toBe(401)
    expect(reply.json().error).toMatch(/^Missing API key/)
  })

  test('403: a key that is unknown', async () => {
    const reply = await post(LIST_TOOLS, { 'x-api-key': `ax_live_${'1'.repeat(48)}` })
    expect(reply.statusCode).toBe(403)
  })

  test('200: a key that reads alone may use all tools', async () => {
    const secret = await createReadKey()
    expect((await callRaw('get_leaderboard', { limit: 1 }, secret)).json().result.isError).toBeUndefined()
  })

  async function createReadKey(): Promise<string> {
    const reply = await world.app.inject({
      method: 'POST',
      url: '/v1/account/keys',
      headers: { 'x-api-key': world.key },
      payload: { name: 'agent', scope: 'read' },
    })
    return reply.json().api_key
  }

  test.each([
    ['of another site', { origin: 'https://evil.example' }, 403],
    ['of another site, without a key', { origin: 'https://evil.example', 'x-api-key': undefined }, 403],
    ['whose name points here (DNS rebinding)', { origin: 'http://evil.example', host: 'evil.example' }, 403],
    ['that is none', { origin: 'null' }, 403],
    ['of another port', { origin: 'http://127.0.0.1:1', host: '127.0.0.1:8080' }, 403],
    ['of the service', { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' }, 200],
  ])('the Origin of a page %s', async (_what, headers, status) => {
    expect((await post(LIST_TOOLS, headers)).statusCode).toBe(status)
  })

  test('413: a message over 64 KiB', async () => {
    const { statusCode } = await post(request('tools/list', { filler: 'x'.repeat(64 * 1024) }))
    expect(statusCode).toBe(413)
  })

  test.each([
    ['that is no JSON', '{'],
    ['that is no JSON-RPC', '{"a":1}'],
    ['that is null', 'null'],
    ['in a list', [LIST_TOOLS, LIST_TOOLS]],
  ])('400: a message %s', async (_what, body) => {
    expect((await post(body)).statusCode).toBe(400)
  })

  test('406 and 415: a client that takes no JSON, or sends none', async () => {
    expect((await post(LIST_TOOLS, { accept: 'text/html' })).statusCode).toBe(406)
    expect((await post('x', { 'content-type': 'text/plain' })).statusCode).toBe(415)
  })

  test('400: a version of the protocol that is unknown', async () => {
    expect((await post(LIST_TOOLS, { 'mcp-protocol-version': '1999-01-01' })).statusCode).toBe(400)
  })

  test('202: a notification', async () => {
    const { statusCode } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect(statusCode).toBe(202)
  })

  test('405: there is no stream and no session to end', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      const reply = await world.app.inject({ method, url: '/mcp', headers: { 'x-api-key': world.key } })
      expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'POST'])
    }
  })

  test('the OpenAPI document does not have it: it is no operation of the API', async () => {
    const { paths } = (await world.app.inject('/openapi.json')).json()
    expect(Object.keys(paths).filter((path) => /mcp|llms/.test(path))).toEqual([])
  })

  test('an unknown tool, page, prompt or method is an error that names what there is', async () => {
    const errorOf = async (method: string, params: object) =>
      (await post(request(method, params))).json().error
    expect(await errorOf('tools/call', { name: 'trade' })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('list_trades'),
    })
    expect(await errorOf('resources/read', { uri: 'auspex://docs/nothing' })).toMatchObject({
      message: expect.stringContaining('auspex://docs/api'),
    })
    expect(await errorOf('prompts/get', { name: 'x' })).toMatchObject({
      message: expect.stringContaining('market_brief'),
    })
    expect(await errorOf('prompts/get', { name: 'wallet_review' })).toMatchObject({
      message: expect.stringContaining('wallet'),
    })
    expect(await errorOf('nothing/here', {})).toMatchObject({ code: -32601 })
  })
})

describe('limits of the account', () => {
  test('a message and each request of its tool count as requests of the key', async () => {
    const { key } = await world.createCaller('growth')
    const remaining = async () => {
      const { headers } = await world.app.inject({ url: '/v1/crypto/active', headers: { 'x-api-key': key } })
      return Number(headers['x-ratelimit-remaining'])
    }
    const before = await remaining()
    await call('get_crypto_windows', {}, key)
    // The message, the request of the tool, and the one that looks.
    expect(before - (await remaining())).toBe(3)
  })

  test('a plan that does not include an operation is said, and that trying again is of no use', async () => {
    const { key } = await world.createCaller('free')
    const { text, isError } = await call('get_wallet', { wallet: `0x${'1'.repeat(40)}` }, key)
    expect(isError).toBe(true)
    expect(text).toMatch(/A paid plan is required for this endpoint\..*do not call it again.*\/v1\/plans/)
    expect((await call('get_crypto_windows', {}, key)).isError).toBe(false)
  })

  test('a limit that is used up says when to call again, in the tool and at the door', async () => {
    const { key } = await world.createCaller('free')
    const headers = { 'x-api-key': key }
    for (let left = 60; left > 1; ) {
      const reply = await world.app.inject({ url: '/v1/crypto/active', headers })
      left = Number(reply.headers['x-ratelimit-remaining'])
    }
    const { text, isError } = await call('get_crypto_windows', {}, key)
    expect(isError).toBe(true)
    expect(text).toMatch(/Rate limit exceeded.*call again after \d+ seconds, and not before/)
    const reply = await post(LIST_TOOLS, headers)
    expect(reply.statusCode).toBe(429)
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('arguments', () => {
  test.each<[string, string, Row, RegExp]>([
    [
      'that is unknown',
      'list_trades',
      { market: 'x' },
      /^Unknown argument "market"\. Allowed: wallet, market_slug/,
    ],
    ['that is missing', 'search', {}, /^The argument q is missing/],
    ['that is empty', 'get_wallet', { wallet: '' }, /^The argument wallet is missing/],
    ['of the wrong kind', 'search', { q: { a: 1 } }, /^Invalid q: it must be a text, a number or a boolean/],
    ['that the API refuses', 'get_leaderboard', { sort: 'best' }, /^Invalid sort\. Allowed: total, /],
    ['in milliseconds', 'list_trades', { after: 1_794_763_368_000 }, /seconds.*1794763368/],
    ['out of range', 'wait_for_event', { timeout_seconds: 3_600 }, /integer from 1 to 45, not 3600/],
    ['that is too small', 'list_trades', { max_bytes: 10 }, /integer from 2000 to 32000/],
    ['two of one', 'get_market', { slug: 'a', condition_id: 'b' }, /one of the two/],
    ['none of two', 'get_market', {}, /one of the two/],
    ['that leads elsewhere', 'get_market', { slug: '..' }, /^Invalid slug/],
    [
      'that names nothing',
      'get_market',
      { slug: 'no-such-market' },
      /There is no such market\. `search` finds/,
    ],
    ['a user of no name', 'get_wallet', { wallet: 'no such user' }, /`search` finds the right one/],
    [
      'the second of two',
      'compare_wallets',
      { wallet: `0x${'1'.repeat(40)}`, other_wallet: '?' },
      /^other_wallet: /,
    ],
    ['a cursor of another list', 'list_trades', { cursor: 'row_5' }, /cursor.*Correct this argument/],
    ['a cursor that is none', 'list_games', { league: 'nba', cursor: 'x' }, /^Invalid cursor/],
    ['a cursor of no event', 'wait_for_event', { cursor: 'row_1' }, /^Invalid cursor/],
    ['a filter of the stream', 'wait_for_event', { wallets: ['x'] }, /^wallets must hold addresses/],
    [
      'a list with something else',
      'wait_for_event',
      { wallets: [{}] },
      /^Invalid wallets: it must be a list of texts/,
    ],
    ['a type of events', 'wait_for_event', { type: 'weather' }, /weather|type/],
    ['a period', 'what_moved', { period: '2h' }, /^Invalid period\. Allowed: 1h, 6h, 1d/],
    ['a league', 'list_games', { league: 'a/b' }, /league/],
    ['a coin', 'get_crypto_windows', { symbol: 'ADA' }, /^Invalid symbol\. Allowed: BTC/],
  ])('one %s is named: %s %j', async (_what, name, args, expected) => {
    const { text, isError } = await call(name, args)
    expect(isError).toBe(true)
    expect(text).toMatch(expected)
  })

  test('a field that could change other objects is refused before a tool is called', async () => {
    const reply = await callRaw('search', { q: { ['__proto__']: 'x' } })
    expect(reply.statusCode).toBe(400)
    expect(reply.body).toContain("must not have a field '__proto__'")
  })

  test('whatever a model sends, the answer is one of a tool and never a fault of the service', async () => {
    const names = [...new Set(TOOLS.flatMap((tool) => Object.keys(tool.arguments)))]
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary' }), fc.integer())
    // What could change other objects never comes to a tool: the parser of bodies refuses it.
    const args = fc
      .dictionary(fc.constantFrom(...names, 'toString', 'constructor'), value, { maxKeys: 4 })
      .filter((given) => !/"(__proto__|prototype)":/.test(JSON.stringify(given)))
    const tools = TOOLS.filter(({ name }) => name !== 'wait_for_event').map(({ name }) => name)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tools), args, async (name, given) => {
        const { statusCode, body } = await callRaw(name, given)
        expect(statusCode).toBe(200)
        expect(JSON.parse(body)).not.toHaveProperty('error')
        expect(body).not.toContain('HTTP 500')
      }),
      { numRuns: counts({ short: 60, long: 1_000 }) },
    )
  })
})

describe('answers', () => {
  test('have at most 8 KB, say what their numbers are, and how to go on', async () => {
    const { text } = await call('list_trades', { limit: 300 })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_000)
    expect(JSON.parse(text)).toMatchObject({
      next_cursor: expect.any(String),
      hint: expect.stringContaining('to narrow it: market_slug, after, before'),
      units: expect.stringContaining('US dollars'),
    })
  })

  const LISTS: readonly [tool: string, field: string, path: string, rows: string, query: Row][] = [
    ['list_trades', 'trades', '/v3/trades', 'trades', { min_amount_usd: 40, fills: 'taker' }],
    ['list_markets', 'markets', '/v3/markets', 'data', { tag_slug: 'bitcoin', closed: false }],
    ['list_resolutions', 'resolutions', '/v3/resolutions', 'data', {}],
    ['get_leaderboard', 'leaderboard', '/v3/leaderboard', 'leaderboard', {}],
  ]

  test.each(LISTS)(
    '%s: pages that fit have every row once, in order',
    async (tool, field, path, rows, query) => {
      const expected = await readAll(path, rows, query)
      expect(expected.length).toBeGreaterThan(20)
      const sizes = fc.record({
        max_bytes: fc.integer({ min: 2_000, max: 9_000 }),
        limit: fc.integer({ min: 1, max: 120 }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(sizes, { minLength: 1, maxLength: 5 }), async (pages) => {
          const rows = await paginate(tool, field, query, pages)
          expect(rows.length).toBe(expected.length)
          for (const [index, row] of rows.entries()) expect(expected[index]).toMatchObject(row)
        }),
        { numRuns: counts({ short: 3, long: 10 }) },
      )
    },
  )

  test('of lists that the API gives at once go on too', async () => {
    const { games } = (await world.get('/v2/sports/leagues/epl/games')).json()
    const rows = await paginate('list_games', 'games', { league: 'epl' }, [{ limit: 3 }])
    expect(rows.map(({ slug }) => slug)).toEqual(games.map(({ slug }: Row) => slug))
    const { slug } = games[0]
    const { markets } = (await world.get(`/v2/sports/games/${slug}/state`)).json()
    const shown = await paginate('get_game', 'markets', { slug }, [{ max_bytes: 2_000 }])
    expect(shown.map((row) => row.question)).toEqual(markets.map(({ question }: Row) => question))
  })

  test('a price that is not known is left out, and never 0', async () => {
    const { data } = (await world.get('/v3/markets', { limit: 1 })).json()
    const found = { known: 0, unknown: 0 }
    for (const slug of [data[0].slug, 'bitcoin-above-on-november-14-82000']) {
      const { outcomes } = await answerOf('get_market', { slug })
      for (const { token_id, price } of outcomes) {
        const said = (await world.get(`/v3/markets/${token_id}/price`)).json()
        expect(price).toBe(said.source === null ? undefined : said.price)
        found[said.source === null ? 'unknown' : 'known']++
      }
    }
    expect(found.known).toBeGreaterThan(0)
    expect(found.unknown).toBeGreaterThan(0)
  })

  async function readAll(path: string, rows: string, query: Row): Promise<Row[]> {
    const all: Row[] = []
    for (let cursor: string | undefined; ; ) {
      const body = (await world.get(path, { ...query, limit: 300, cursor })).json()
      all.push(...body[rows])
      if (body.next_cursor === null) return all
      cursor = body.next_cursor
    }
  }

  /** Reads all pages; their sizes alternate. */
  async function paginate(tool: string, field: string, query: Row, pages: readonly Row[]): Promise<Row[]> {
    const all: Row[] = []
    for (let cursor: string | undefined, index = 0; ; index++) {
      const page = pages[index % pages.length] ?? {}
      const { text, isError } = await call(tool, {
        ...query,
        ...page,
        ...(cursor !== undefined && { cursor }),
      })
      expect(isError, text).toBe(false)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Number(page.max_bytes ?? 8_000))
      const answer = JSON.parse(text)
      all.push(...answer[field])
      if (answer.next_cursor === undefined) return all
      cursor = answer.next_cursor
    }
  }
})

describe('wait_for_event', () => {
  const publish = (side: 'BUY' | 'SELL') =>
    world.ctx.bus.publish([
      {
        type: 'trade',
        timestampMs: world.clock.now(),
        data: { event_type: 'trade', side, size: 10, price: 0.5, market_image: 'https://x.example/a.png' },
        keys: { ...NO_KEYS, side },
      },
    ])

  test('ends by time, and says where to go on', async () => {
    const answer = await answerOf('wait_for_event', { type: 'trades', side: 'SELL', timeout_seconds: 1 })
    expect(world.logged.filter((line) => line.includes('slow request') && line.includes('/mcp'))).toEqual([])
    expect(answer).toMatchObject({
      timed_out: true,
      events: [],
      next_cursor: expect.stringMatching(/^seq_\d+$/),
    })
  })

  test('ends with the event, and the next call misses nothing that came in between', async () => {
    const waiting = answerOf('wait_for_event', { side: 'SELL', timeout_seconds: 20 })
    await until(() => {
      publish('BUY')
      publish('SELL')
      return isOver(waiting)
    })
    const { events, next_cursor, timed_out } = await waiting
    expect(timed_out).toBe(false)
    expect(events).toEqual([
      expect.objectContaining({ type: 'trade', side: 'SELL', size: 10, price: 0.5, seq: expect.any(Number) }),
    ])
    expect(events[0]).not.toHaveProperty('market_image')
    publish('SELL')
    const next = await answerOf('wait_for_event', { side: 'SELL', cursor: next_cursor, timeout_seconds: 20 })
    expect(next.events[0].seq).toBeGreaterThan(events[0].seq)
  })

  test('a caller that leaves ends its wait, and the socket of its account with it', async () => {
    const { key, accountId } = await world.createCaller('free')
    const leaving = new AbortController()
    const headers = { ...HEADERS, 'x-api-key': key }
    const body = JSON.stringify(
      request('tools/call', { name: 'wait_for_event', arguments: { timeout_seconds: 45 } }),
    )
    const waiting = fetch(`${url}/mcp`, { method: 'POST', headers, body, signal: leaving.signal })
    await untilSockets(accountId, 1)
    leaving.abort()
    await expect(waiting).rejects.toThrow(/abort/i)
    await untilSockets(accountId, 0)
  })

  test('the connections that a plan allows hold', async () => {
    const { key, accountId } = await world.createCaller('free')
    const socket = await SocketClient.open(`${url.replace('http', 'ws')}/ws?key=${key}`)
    await untilSockets(accountId, 1)
    const { text, isError } = await call('wait_for_event', { timeout_seconds: 1 }, key)
    socket.socket.close()
    expect(isError).toBe(true)
    expect(text).toMatch(/The free plan allows 1 connections.*list_trades/)
  })

  const untilSockets = (accountId: number, count: number) =>
    vi.waitFor(
      async () => {
        // As its job does: what it counts is good for some seconds.
        await world.ctx.socketSessions.beat()
        const open = await selectOpenCounts(world.ctx.sql, accountId)
        expect(open.find(({ kind }) => kind === 'events')?.count ?? 0).toBe(count)
      },
      // Before the longest wait is over.
      { timeout: 40_000 },
    )
})

const finished = new WeakSet<Promise<unknown>>()

function isOver(promise: Promise<unknown>): boolean {
  void promise.finally(() => finished.add(promise)).catch(() => undefined)
  return finished.has(promise)
}

describe('GET /llms.txt and /llms-full.txt', () => {
  test.each([
    ['/llms.txt', '/openapi.json', 20_000],
    ['/llms-full.txt', '## Profit and loss of wallets', 512 * 1024],
  ])('200: %s needs no key, may be kept, and is bounded', async (path, part, bytesMax) => {
    const { statusCode, headers, body } = await world.app.inject(path)
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    })
    expect(body).toContain(part)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bytesMax)
    const again = await world.app.inject({ url: path, headers: { 'if-none-match': String(headers.etag) } })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })
})
