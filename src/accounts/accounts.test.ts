import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { createKey, FREE_KEY_PERIOD_MS, FreeKeys, retireKey, setPlan } from './accounts.js'
import { Plans } from './plans.js'
import { insertAccount, selectKeyOwner, selectKeys } from './queries.js'
import { digestSecret, hashSecret } from './secret.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const NOW_MS = Date.UTC(2026, 10, 15)
const openAccount = (plan: 'free' | 'starter' | 'growth') =>
  insertAccount(database.sql, { name: plan, plan, nowMs: NOW_MS })
const addKey = (accountId: number) =>
  createKey(database.sql, { plans: new Plans(), accountId, name: 'k', nowMs: NOW_MS })

describe('createKey', () => {
  test('makes keys of 192 random bits and stores their hash alone', async () => {
    const { secret, id } = await addKey(await openAccount('free'))
    expect(secret).toMatch(/^ax_live_[0-9a-f]{48}$/)
    const [row] = await database.sql`select * from api_keys where id = ${id}`
    expect(JSON.stringify(row)).not.toContain(secret.slice(8, 50))
    expect(await selectKeyOwner(database.sql, hashSecret(secret))).toMatchObject({ keyId: id })
  })

  test('never makes more than the plan allows, however many ask at once', async () => {
    const accountId = await openAccount('starter')
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => addKey(accountId)))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    await expect(addKey(accountId)).rejects.toThrow(/3 of the 3 active key/)
    expect(await selectKeys(database.sql, accountId, 10)).toHaveLength(3)
  })

  test('makes room when a key is revoked', async () => {
    const accountId = await openAccount('free')
    const { id, secret } = await addKey(accountId)
    const revokedAt = await retireKey(database.sql, id, NOW_MS)
    expect(await retireKey(database.sql, id, NOW_MS + 1)).toEqual(revokedAt)
    expect(await selectKeyOwner(database.sql, hashSecret(secret))).toBeUndefined()
    await expect(addKey(accountId)).resolves.toMatchObject({ accountId })
  })

  test('refuses an account that does not exist', async () => {
    await expect(addKey(999_999)).rejects.toThrow(/no account acc_999999/)
    await expect(retireKey(database.sql, 999_999, NOW_MS)).rejects.toThrow(/no key key_999999/)
  })
})

describe('setPlan', () => {
  test('refuses a plan that allows fewer keys than are active', async () => {
    const accountId = await openAccount('starter')
    await addKey(accountId)
    await addKey(accountId)
    await expect(
      setPlan(database.sql, { plans: new Plans(), accountId, plan: 'free', nowMs: NOW_MS }),
    ).rejects.toThrow(/Revoke 1 first/)
    await expect(
      setPlan(database.sql, { plans: new Plans(), accountId, plan: 'growth', nowMs: NOW_MS }),
    ).resolves.toBeUndefined()
  })
})

describe('FreeKeys', () => {
  const ask = (address: string, nowMs = NOW_MS) => new FreeKeys(database).issue({ name: 'n', address, nowMs })

  test('gives one key per address and rolling day, however many ask at once', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => ask('192.0.2.1')))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(ask('192.0.2.1', NOW_MS + FREE_KEY_PERIOD_MS - 1)).rejects.toThrow(/1 key per IP/)
    await expect(ask('192.0.2.1', NOW_MS + FREE_KEY_PERIOD_MS)).resolves.toBeDefined()
  })

  test('counts a /64 network of IPv6 as one address', async () => {
    await ask('2001:db8:1:2::1')
    await expect(ask('2001:db8:1:2:ffff::9')).rejects.toThrow(/1 key per IP/)
    await expect(ask('2001:db8:1:3::1')).resolves.toBeDefined()
  })

  test('remembers whom it refused, and until when', async () => {
    const freeKeys = new FreeKeys(database)
    const issue = (nowMs: number) => freeKeys.issue({ name: 'n', address: '192.0.2.9', nowMs })
    await issue(NOW_MS)
    for (const nowMs of [NOW_MS, NOW_MS + 1_000]) {
      await expect(issue(nowMs)).rejects.toMatchObject({
        status: 429,
        retryAfterSeconds: (FREE_KEY_PERIOD_MS - (nowMs - NOW_MS)) / 1000,
      })
    }
    await expect(issue(NOW_MS + FREE_KEY_PERIOD_MS)).resolves.toBeDefined()
  })

  test('leaves no account behind when it refuses', async () => {
    await ask('192.0.2.7')
    const [before] = await database.sql`select count(*) from accounts`
    await expect(ask('192.0.2.7')).rejects.toThrow()
    expect(await database.sql`select count(*) from accounts`).toEqual([before])
  })
})

test.each([
  ['ax_live_', true],
  ['auspex_live_', true],
  ['bx_live_', false],
])('a key with the prefix %s is well-formed: %s', (prefix, expected) => {
  expect(digestSecret(prefix + 'a1'.repeat(24)) !== undefined).toBe(expected)
})

test.each([
  '',
  'ax_live_',
  `ax_live_${'A'.repeat(48)}`,
  `ax_live_${'a'.repeat(49)}`,
  `ax_live_${'é'.repeat(48)}`,
])('%j is no key', (text) => {
  expect(digestSecret(text)).toBeUndefined()
})
