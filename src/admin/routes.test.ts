import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestApp, jobOf, type TestApp } from '../../test/test-app.js'
import { createOperatorKey, retireOperatorKey } from '../accounts/operators.js'
import type { WithDatabase } from '../store/with-database.js'
import { addAccountCommands } from './account-commands.js'

const PLANS = {
  plans: { team: { extends: 'growth', api_keys: 2, rest_per_minute: 7, price_usd_per_month: 99 } },
  accounts: { acc_1: { rest_per_minute: 12_345 } },
}

let t: TestApp
let folder: string
let operatorKey: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'auspex-admin-'))
  const plansFile = join(folder, 'plans.json')
  writeFileSync(plansFile, JSON.stringify(PLANS))
  t = await createTestApp({ config: { plansFile, webhookNetworks: ['127.0.0.0/8'] } })
  operatorKey = (await createOperatorKey(t.ctx.sql, { name: 'ops', nowMs: t.clock.now() })).secret
})
afterAll(async () => {
  await t.close()
  rmSync(folder, { recursive: true })
})

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

async function ask(method: Method, url: string, payload?: object, key = operatorKey) {
  const headers = { 'x-api-key': key }
  const reply = await t.app.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: reply.statusCode, body: reply.json() }
}

async function openAccount(plan = 'growth') {
  const { status, body } = await ask('POST', '/v1/admin/accounts', { name: 'desk', plan })
  expect(status).toBe(201)
  const key = await ask('POST', `/v1/admin/accounts/${body.id}/keys`, {})
  expect(key.status).toBe(201)
  await t.ctx.keyRing.sync()
  return {
    account: body.id as string,
    key: key.body.api_key as string,
    keyId: key.body.id as string,
  }
}

const statusOf = async (key: string, url = '/v1/usage') => (await ask('GET', url, undefined, key)).status

describe('the operator', () => {
  test('401 and 403: every admin operation is closed to everyone else, in the same way', async () => {
    const { paths } = (await t.app.inject('/openapi.json')).json()
    const { key } = await t.createCaller('enterprise')
    const operations = Object.entries<object>(paths)
      .filter(([path]) => path.startsWith('/v1/admin/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method, path] as const))
    expect(operations).toHaveLength(11)
    for (const [method, path] of operations) {
      const url = path.replace('{account}', 'acc_1').replace('{key}', 'key_1')
      const upper = method.toUpperCase() as Method
      for (const given of [key, `ax_operator_${'0'.repeat(48)}`, 'nonsense']) {
        const { status, body } = await ask(upper, url, undefined, given)
        expect([status, body.error]).toEqual([403, expect.stringMatching(/no operator's key/)])
        // An address that sends many wrong keys at once would get 429.
        t.clock.advance(10_000)
      }
      expect((await t.app.inject({ method: upper, url })).statusCode).toBe(401)
    }
  })

  test("an operator's key opens no other route, and none after it was revoked or has expired", async () => {
    expect(await statusOf(operatorKey)).toBe(401)
    const nowMs = t.clock.now()
    const expiring = { name: 'a', expiresAtMs: nowMs + 1_000, nowMs }
    const expires = await createOperatorKey(t.ctx.sql, expiring)
    const revoked = await createOperatorKey(t.ctx.sql, { name: 'b', nowMs })
    for (const { secret } of [expires, revoked]) {
      expect(await statusOf(secret, '/v1/admin/accounts')).toBe(200)
    }
    t.clock.advance(1_000)
    await retireOperatorKey(t.ctx.sql, revoked.id, nowMs)
    for (const { secret } of [expires, revoked]) {
      expect(await statusOf(secret, '/v1/admin/accounts')).toBe(403)
    }
  })

  test('429: an address that tries one key after another', async () => {
    const statuses = new Set<number>()
    for (let count = 0; count < 62; count++) statuses.add(await statusOf('x', '/v1/admin/usage'))
    expect(statuses).toEqual(new Set([403, 429]))
    t.clock.advance(60_000)
  })

  test('is in the log with what was changed, and no key is', async () => {
    const { account, key } = await openAccount()
    await ask('POST', `/v1/admin/accounts/${account}/suspend`)
    const lines = t.logged.filter((line) => line.includes('changed by an operator'))
    expect(lines.at(-1)).toMatch(
      new RegExp(`"operator":"op_1","change":"account suspended","id":"${account}"`),
    )
    expect(t.logged.join('')).not.toContain(key.slice(8))
    expect(t.logged.join('')).not.toContain(operatorKey.slice(12))
  })
})

describe('accounts', () => {
  test('are listed page by page, and shown with what was agreed with them', async () => {
    for (let count = 0; count < 3; count++) await openAccount()
    const first = (await ask('GET', '/v1/admin/accounts?limit=2')).body
    expect(first.accounts).toHaveLength(2)
    const second = (await ask('GET', `/v1/admin/accounts?limit=1000&after=${first.next_after}`)).body
    expect(second.next_after).toBeNull()
    const ids = [...first.accounts, ...second.accounts].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect((await ask('GET', '/v1/admin/accounts/acc_1')).body.limits.rest_per_minute).toBe(12_345)
  })

  test('a new plan is in force at once, one of the file too', async () => {
    const { account, key } = await openAccount('free')
    const changed = await ask('PUT', `/v1/admin/accounts/${account}/plan`, { plan: 'team' })
    expect(changed).toMatchObject({ status: 200, body: { plan: 'team', limits: { api_keys: 2 } } })
    await t.ctx.keyRing.sync()
    const reply = await t.app.inject({ url: '/v1/usage', headers: { 'x-api-key': key } })
    expect(reply.json().tier).toBe('team')
    expect(reply.headers['x-ratelimit-limit']).toBe('7')
    // A plan that extends growth may what growth may.
    expect(await statusOf(key, '/v3/webhooks')).toBe(200)
  })

  test.each<[string, Method, string, object | undefined, number, RegExp]>([
    ['an unknown plan', 'POST', '', { name: 'a', plan: 'gold' }, 400, /no plan 'gold'. Known: free,/],
    ['a missing name', 'POST', '', { plan: 'free' }, 400, /name/],
    ['a blank name', 'POST', '', { name: '  ' }, 400, /name/],
    ['an unknown account', 'GET', '/acc_99999', undefined, 404, /no account acc_99999/],
    ['an unknown account', 'DELETE', '/99999', undefined, 404, /no account acc_99999/],
    ['an unknown account', 'POST', '/acc_99999/suspend', {}, 404, /no account/],
    ['an unknown account', 'POST', '/acc_99999/resume', undefined, 404, /no account/],
    ['an unknown account', 'PUT', '/acc_99999/plan', { plan: 'free' }, 404, /no account/],
    ['an unknown account', 'GET', '/acc_99999/keys', undefined, 404, /no account/],
    ['an unknown account', 'POST', '/acc_99999/keys', {}, 404, /no account/],
    ['no account', 'GET', '/desk', undefined, 400, /account/],
    ['an expiry that is over', 'POST', '/acc_1/keys', { expires_at: '2020-01-01T00:00:00Z' }, 400, /past/],
    ['a day that is none', 'POST', '/acc_1/keys', { expires_at: '2027-13-01T00:00:00Z' }, 400, /expires_at/],
    ['an unknown scope', 'POST', '/acc_1/keys', { scope: 'write' }, 400, /scope/],
  ])('%s: %s %s', async (_what, method, path, body, status, message) => {
    const reply = await ask(method, `/v1/admin/accounts${path}`, body)
    expect([reply.status, reply.body.error]).toEqual([status, expect.stringMatching(message)])
  })

  test('a suspended one is refused with the reason and its webhooks are paused, until it is resumed', async () => {
    const { account, key } = await openAccount('growth')
    const webhooks = async () => (await ask('GET', '/v3/webhooks', undefined, key)).body.webhooks
    const hook = { url: 'http://127.0.0.1:9/', event_types: ['market_resolved'] }
    await ask('POST', '/v3/webhooks', hook, key)
    const paused = (await ask('POST', '/v3/webhooks', hook, key)).body.id
    await ask('PUT', `/v3/webhooks/${paused}`, { active: false }, key)

    const suspended = await ask('POST', `/v1/admin/accounts/${account}/suspend`, {
      reason: 'unpaid',
    })
    expect(suspended.body).toMatchObject({ state: 'suspended', suspended_reason: 'unpaid' })
    await t.ctx.keyRing.sync()
    expect(await ask('GET', '/v1/usage', undefined, key)).toMatchObject({
      status: 403,
      body: { error: 'The account of this API key is suspended: unpaid' },
    })
    const active = t.ctx
      .sql`select name from webhooks where account_id = ${Number(account.slice(4))} and active`
    expect(await active).toHaveLength(0)

    await ask('POST', `/v1/admin/accounts/${account}/resume`)
    await t.ctx.keyRing.sync()
    expect(await statusOf(key)).toBe(200)
    const states = (await webhooks()).map((row: { active: boolean; disabled_reason: null }) => [
      row.active,
      row.disabled_reason,
    ])
    // The one that its owner had paused stays so.
    expect(states.sort()).toEqual([
      [false, null],
      [true, null],
    ])
  })

  test('of a deleted one only its number and what it used are left', async () => {
    const { account, key, keyId } = await openAccount('growth')
    const hook = { url: 'http://127.0.0.1:9/', event_types: ['market_resolved'] }
    await ask('POST', '/v3/webhooks', hook, key)
    await t.ctx.usage.flush()
    expect((await ask('DELETE', `/v1/admin/accounts/${account}`)).body).toEqual({ deleted: true })
    await t.ctx.keyRing.sync()
    expect(await ask('GET', '/v1/usage', undefined, key)).toMatchObject({
      body: { error: 'Invalid or inactive API key.' },
    })
    expect((await ask('GET', `/v1/admin/accounts/${account}`)).status).toBe(404)
    expect((await ask('DELETE', `/v1/admin/accounts/${account}`)).status).toBe(404)
    const id = Number(account.slice(4))
    expect(
      await t.ctx.sql`
      select a.name, k.name as key, k.hint, w.secret = '' as is_bare, w.active
        from accounts a join api_keys k on k.account_id = a.id join webhooks w on w.account_id = a.id
       where a.id = ${id}`,
    ).toEqual([{ name: '', key: '', hint: '', isBare: true, active: false }])
    const { rows } = (await ask('GET', `/v1/admin/usage?account=${account}&by=key,family`)).body
    expect(rows).toEqual([{ key: keyId, family: 'webhooks', requests: 1, bytes: 0 }])
  })
})

describe('keys', () => {
  const makeKey = async (account: string, fields: object) =>
    (await ask('POST', `/v1/admin/accounts/${account}/keys`, fields)).body

  test('409: no more than the plan allows, expired ones not counted', async () => {
    const { account } = await openAccount('team')
    const expiresAt = new Date(t.clock.now() + 60_000).toISOString()
    expect(await makeKey(account, { expires_at: expiresAt })).toHaveProperty('api_key')
    expect((await makeKey(account, {})).error).toMatch(/has 2 of the 2 active/)
    t.clock.advance(60_000)
    expect(await makeKey(account, {})).toHaveProperty('api_key')
  })

  test('a key stops working when it expires, without a change in the database', async () => {
    const { account } = await openAccount()
    const expiresAt = new Date(t.clock.now() + 60_000).toISOString()
    const { api_key: key } = await makeKey(account, { expires_at: expiresAt })
    expect(await statusOf(key)).toBe(200)
    t.clock.advance(59_999)
    expect(await statusOf(key)).toBe(200)
    t.clock.advance(1)
    expect(await ask('GET', '/v1/usage', undefined, key)).toMatchObject({
      status: 403,
      body: { error: `This API key expired at ${expiresAt}.` },
    })
  })

  test('a key with the scope read reads everything and changes nothing, over all operations', async () => {
    const { paths } = (await t.app.inject('/openapi.json')).json()
    const { account } = await openAccount('enterprise')
    const { api_key: key } = await makeKey(account, { scope: 'read' })
    const changing = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => method !== 'get' && !/^\/v1\/(admin|keys$|session$)/.test(path))
        .map((method) => [method.toUpperCase() as Method, path] as const),
    )
    const READS = ['/v2/copy-pnl/batch', '/v3/wallets/batch', '/v3/identities/batch']
    expect(changing.length).toBeGreaterThan(8)
    for (const [method, path] of changing) {
      const url = path.replaceAll(/\{\w+\}/g, 'x')
      const { status, body } = await ask(method, url, {}, key)
      if (READS.includes(path)) expect(status, path).toBe(400)
      else expect([path, status, body.error]).toEqual([path, 403, expect.stringMatching(/read alone/)])
    }
    expect(await statusOf(key, '/v3/webhooks')).toBe(200)
  })

  test('are shown with their scope, expiry, state and last use, and revoked', async () => {
    const { account, key, keyId } = await openAccount()
    const keys = async () => (await ask('GET', `/v1/admin/accounts/${account}/keys`)).body.keys
    expect(await keys()).toMatchObject([{ state: 'active', scope: 'full', last_used_at: null }])
    await statusOf(key)
    await t.ctx.usage.flush()
    const usedAt = new Date(t.clock.now()).toISOString()
    expect(await keys()).toMatchObject([{ id: keyId, last_used_at: usedAt, ends: key.slice(-4) }])
    expect(JSON.stringify(await keys())).not.toContain(key)
    expect((await ask('DELETE', `/v1/admin/keys/${keyId}`)).body.id).toBe(keyId)
    expect(await keys()).toMatchObject([{ state: 'revoked', revoked_at: expect.any(String) }])
    expect((await ask('DELETE', '/v1/admin/keys/key_99999')).status).toBe(404)
  })
})

describe('usage', () => {
  test('is by account, key, day and family of routes, or by some of them', async () => {
    const { account, key, keyId } = await openAccount('growth')
    const second = (await ask('POST', `/v1/admin/accounts/${account}/keys`, {})).body
    const today = new Date(t.clock.now()).toISOString().slice(0, 10)
    await statusOf(key)
    await statusOf(key, '/v3/webhooks')
    await statusOf(second.api_key, '/v3/webhooks')
    await t.ctx.usage.flush()
    t.clock.advance(24 * 3_600_000)
    const tomorrow = new Date(t.clock.now()).toISOString().slice(0, 10)
    await statusOf(key, '/v3/webhooks')
    await t.ctx.usage.flush()

    const usage = async (query: string) =>
      (await ask('GET', `/v1/admin/usage?account=${account}&${query}`)).body
    const bytes = 0
    expect((await usage('')).rows).toEqual([
      { account, key: keyId, day: today, family: 'account', requests: 1, bytes },
      { account, key: keyId, day: today, family: 'webhooks', requests: 1, bytes },
      { account, key: keyId, day: tomorrow, family: 'webhooks', requests: 1, bytes },
      { account, key: second.id, day: today, family: 'webhooks', requests: 1, bytes },
    ])
    expect((await usage('by=family,account')).rows).toEqual([
      { account, family: 'account', requests: 1, bytes },
      { account, family: 'webhooks', requests: 3, bytes },
    ])
    expect((await usage('days=1&by=key')).rows).toEqual([{ key: keyId, requests: 1, bytes }])
    expect((await usage(`key_id=${second.id}&by=day`)).rows).toEqual([{ day: today, requests: 1, bytes }])
    expect(await usage('limit=1&offset=3')).toMatchObject({
      has_more: false,
      rows: [{ key: second.id }],
    })
    expect(await usage('limit=1')).toMatchObject({ has_more: true })
  })

  test('`auspex accounts usage` prints it as a table, as JSON and as CSV', async () => {
    const { account, key, keyId } = await openAccount('growth')
    await statusOf(key)
    await statusOf(key, '/v3/webhooks')
    await t.ctx.usage.flush()
    const withDatabase: WithDatabase = (_command, work) =>
      work(t.ctx.sql, { config: t.ctx.config, target: t.target })
    vi.useFakeTimers({ now: t.clock.now(), toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const run = async (...args: string[]) => {
      const print = vi.spyOn(console, 'log').mockImplementation(() => undefined)
      const program = new Command()
      const silent = { writeErr: () => undefined }
      const { commands } = addAccountCommands(program, withDatabase)
      for (const each of commands) each.exitOverride().configureOutput(silent)
      await program.parseAsync(['accounts', 'usage', '--account', account, ...args], {
        from: 'user',
      })
      const printed = print.mock.calls.flat().join('\n')
      print.mockRestore()
      return printed
    }
    const day = new Date(t.clock.now()).toISOString().slice(0, 10)
    const rows = [
      [account, keyId, day, 'account', '1', '0'],
      [account, keyId, day, 'webhooks', '1', '0'],
    ]
    const header = ['account', 'key', 'day', 'family', 'requests', 'bytes']
    expect((await run('--csv')).split('\n')).toEqual([header, ...rows].map((row) => row.join(',')))
    const table = (await run()).split('\n').map((line) => line.trim().split(/ +/))
    expect(table).toEqual([header.map((name) => name.toUpperCase()), ...rows])
    expect(JSON.parse(await run('--json', '--by', 'account,day'))).toEqual([
      { account, day, requests: 2, bytes: 0 },
    ])
    await expect(run('--json', '--csv')).rejects.toThrow(/cannot be used with/)
  })

  test('of a day is deleted after three months, by the job that tidies', async () => {
    const { account, key } = await openAccount('growth')
    await statusOf(key)
    await t.ctx.usage.flush()
    const tidy = jobOf(t.domains, 'tidying')
    const days = async () =>
      (await t.ctx.sql`select from usage_days where account_id = ${Number(account.slice(4))}`).length
    t.clock.advance(92 * 24 * 3_600_000)
    await tidy.run(new AbortController().signal)
    expect(await days()).toBe(1)
    t.clock.advance(24 * 3_600_000)
    await tidy.run(new AbortController().signal)
    expect(await days()).toBe(0)
  })

  test.each([
    ['days=0', /days/],
    ['days=93', /days/],
    ['by=price', /'by'/],
    ['by=day,day', /'by'/],
    ['account=desk', /account/],
    ['limit=10001', /limit/],
  ])('400: %s', async (query, message) => {
    const { status, body } = await ask('GET', `/v1/admin/usage?${query}`)
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)])
  })
})
