import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { retireKey } from '../src/accounts/accounts.js'
import { resumeAccount, suspendAccount } from '../src/admin/account-state.js'
import { loadConfig } from '../src/config/config.js'
import { createTestDatabase, type TestDatabase, urlOf } from './database.js'
import { issueKey } from './issue-key.js'
import { type Running, startAuspex } from './processes.js'
import { SocketClient } from './socket-client.js'

let database: TestDatabase
let databaseUrl: string
let one: Running
let two: Running
const start = () => startAuspex(['--database-url', databaseUrl])
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
  databaseUrl = urlOf(database)
  ;[one, two] = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all([one.stop(), two.stop()])
  await database.drop()
})

async function connect({ url }: Running, key: string): Promise<SocketClient> {
  const client = await SocketClient.open(`${url.replace('http', 'ws')}/ws?key=${key}`)
  onTestFinished(() => client.socket.terminate())
  client.send({ action: 'ping' })
  return client
}

const isAdmitted = async (client: SocketClient): Promise<boolean> => (await client.next()).type === 'pong'

describe('WebSockets of two processes on one database', () => {
  test('share the connections of a plan', async () => {
    const { secret } = await issueKey(database.sql, 'free')
    const first = await connect(one, secret)
    expect(await isAdmitted(first)).toBe(true)
    const second = await connect(two, secret)
    expect(await second.next()).toMatchObject({ code: 'connection_limit' })
    expect((await second.closed()).code).toBe(4429)
    first.socket.close()
    await first.closed()
    await expect.poll(async () => await isAdmitted(await connect(two, secret))).toBe(true)
  })

  test('end within seconds after their key was revoked', async () => {
    const { secret, id } = await issueKey(database.sql, 'growth')
    const clients = [await connect(one, secret), await connect(two, secret)]
    for (const client of clients) expect(await isAdmitted(client)).toBe(true)
    await retireKey(database.sql, id, Date.now())
    const startedAt = performance.now()
    for (const client of clients) expect((await client.closed()).code).toBe(4403)
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  test('end within seconds after their account was suspended, and come back when it is resumed', async () => {
    const { secret, accountId } = await issueKey(database.sql, 'growth')
    const clients = [await connect(one, secret), await connect(two, secret)]
    for (const client of clients) expect(await isAdmitted(client)).toBe(true)
    const nowMs = Date.now()
    const startedAt = performance.now()
    const ctx = { sql: database.sql, config: loadConfig({}).config }
    await suspendAccount(ctx, { accountId, reason: 'unpaid', nowMs })
    for (const client of clients) {
      expect(await client.next()).toMatchObject({
        code: 'forbidden',
        message: expect.stringMatching(/suspended: unpaid/),
      })
      expect((await client.closed()).code).toBe(4403)
    }
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    await resumeAccount(ctx, { accountId, nowMs })
    await expect.poll(async () => await isAdmitted(await connect(two, secret))).toBe(true)
  })

  test('of a process that stops end with 1012, and find their place free in the other', async () => {
    const { secret } = await issueKey(database.sql, 'free')
    const client = await connect(one, secret)
    expect(await isAdmitted(client)).toBe(true)
    const stopping = one.stop()
    expect((await client.closed()).code).toBe(1012)
    expect(await isAdmitted(await connect(two, secret))).toBe(true)
    expect(await stopping).toBe(0)
    one = await start()
  })

  test('of a process that is killed find their place free at their first attempt', async () => {
    const { secret } = await issueKey(database.sql, 'free')
    const client = await connect(one, secret)
    expect(await isAdmitted(client)).toBe(true)
    await one.stop('SIGKILL')
    expect((await client.closed()).code).toBe(1006)
    // As long as the quickest client waits before it connects again.
    await new Promise((next) => setTimeout(next, 500))
    expect(await isAdmitted(await connect(two, secret))).toBe(true)
    one = await start()
  })
})
