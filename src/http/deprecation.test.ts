import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { STANDARD } from '../accounts/access.js'

let t: TestApp
beforeAll(async () => {
  const deprecation = { since: '2027-01-31', sunset: '2027-07-31', successor: '/v3/new' }
  t = await createTestApp({
    routes: [
      async (app) => {
        app.get('/v3/old', { config: { access: STANDARD, deprecation } }, async () => ({}))
        app.get('/v3/new', { config: { access: STANDARD } }, async () => ({}))
      },
    ],
  })
})
afterAll(() => t.close())

test('answers of a deprecated operation say since when, until when, and what to use, also those that refuse', async () => {
  const { key } = await t.createCaller('growth')
  for (const headers of [{ 'x-api-key': key }, {}]) {
    const reply = await t.app.inject({ url: '/v3/old', headers })
    expect([reply.statusCode, reply.headers]).toEqual([
      'x-api-key' in headers ? 200 : 401,
      expect.objectContaining({
        deprecation: '@1801353600',
        sunset: 'Sat, 31 Jul 2027 00:00:00 GMT',
        link: expect.stringContaining('</v3/new>; rel="successor-version"'),
      }),
    ])
  }
  const { headers } = await t.app.inject({ url: '/v3/new', headers: { 'x-api-key': key } })
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['deprecation']))
})

test('the OpenAPI document marks it', async () => {
  const { paths } = (await t.app.inject('/openapi.json')).json()
  expect([paths['/v3/old'].get.deprecated, paths['/v3/new'].get.deprecated]).toEqual([true, undefined])
})
