import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inlineReferences } from '../demo/inline-references.js'
import { ownAccountRoutes } from '../src/account-api/account/routes.js'
import { accountRoutes } from '../src/account-api/routes.js'
import { sessionRoutes } from '../src/account-api/session/routes.js'
import { createSecret } from '../src/accounts/secret.js'
import { statusHistoryRoutes } from '../src/status/history/routes.js'
import { statusRoutes } from '../src/status/routes.js'
import { probeRoutes } from './probe-routes.js'
import { createTestApp, type TestApp } from './test-app.js'

type Parameter = { name: string; in: string }
type Operation = { parameters?: Parameter[] }

let t: TestApp
let routes: { method: string; path: string; parameters: Parameter[] }[]
let keys: string[]
beforeAll(async () => {
  t = await createTestApp({
    routes: (ctx) => [
      statusRoutes(ctx),
      statusHistoryRoutes(ctx),
      accountRoutes(ctx, ctx),
      ownAccountRoutes(ctx, ctx),
      sessionRoutes(ctx, ctx),
      probeRoutes,
    ],
  })
  const document = inlineReferences((await t.app.inject('/openapi.json')).json())
  routes = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({ method, path, parameters })),
  )
  const callers = [await t.createCaller('free'), await t.createCaller('enterprise')]
  keys = [...callers.map(({ key }) => key), createSecret(), 'ax_live_short', '', 'Ω']
})
afterAll(() => t.close())

// Broken by design, to show what a 500 looks like.
const BROKEN = '/v1/probe/broken'

/** What people, bots and scanners put into a parameter. */
const nasty = fc.oneof(
  fc.constantFrom('1e9', '-1', 'abc', '', '%00', '%ff', '%', '0x10', 'NaN', '../..', "' or 1=1--", '💥'),
  fc.constantFrom('null', '[]', '{}', 'true', '2026-11-15', '99999999999999999999', '%F0%9F%92%A9'),
  fc.string({ unit: 'binary', maxLength: 40 }).map(encodeURIComponent),
  fc.stringMatching(/^[ -~]{0,20}$/).map((text) => text.replace(/[ "<>`{}|\\^#]/g, '')),
)
const body = fc.oneof(
  fc.json(),
  fc.string(),
  fc.constantFrom('{"name":{"a":1}}', '{"name":"\\ud800"}', '{"name":"\\u0000"}', '[[[[', ''),
)

test('no request to any route ends in a 5xx, and every refusal says why', async () => {
  const request = fc.record({
    route: fc.nat(),
    method: fc.option(fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS')),
    segment: nasty,
    values: fc.array(nasty, { maxLength: 6 }),
    extra: fc.option(fc.tuple(nasty, nasty)),
    key: fc.nat(),
    keyPlace: fc.constantFrom('header', 'query', 'bearer', 'both', 'none'),
    contentType: fc.constantFrom('application/json', 'text/plain', 'application/xml', ''),
    encoding: fc.constantFrom('br', 'gzip', '*', 'br;q=0', ''),
    body,
  })
  await fc.assert(
    fc.asyncProperty(request, async (r) => {
      t.clock.advance(1_000)
      const route = routes[r.route % routes.length] ?? { method: 'get', path: '/', parameters: [] }
      if (route.path === BROKEN) return
      const key = keys[r.key % keys.length] ?? ''
      const inQuery = route.parameters.filter((parameter) => parameter.in === 'query')
      const pairs = r.values.map((value, index) => {
        const { name } = inQuery[index % Math.max(1, inQuery.length)] ?? { name: 'x' }
        return `${name}=${value}`
      })
      if (r.extra !== null) pairs.push(`${r.extra[0]}=${r.extra[1]}`)
      if (r.keyPlace === 'query' || r.keyPlace === 'both') pairs.push(`key=${encodeURIComponent(key)}`)
      const headers: Record<string, string> = { 'accept-encoding': r.encoding }
      if (r.keyPlace === 'header' || r.keyPlace === 'both') headers['x-api-key'] = key
      if (r.keyPlace === 'bearer') headers.authorization = `Bearer ${key}`
      const method = (r.method ?? route.method).toUpperCase() as 'GET' | 'HEAD'
      const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method)
      if (hasBody && r.contentType !== '') headers['content-type'] = r.contentType

      const path = route.path.replace(/\{\w+\}/g, r.segment)
      const reply = await t.app.inject({
        method,
        url: pairs.length === 0 ? path : `${path}?${pairs.join('&')}`,
        headers,
        ...(hasBody ? { payload: r.body } : {}),
      })
      expect(reply.statusCode).toBeLessThan(500)
      expect(reply.headers['x-request-id']).toBeTruthy()
      if (reply.statusCode >= 400 && method !== 'HEAD') {
        expect(reply.json().error).toEqual(expect.any(String))
      }
    }),
    { numRuns: 1_500 },
  )
})
