import { afterAll, beforeAll, expect, test } from 'vitest'
import { inlineReferences } from '../demo/inline-references.js'
import { createOperatorKey } from '../src/accounts/operators.js'
import { refreshComboAggregates, refreshComboRanks } from '../src/combos/aggregates.js'
import { refreshComboDays } from '../src/combos/daily/refresh.js'
import { refreshChainTotals } from '../src/wallets/totals/refresh.js'
import { HOOK_URL } from '../src/webhooks/manage/test-api.js'
import { type ApiWorld, openApiWorld } from './api-world.js'
import { counts } from './counts.js'
import { mostFrequent } from './lists/subject.js'

type Schema = {
  $ref?: string
  type?: string
  enum?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
}
type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  schema: Schema
  example?: unknown
}
type Operation = {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema; example?: object }> }
  responses: Record<string, object>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

/** Around what a column, a JavaScript number and a 64-bit integer can hold, and what is no number. */
const EDGES = [-1, 0, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER, 2n ** 63n, '1e30', 'NaN'].map(String)

/** Those that each number is tried with alone; all are tried at all numbers of a query at once. */
const EDGES_ALONE = counts({ short: ['-1', `${2 ** 31}`, `${2n ** 63n}`, 'NaN'], long: EDGES })

/** Whether each number is tried beside each choice, or each choice beside one of the numbers. */
const EACH_CHOICE = counts({ short: false, long: true })

/** Limits of upstreams are counted in real time, which many requests at once would reach. */
const ASKS_UPSTREAMS = /^\/v2\/(search|social|sports)\//

let world: ApiWorld
let document: Document
let key: string
let operatorKey: string
/** What exists, so that the numbers beside it reach the database. */
let values: Record<string, string>
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true })
  const { signal } = new AbortController()
  await refreshComboAggregates(world.ctx.sql, signal)
  await refreshComboDays(world.ctx.sql, signal)
  await refreshChainTotals(world.ctx.sql, signal)
  await refreshComboRanks(world.ctx.sql)
  document = inlineReferences((await world.app.inject('/openapi.json')).json())
  key = (await world.createCaller('enterprise')).key
  const operator = { name: 'ops', nowMs: world.clock.now() }
  operatorKey = (await createOperatorKey(world.ctx.sql, operator)).secret
  values = await findValues()
})
afterAll(() => world.close())

async function findValues(): Promise<Record<string, string>> {
  const first = async (path: string, list: string, query: object = {}) =>
    (await world.get(path, { limit: 1, ...query })).json()[list][0]
  const address = mostFrequent(world, ({ maker }) => maker)
  const [game] = world.universe.catalogue.events().filter((event) => event.game !== undefined)
  const trade = await first('/v3/trades', 'trades')
  const webhook = await world.app.inject({
    method: 'POST',
    url: '/v3/webhooks',
    headers: { 'x-api-key': key },
    payload: { url: HOOK_URL, event_types: ['market_resolved'] },
  })
  return {
    address,
    wallet: address,
    date: new Date(world.clock.now()).toISOString().slice(0, 10),
    token_id: trade.token_id,
    condition_id: trade.condition_id,
    slug: trade.market_slug,
    code: (await first('/v3/builders', 'builders')).builder_code,
    game: game?.slug ?? '',
    event_id: game?.id ?? '',
    market_id: game?.markets[0]?.id ?? '',
    league: 'nba',
    id: webhook.json().id,
    symbol: 'BTC',
    from: `${world.universe.nowMs - 60_000}`,
    to: `${world.universe.nowMs}`,
    q: 'bitcoin',
    handle: 'someone',
  }
}

/** Of a path or of the query, by name; ids mean different things below different paths. */
function valueIn(path: string, { name, example }: Parameter): string {
  if (name === 'slug' && path.startsWith('/v2/sports/')) return values.game ?? ''
  if (name === 'slug' && path.startsWith('/v3/tags/')) return 'crypto'
  if (name === 'id' && !path.startsWith('/v3/webhooks/')) return values.token_id ?? ''
  return values[name] ?? String(example ?? 'all')
}

/** What an operation cannot do without beside the parameters that are required. */
function neededBy(path: string): Record<string, string> {
  if (path === '/v3/combos/activity') return { condition_id: values.condition_id ?? '' }
  // Posts are searched once a second.
  return path.endsWith('/context') ? { sources: 'online' } : {}
}

const follow = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : (document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {})

/** Numbers, and texts that can only be numbers or times. */
function isNumeric(schema: Schema): boolean {
  const { type, enum: allowed, pattern, anyOf } = follow(schema)
  if (type === 'integer' || type === 'number') return true
  if (anyOf !== undefined) return anyOf.some(isNumeric)
  if (type !== 'string' || allowed !== undefined || pattern === undefined) return false
  return new RegExp(pattern).test('2147483648') && !new RegExp(pattern).test('x')
}

/** Each allowed value of each parameter that has few and changes what is asked of the database. */
const choicesOf = (parameters: readonly Parameter[]): [name: string, value: string][] =>
  parameters
    .filter(({ name, in: part }) => part === 'query' && name !== 'format' && name !== 'order')
    .flatMap(({ name, schema }) => (follow(schema).enum ?? []).map((value) => [name, String(value)]))

/** The places of the numbers in a body, such as `filters.min_amount_usd`. */
function numbersIn(schema: Schema, place: string[] = []): string[][] {
  const { properties = {}, anyOf = [], items } = follow(schema)
  if (isNumeric(schema)) return [place]
  return [
    ...anyOf.flatMap((choice) => numbersIn(choice, place)),
    ...Object.entries(properties).flatMap(([name, field]) => numbersIn(field, [...place, name])),
    ...(items === undefined ? [] : numbersIn(items, [...place, '0'])),
  ]
}

/** A body with one more field. What is no JSON number is a text. */
function withField(body: object, [name = '', ...rest]: string[], text: string): object {
  const inner = (body as Record<string, object | undefined>)[name] ?? (rest[0] === '0' ? [] : {})
  const value = rest.length > 0 ? withField(inner, rest, text) : text === 'NaN' ? text : Number(text)
  return Array.isArray(body) ? [value] : { ...body, [name]: value }
}

type Request = {
  method: string
  url: string
  headers?: Record<string, string>
  body?: object
  names: string[]
  responses: Operation['responses']
}

/** Each edge at each number alone, and at all numbers of the query at once. */
function* requests(): Generator<Request> {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries(operations)) {
      const urlWith = (edges: Record<string, string>) => {
        const query = new URLSearchParams({ ...neededBy(path), ...edges })
        let url = path
        for (const parameter of parameters) {
          const { name, in: part, required = false } = parameter
          const text = edges[name] ?? valueIn(path, parameter)
          if (part === 'path') {
            url = url.replace(`{${name}}`, encodeURIComponent(text))
            query.delete(name)
          } else if (required) query.set(name, text)
        }
        return `${url}?${query}`
      }
      const { schema: bodySchema, example } = requestBody?.content['application/json'] ?? {}
      const given = path === '/v3/webhooks' ? { ...example, url: HOOK_URL } : (example ?? {})
      const numeric = parameters.filter(({ schema }) => isNumeric(schema))
      const inQuery = numeric.filter(({ in: part }) => part === 'query').map(({ name }) => name)
      for (const { name, schema, in: part } of numeric) {
        const { minimum, maximum } = follow(schema)
        const bounds = [minimum, maximum].flatMap((bound) => (bound === undefined ? [] : `${bound}`))
        for (const text of new Set([...EDGES_ALONE, ...bounds])) {
          const edge = { [name]: text }
          const body = bodySchema === undefined ? {} : { body: given }
          if (part === 'header')
            yield { method, url: urlWith({}), headers: edge, ...body, names: [name], responses }
          else yield { method, url: urlWith(edge), names: [name], responses }
        }
        for (const text of name === inQuery[0] ? EDGES : []) {
          const all = Object.fromEntries(inQuery.map((each) => [each, text]))
          yield { method, url: urlWith(all), names: inQuery, responses }
        }
        // Some numbers are only read beside a choice, such as `period=custom`, or by another statement there.
        if (!inQuery.includes(name) || name === 'limit' || ASKS_UPSTREAMS.test(path)) continue
        for (const [index, [choice, value]] of choicesOf(parameters).entries()) {
          if (!EACH_CHOICE && index % inQuery.length !== inQuery.indexOf(name)) continue
          const edges = { [name]: `${maximum ?? Number.MAX_SAFE_INTEGER}`, [choice]: value }
          yield { method, url: urlWith(edges), names: [name, choice], responses }
        }
      }
      for (const place of bodySchema === undefined ? [] : numbersIn(bodySchema)) {
        const names = place.filter((part) => part !== '0').slice(-1)
        for (const text of EDGES_ALONE) {
          yield { method, url: urlWith({}), body: withField(given, place, text), names, responses }
        }
      }
    }
  }
}

function ask({ method, url, headers, body }: Pick<Request, 'method' | 'url' | 'headers' | 'body'>) {
  // The strictest limit is three requests in ten seconds.
  world.clock.advance(4_000)
  return world.app.inject({
    method: method.toUpperCase() as 'GET',
    url,
    headers: { ...headers, 'x-api-key': url.startsWith('/v1/admin') ? operatorKey : key },
    ...(body !== undefined && { payload: body }),
  })
}

test('no operation fails at a number: it is taken, or refused by name', async () => {
  const wrong: string[] = []
  let count = 0
  for (const { responses, names, ...request } of requests()) {
    count++
    const reply = await ask(request)
    const isDeclared = responses[reply.statusCode] !== undefined
    if (isDeclared && [200, 201, 404].includes(reply.statusCode)) continue
    const { error, message = '' } = reply.json()
    const isNamed = names.some((name) => `${error} ${message}`.includes(name))
    if (isDeclared && reply.statusCode === 400 && isNamed) continue
    wrong.push(`${reply.statusCode} ${JSON.stringify(request)}: ${reply.body}`)
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(EACH_CHOICE ? 4_000 : 1_200)
}, 300_000)

/** Well-formed, and the name of nothing. */
const UNKNOWN: Record<string, string> = {
  account: 'acc_999999',
  key: 'key_999999',
  address: `0x${'ab'.repeat(20)}`,
  wallet: `0x${'ab'.repeat(20)}`,
  eoa: `0x${'ab'.repeat(20)}`,
  receiver: `0x${'ab'.repeat(20)}`,
  query: `0x${'ab'.repeat(20)}`,
  token_id: '9'.repeat(70),
  condition_id: `0x${'ab'.repeat(32)}`,
  code: 'ab'.repeat(32),
  slug: 'there-is-no-such-thing',
  event_id: '2147483647',
  market_id: '2147483647',
  league: 'nosuchleague',
  id: '9'.repeat(70),
  handle: 'nobody_at_all',
}

/** Names for what a path may name: of nothing, malformed, and of two builders at once. */
async function findNames(): Promise<((parameter: Parameter) => string)[]> {
  const [shared] = await world.ctx.sql<{ name: string }[]>`
    select name from builder_profiles where name is not null group by name having count(*) > 1`
  return [({ name }) => UNKNOWN[name] ?? 'nothing', () => '~', () => '0', () => shared?.name ?? '']
}

async function* askForNothing() {
  const names = await findNames()
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries(operations)) {
      const inPath = parameters.filter(({ in: part }) => part === 'path')
      if (inPath.length === 0) continue
      const query = new URLSearchParams(neededBy(path))
      for (const parameter of parameters) {
        const { name, in: part, required } = parameter
        if (part === 'query' && required === true) query.set(name, valueIn(path, parameter))
      }
      for (const nameOf of names) {
        let url = path
        for (const parameter of inPath) {
          url = url.replace(`{${parameter.name}}`, encodeURIComponent(nameOf(parameter)))
        }
        const body = requestBody?.content['application/json']?.example
        const { statusCode } = await ask({
          method,
          url: `${url}?${query}`,
          ...(body !== undefined && { body }),
        })
        yield { operation: `${method} ${path}`, status: `${statusCode}`, responses }
      }
    }
  }
}

test('every refusal of what a path names is in the document, and each 404 of the document is given', async () => {
  const undeclared = new Set<string>()
  const declaring = new Set<string>()
  const giving = new Set<string>()
  const statuses = new Set<string>()
  for await (const { operation, status, responses } of askForNothing()) {
    statuses.add(status)
    if (responses[status] === undefined) undeclared.add(`${status} ${operation}`)
    if (responses[404] !== undefined) declaring.add(operation)
    if (status === '404') giving.add(operation)
  }
  expect([...undeclared]).toEqual([])
  expect([...declaring]).toEqual([...giving])
  expect([...statuses].sort()).toEqual(['200', '400', '404', '409'])
}, 300_000)
