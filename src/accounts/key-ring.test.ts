import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import type { Pool } from '../store/connection.js'
import { createKey, retireKey, setPlan } from './accounts.js'
import { KeyRing, SYNC_MS } from './key-ring.js'
import { Plans } from './plans.js'
import { insertAccount } from './queries.js'
import { createSecret, digestSecret, digestSession } from './secret.js'
import { endSessions, openSession } from './web-sessions.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
afterEach(() => vi.useRealTimers())

const NOW_MS = Date.UTC(2026, 10, 15)
const issueKey = async () => {
  const accountId = await insertAccount(database.sql, { name: 'a', plan: 'growth', nowMs: NOW_MS })
  const { secret, ...key } = await createKey(database.sql, {
    plans: new Plans(),
    accountId,
    name: 'k',
    nowMs: NOW_MS,
  })
  return { ...key, digest: digestSecret(secret) ?? '' }
}

const PLANS = { plans: new Plans(), nowMs: NOW_MS }
const clock = new ManualClock(NOW_MS)
const openRing = (store: { sql: Pool; control: Pool }) => new KeyRing({ store, plans: new Plans(), clock })

describe('KeyRing', () => {
  test('answers from memory what it has seen, and forgets it when any key changes', async () => {
    const ring = openRing(database)
    const { digest, id, accountId } = await issueKey()
    await ring.sync()
    expect(ring.recall(digest)).toBeUndefined()
    expect(await ring.find(digest)).toMatchObject({ keyId: id, plan: { id: 'growth' } })
    expect(ring.recall(digest)).toMatchObject({ accountId })

    await setPlan(database.sql, { ...PLANS, accountId, plan: 'enterprise' })
    await ring.sync()
    expect(ring.recall(digest)).toBeUndefined()
    expect(await ring.find(digest)).toMatchObject({ plan: { id: 'enterprise' } })
  })

  test('stays as it is when a key is made: no request can carry that key yet', async () => {
    const ring = openRing(database)
    const { digest } = await issueKey()
    await ring.sync()
    await ring.find(digest)
    await issueKey()
    await ring.sync()
    expect(ring.recall(digest)).toBeDefined()
  })

  test('trusts its memory for less than a second without news from the database', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const ring = openRing(database)
    const { digest, id } = await issueKey()
    await ring.sync()
    await ring.find(digest)
    await retireKey(database.sql, id, NOW_MS)
    expect(ring.recall(digest)).toBeDefined()
    vi.advanceTimersByTime(1_000 - SYNC_MS)
    expect(ring.recall(digest)).toBeUndefined()
    expect(await ring.find(digest)).toBeUndefined()
  })

  test('neither keeps nor shares an answer that is older than a change seen by `sync`', async () => {
    const { digest, id } = await issueKey()
    let release = (): void => undefined
    const answered = new Promise<void>((resolve) => {
      release = resolve
    })
    const ring = openRing(watch(async (rows) => (rows[0]?.keyId === id ? answered : undefined)))
    await ring.sync()
    const lookup = ring.find(digest)
    await vi.waitFor(() => expect(asked).toBe(1))
    await retireKey(database.sql, id, NOW_MS)
    await ring.sync()
    expect(await ring.find(digest)).toBeUndefined()
    release()
    expect(await lookup).toMatchObject({ keyId: id })
    expect(ring.recall(digest)).toBeUndefined()
    expect(await ring.find(digest)).toBeUndefined()
  })

  test('remembers sessions like keys; one that ends makes it forget the sessions and no key', async () => {
    const ring = openRing(database)
    const { digest, id } = await issueKey()
    const { token } = await openSession(database.sql, id, NOW_MS)
    const session = digestSession(token) ?? ''
    await ring.sync()
    for (const each of [digest, session]) expect(await ring.find(each)).toMatchObject({ keyId: id })
    expect(ring.recall(session)).toMatchObject({ keyId: id, expiresAtMs: NOW_MS + 86_400_000 })
    const { revision } = ring
    await endSessions(database.sql, [token])
    await ring.sync()
    expect(ring.revision).toBeGreaterThan(revision)
    expect([ring.recall(digest), ring.recall(session)]).toEqual([expect.anything(), undefined])
    expect(await ring.find(session)).toBeUndefined()
    expect(ring.recallRefusal(session)).toMatch(/Sign in again/)
  })

  test('asks the database once for an unknown key, and once for many requests at the same time', async () => {
    const ring = openRing(watch())
    const digest = digestSecret(createSecret()) ?? ''
    await Promise.all(Array.from({ length: 50 }, () => ring.find(digest)))
    expect(await ring.find(digest)).toBeUndefined()
    expect(asked).toBe(1)
  })
})

let asked = 0

/** The real database, with its questions counted and its answers held back while `hold` waits. */
function watch(hold: (rows: Record<string, unknown>[]) => Promise<void> = async () => undefined) {
  asked = 0
  const sql = (strings: TemplateStringsArray, ...values: never[]) => {
    asked++
    return database.sql(strings, ...values).then(async (rows) => {
      await hold(rows as unknown as Record<string, unknown>[])
      return rows
    })
  }
  return { sql: sql as unknown as Pool, control: database.sql }
}
