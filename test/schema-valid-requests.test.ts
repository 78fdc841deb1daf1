import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inlineReferences } from '../demo/inline-references.js'
import { counts } from './counts.js'
import { JumpingTiming } from './jumping-timing.js'
import { createTestApp, type TestApp } from './test-app.js'

type Schema = {
  type?: string
  enum?: string[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  multipleOf?: number
}
type Parameter = { name: string; in: 'query' | 'path'; required?: boolean; schema: Schema }
type Document = { paths: Record<string, { get?: { parameters?: Parameter[] } }> }

/** No upstream answers. */
const NOWHERE = 'http://127.0.0.1:1'

let t: TestApp
let key: string
let paths: [string, Parameter[]][]
beforeAll(async () => {
  const config = { siteUrl: NOWHERE, clobUrl: NOWHERE, gammaUrl: NOWHERE }
  // What an upstream does not answer is tried again after seconds.
  t = await createTestApp({ config, timing: new JumpingTiming() })
  key = (await t.createCaller('enterprise')).key
  const document = (await t.app.inject('/openapi.json')).json<Document>()
  const { paths: described } = inlineReferences(document)
  paths = Object.entries(described).flatMap(([path, { get }]) =>
    get === undefined ? [] : [[path, get.parameters ?? []]],
  )
})
afterAll(() => t.close())

/** What a schema cannot say: rules between fields, between a value and the clock, and cursors. */
const OTHER_RULES = [
  /^Invalid range: /,
  /^Invalid (from|to): give /,
  /^Invalid (window|eventStartTime): (it has not begun|windows of \w+ begin)/,
  /^Invalid (eventStartTime|endDate): there is no such time/,
  /^Invalid cursor: /,
  /^Invalid pagination_key: there is no such/,
  /^(market_slug|condition_id) not found$/,
  /^leaderboard_offset_too_deep$/,
  /^A leaderboard (has one filter at a time|of \w+ is narrowed by )/,
  /^Invalid (tags|tag_slug): a leaderboard has one tag /,
  /^Invalid tags: name at (least|most) /,
  /^Invalid period: custom needs after or before/,
  /^Invalid start: (it must not be later|\d+ buckets)/,
  /^Invalid query: an address is /,
  /^Invalid next_cursor: /,
  /^Invalid interval: between `from` and `to` are /,
  /^Missing (anchor_ts|token_id): /,
  /^Give one of market_id, condition_id and position_id/,
  /^Invalid format: \w+ has no place for a second list/,
  /^Invalid \w+: .*; leave out /,
  / contains a null character\.$/,
]

/** A value as a client writes it that was generated from the document. */
function validValue(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const { minimum: min, maximum: max, multipleOf: step = 1 } = schema
  if (schema.type === 'integer') {
    const integer = fc.maxSafeInteger().filter((n) => n >= (min ?? n) && n <= (max ?? n))
    const small = fc.integer({
      min: min ?? -1_000,
      max: Math.min(max ?? 1_000, (min ?? 0) + 10_000),
    })
    return fc.oneof(small, integer).map((number) => `${number - (number % step)}`)
  }
  if (schema.type === 'boolean') return fc.constantFrom('true', 'false')
  const { pattern, minLength = 0, maxLength = 100 } = schema
  if (pattern === undefined) return fc.string({ unit: 'binary', minLength, maxLength })
  return fc
    .stringMatching(new RegExp(pattern))
    .filter(({ length }) => length >= minLength && length <= maxLength)
}

test('a request that the OpenAPI document allows is not refused for one of its values', async () => {
  const request = fc.constantFrom(...paths).chain(([path, parameters]) =>
    fc.tuple(
      fc.constant(path),
      fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, validValue(schema)])), {
        requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
      }),
    ),
  )
  await fc.assert(
    fc.asyncProperty(request, async ([path, values]) => {
      const query = new URLSearchParams(values as Record<string, string>)
      const url = path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = query.get(name) ?? ''
        // Clients and servers take such a part of a path for a step up or for none.
        fc.pre(!/^\.{1,2}$/.test(value))
        query.delete(name)
        return encodeURIComponent(value)
      })
      const reply = await t.app.inject({ url: `${url}?${query}`, headers: { 'x-api-key': key } })
      const { error } = reply.statusCode === 400 ? reply.json() : { error: undefined }
      if (!OTHER_RULES.some((rule) => rule.test(error))) expect(error, url).toBeUndefined()
      // A window may be asked for at the site, which does not answer here.
      if (!/crypto.price$/.test(path)) expect(reply.statusCode, `${url}?${query}`).not.toBe(500)
    }),
    { numRuns: counts({ short: 150, long: 3_000 }) },
  )
}, 300_000)
