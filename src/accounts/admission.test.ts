import { Counter, Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { STANDARD, V3 } from './access.js'
import { createKey } from './accounts.js'
import { Admission, RateLimited } from './admission.js'
import { BUCKETS } from './buckets.js'
import { KeyRing } from './key-ring.js'
import { type Charge, type Limiter, MemoryLimiter } from './limiter.js'
import { type PlanId, Plans } from './plans.js'
import { insertAccount } from './queries.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const CLIENT = { ip: '192.0.2.1', protocol: 'https', host: 'example.org' }

async function open(plan: PlanId, later = false) {
  const clock = new ManualClock()
  const keyRing = new KeyRing({ store: database, plans: new Plans(), clock })
  const rateLimited = new Counter({
    name: 'limited',
    help: 'test',
    labelNames: ['bucket'] as const,
    registers: [new Registry()],
  })
  const memory = new MemoryLimiter(clock)
  const charged: Charge[] = []
  const take = async (charges: readonly Charge[]) => {
    charged.push(...charges)
    return memory.take(charges)
  }
  const limiter: Limiter = later ? { take, look: (charges) => memory.look(charges) } : memory
  const admission = new Admission({
    config: { publicUrl: undefined, upgradeUrl: undefined },
    store: { problem: undefined },
    keyRing,
    limiter,
    rateLimited,
    clock,
  })
  const nowMs = clock.now()
  const accountId = await insertAccount(database.sql, { name: 'a', plan, nowMs })
  const { secret } = await createKey(database.sql, {
    plans: new Plans(),
    accountId,
    name: 'k',
    nowMs,
  })
  await keyRing.sync()
  return { admission, secret, accountId, keyRing, charged }
}

test('a known key is admitted without a promise, and with its charges', async () => {
  const { admission, secret, accountId } = await open('growth')
  const admit = admission.for(STANDARD)
  expect(await admit(secret, CLIENT)).toMatchObject({ caller: { accountId } })
  const known = admit(secret, CLIENT)
  expect(known).not.toBeInstanceOf(Promise)
  expect(known).toMatchObject({ caller: { accountId } })
  expect((await known).headers).toEqual(expect.arrayContaining(['x-ratelimit-remaining', '1998']))
})

test.each([
  ['in this process', false],
  ['in another process', true],
])('a limiter %s refuses with the caller and the headers of the limit', async (_where, later) => {
  const { admission, secret, accountId } = await open('free', later)
  const admit = admission.for(STANDARD)
  for (let count = 0; count < 60; count++) await admit(secret, CLIENT)
  const refusal = await (async () => admit(secret, CLIENT))().catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(RateLimited)
  expect(refusal).toMatchObject({ status: 429, retryAfterSeconds: 60, caller: { accountId } })
  expect((refusal as RateLimited).headers).toContain('x-ratelimit-reset')
})

test('a charge says whether it is for all processes, and whether it has to outlast Redis', async () => {
  const { admission, secret, accountId, charged } = await open('free', true)
  const { caller } = await admission.for(STANDARD)(secret, CLIENT)
  await admission.charge(caller, 'account_keys')
  const of = { subject: accountId, limit: 20, windowMs: 3_600_000 }
  expect(charged).toEqual([
    expect.objectContaining({ bucket: 'rest', isShared: false, isLasting: false }),
    { bucket: 'account_keys', ...of, isShared: true, isLasting: true },
  ])
  const long = Object.entries(BUCKETS).filter(([, { windowMs }]) => windowMs > 60_000)
  for (const [name, bucket] of long) expect(bucket, name).toMatchObject({ isLasting: true })
})

test('the upgrade address of a 402 is the one that the client used', async () => {
  const { admission, secret } = await open('free')
  await expect(admission.for(V3)(secret, CLIENT)).rejects.toMatchObject({
    status: 402,
    fields: { tier: 'free', upgrade_url: 'https://example.org/v1/plans' },
  })
})

test('401: no key', async () => {
  const { admission } = await open('free')
  expect(() => admission.for(STANDARD)(undefined, CLIENT)).toThrow(/Missing API key/)
})
