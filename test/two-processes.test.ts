import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { retireKey } from '../src/accounts/accounts.js'
import { createOperatorKey } from '../src/accounts/operators.js'
import { monthOf } from '../src/accounts/usage-meter.js'
import { selectUsage } from '../src/accounts/usage-queries.js'
import { createTestDatabase, type TestDatabase, urlOf } from './database.js'
import { issueKey } from './issue-key.js'
import { type Running, startAuspex } from './processes.js'

let database: TestDatabase
let processes: Running[] = []
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
  processes = await Promise.all([1, 2].map(() => startAuspex(['--database-url', urlOf(database)])))
})
afterAll(async () => {
  for (const each of processes) await each.stop()
  await database.drop()
})

const ask = (index: number, key: string) =>
  fetch(`${processes[index]?.url}/v1/status`, { headers: { 'x-api-key': key } })

describe('two processes on one database', () => {
  test('both refuse a key within a second after it was revoked, however busy it was', async () => {
    const { secret, id } = await issueKey(database.sql, 'growth')
    const statuses: { atMs: number; status: number }[] = []
    let isOver = false
    const use = async (index: number) => {
      while (!isOver) statuses.push({ status: (await ask(index, secret)).status, atMs: performance.now() })
    }
    const users = [use(0), use(1)]
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(20))
    await retireKey(database.sql, id, Date.now())
    const revokedAtMs = performance.now()
    await new Promise((next) => setTimeout(next, 1_500))
    isOver = true
    await Promise.all(users)
    const late = statuses.filter(({ atMs }) => atMs > revokedAtMs + 1_000)
    expect(late.length).toBeGreaterThan(2)
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([403]))
  })

  test('what an operator changes through one holds in the other within a second', async () => {
    const { secret, accountId } = await issueKey(database.sql, 'growth')
    const operator = await createOperatorKey(database.sql, { name: 'ops', nowMs: Date.now() })
    const account = `/v1/admin/accounts/acc_${accountId}`
    const change = async (method: string, path: string, body?: object) => {
      const headers = { 'x-api-key': operator.secret, 'content-type': 'application/json' }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      if (body === undefined) Reflect.deleteProperty(headers, 'content-type')
      const reply = await fetch(`${processes[0]?.url}${account}${path}`, init)
      expect(reply.status).toBe(200)
    }
    const within = { timeout: 1_000, interval: 50 }
    const limitOf = async () => (await ask(1, secret)).headers.get('x-ratelimit-limit')
    expect(await limitOf()).toBe('2000')
    await change('PUT', '/plan', { plan: 'enterprise' })
    await vi.waitFor(async () => expect(await limitOf()).toBe('4000'), within)
    for (const [path, status] of [
      ['/suspend', 403],
      ['/resume', 200],
    ] as const) {
      await change('POST', path)
      await vi.waitFor(async () => expect((await ask(1, secret)).status).toBe(status), within)
    }
    await change('DELETE', '')
    await vi.waitFor(async () => expect((await ask(1, secret)).status).toBe(403), within)
  })

  test('a key made through one works on the other at once', async () => {
    const reply = await fetch(`${processes[0]?.url}/v1/keys`, { method: 'POST' })
    const { api_key: key } = (await reply.json()) as { api_key: string }
    expect((await ask(1, key)).status).toBe(200)
    expect((await fetch(`${processes[1]?.url}/v1/keys`, { method: 'POST' })).status).toBe(429)
  })

  test('both know of each other, and are as ready without a node as one alone', async () => {
    const { secret } = await issueKey(database.sql, 'growth')
    for (const index of [0, 1]) {
      const living = async () =>
        ((await (await ask(index, secret)).json()) as { processes: object[] }).processes
      await vi.waitFor(async () => expect(await living()).toHaveLength(2), { timeout: 10_000 })
      expect((await fetch(`${processes[index]?.url}/readyz`)).status).toBe(200)
    }
  })

  test('both add to the same meters, and a stop loses nothing', async () => {
    const { secret, accountId } = await issueKey(database.sql, 'growth')
    for (let count = 0; count < 7; count++) await ask(count % 2, secret)
    for (const each of processes.splice(0)) expect(await each.stop()).toBe(0)
    const rows = await selectUsage(database.sql, accountId, monthOf(Date.now()))
    expect(rows).toEqual([{ meter: 'api_requests', used: 7n }])
  })
})
