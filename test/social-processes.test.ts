import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { Faults } from '../sim/server/faults.js'
import { type Host, openHost } from '../sim/server/host.js'
import { SIM_CREDENTIALS } from '../sim/simulator.js'
import { Universe } from '../sim/universe/universe.js'
import { createXApiHost } from '../sim/x-api/host.js'
import { createKey } from '../src/accounts/accounts.js'
import { Plans } from '../src/accounts/plans.js'
import { insertAccount } from '../src/accounts/queries.js'
import { monthOf } from '../src/accounts/usage-meter.js'
import { selectUsage } from '../src/accounts/usage-queries.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { type Running, startAuspex } from './processes.js'

let database: TestDatabase
let network: Host
let processes: Running[] = []
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
  const universe = new Universe({ seed: 3, startMs: Date.UTC(2026, 10, 14, 12) })
  network = await openHost('x_api', new Faults(), createXApiHost(universe, SIM_CREDENTIALS.x))
  const { database: name } = database.target as { database: string }
  const url = `postgres://auspex@localhost/${name}?host=${inject('socketDir')}`
  const env = {
    AUSPEX_X_API_URL: network.url,
    AUSPEX_X_BEARER_TOKEN: SIM_CREDENTIALS.x.bearerToken,
  }
  processes = await Promise.all([1, 2].map(() => startAuspex(['--database-url', url], env)))
})
afterAll(async () => {
  for (const each of processes) await each.stop()
  await network.close()
  await database.drop()
})

async function createCaller(keys: number) {
  const nowMs = Date.now()
  const accountId = await insertAccount(database.sql, { name: 'a', plan: 'starter', nowMs })
  const secrets: string[] = []
  for (let count = 0; count < keys; count++) {
    secrets.push((await createKey(database.sql, { plans: new Plans(), accountId, name: 'k', nowMs })).secret)
  }
  return { accountId, secrets }
}

/** Asks both processes with every key at once; says how the answers are spread. */
async function askAtOnce(path: string, secrets: readonly string[], times = 1) {
  const asked = Array.from({ length: times }, () =>
    processes.flatMap(({ url }) =>
      secrets.map(async (secret) => {
        const reply = await fetch(`${url}${path}`, { headers: { 'x-api-key': secret } })
        const { scope = '' } = (await reply.json()) as { scope?: string }
        return `${reply.status} ${scope}`.trim()
      }),
    ),
  )
  const startedMs = performance.now()
  const answers = await Promise.all(asked.flat())
  const countOf = (answer: string) => answers.filter((each) => each === answer).length
  return { answers, countOf, tookMs: performance.now() - startedMs }
}

describe('two processes on one database', () => {
  test('give the last units of a month once, and count what they gave', async () => {
    const { accountId, secrets } = await createCaller(3)
    const month = monthOf(Date.now())
    await database.sql`
      insert into usage (account_id, month, meter, used)
      values (${accountId}, ${month}, 'social', 498)`
    const given = { ok: 0 }
    // A key that the limit of a second refuses may ask again; the month gives no more than two.
    for (let round = 0; round < 3; round++) {
      given.ok += (await askAtOnce('/v2/social/search?q=the', secrets)).countOf('200')
      await new Promise((next) => setTimeout(next, 1_000))
    }
    expect(given.ok).toBe(2)
    const rows = await selectUsage(database.sql, accountId, month)
    expect(rows.find(({ meter }) => meter === 'social')?.used).toBe(500n)
    const { answers } = await askAtOnce('/v2/social/search?q=the', secrets)
    expect(new Set(answers)).toEqual(new Set(['429 social_quota', '429 social_rate']))
  })

  test.each([
    ['one social request per second', '/v2/social/search?q=the', 'social_rate', 1, 1_000],
    ['three online searches in ten seconds', '/v2/search/online?q=a', 'search_online', 3, 10_000],
  ])('allow a key %s together', async (_what, path, scope, limit, windowMs) => {
    const { secrets } = await createCaller(1)
    const { answers, countOf, tookMs } = await askAtOnce(path, secrets, 8)
    const passed = answers.length - countOf(`429 ${scope}`)
    expect(passed).toBeGreaterThanOrEqual(limit)
    expect(passed).toBeLessThanOrEqual(limit * (1 + Math.floor(tookMs / windowMs)))
  })
})
