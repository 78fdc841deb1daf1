import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { type Plan, scansOf } from '../../../test/explained/explain-request.js'
import { Plans } from '../../accounts/plans.js'
import type { Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { enqueue } from './enqueue.js'
import { recordAndClaim } from './record-and-claim.js'
import { draftsOf, insertTestWebhook, type TestWebhook, unusedCapacity } from './test-webhook.js'

const NOW_MS = Date.UTC(2026, 10, 15, 12)
const RETRIES = 100_000
const TABLES = ['webhook_deliveries', 'webhook_attempts']

let database: TestDatabase
let dead: TestWebhook
const others: TestWebhook[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  const { sql } = database
  dead = await insertTestWebhook(sql, { nowMs: NOW_MS, places: 10 })
  await sql`
    insert into webhook_deliveries
           (webhook, event_id, event_type, state, block, attempts, due_at, created_at, body)
    select ${dead.id}, gen_random_uuid(), 'trade', 'pending', 1, 3,
           ${new Date(NOW_MS)}::timestamptz + make_interval(secs => n % 7200 - 3600), ${new Date(0)}, '{}'
      from generate_series(1, ${RETRIES}::int) n`
  await sql`update webhook_lanes set next_at = ${new Date(0)}`
  for (let n = 0; n < 5; n++) {
    const webhook = await insertTestWebhook(sql, { nowMs: NOW_MS, places: 10 })
    await transact(sql, (tx) => enqueue(tx, draftsOf(webhook, 3), { plans: new Plans(), nowMs: NOW_MS }))
    others.push(webhook)
  }
  await sql`analyze webhook_deliveries`
})
afterAll(() => database.drop())

const claim = (free: number, nowMs = NOW_MS) =>
  recordAndClaim(database.sql, { ended: [], capacity: unusedCapacity(free), nowMs })

/** Makes all leased deliveries due again. */
async function giveBack(sql: Sql): Promise<void> {
  const now = new Date(NOW_MS)
  await sql`update webhook_deliveries set is_leased = false, due_at = ${now} where is_leased`
  await sql`update webhook_lanes set next_at = ${now}`
}

/** The plans of the statements of a claim, as they ran. */
async function explainClaim(claimOnce: () => Promise<unknown>): Promise<Plan[]> {
  const statements = await recordStatements(claimOnce)
  const { sql } = database
  const plans: Plan[] = []
  // One by one, each rolled back: a statement that has claimed leaves the next one less to read.
  for (const { text, parameters } of statements) {
    await sql
      .begin(async (tx) => {
        await giveBack(tx)
        await tx`set local plan_cache_mode = force_generic_plan`
        await tx.unsafe(`prepare explained as ${text}`)
        const values = parameters.map(toLiteral).join()
        const [row] = await tx.unsafe(`explain (analyze, format json) execute explained(${values})`)
        plans.push(row?.['QUERY PLAN'][0].Plan)
        await tx`deallocate explained`
        throw new Error('taken back')
      })
      .catch((error: Error) => expect(error.message).toBe('taken back'))
  }
  return plans
}

test('a claim reads a few rows by indexes, with 100,000 retries in the queue', async () => {
  const plans = await explainClaim(() => claim(200))
  expect(plans).toHaveLength(4)
  const scans = plans
    .flatMap(scansOf)
    .filter(({ relation, nodeType }) => TABLES.includes(relation) && nodeType !== 'ModifyTable')
  expect(scans.length).toBeGreaterThan(3)
  for (const scan of scans) {
    expect(scan.nodeType, JSON.stringify(scan)).toMatch(/^Index( Only)? Scan$/)
    expect(scan.rows, JSON.stringify(scan)).toBeLessThanOrEqual(100)
  }
})

test('a receiver with 100,000 retries has ten at a time, and all others are claimed at once', async () => {
  await giveBack(database.sql)
  const { claimed } = await claim(200)
  const of = ({ id }: TestWebhook) => claimed.filter(({ webhook }) => webhook === id).length
  expect(of(dead)).toBe(10)
  expect(others.map(of)).toEqual([3, 3, 3, 3, 3])
  expect((await claim(200)).claimed).toEqual([])
})

test('a claim looks at a few lanes by indexes, with 3,000 of one account due before those of others', async () => {
  const { sql } = database
  await giveBack(sql)
  await sql`
    with many as (
      insert into webhooks (name, account_id, url, event_types, filters, secret, active, created_at,
                            updated_at, from_seq, active_since)
      select 'wh_many_' || n, ${dead.accountId}, 'https://hooks.example.net/', '{trade}', '{}', '', true,
             now(), now(), 0, now()
        from generate_series(1, 3000) n
      returning id, account_id)
    insert into webhook_lanes (webhook, account_id, next_at)
    select id, account_id, ${new Date(0)} from many`
  await sql`analyze webhook_lanes`
  const capacity = { free: 100, freeForSlow: 100, held: new Map([[dead.accountId, 100]]) }
  const claimOthers = () => recordAndClaim(sql, { ended: [], capacity, nowMs: NOW_MS })
  const plans = await explainClaim(claimOthers)
  // Which lanes are due, which accounts have some, the lock, the claim, when they are due again.
  expect(plans).toHaveLength(5)
  const scans = plans
    .flatMap(scansOf)
    .filter(({ relation, nodeType }) => relation === 'webhook_lanes' && nodeType !== 'ModifyTable')
  expect(scans.length).toBeGreaterThan(4)
  for (const scan of scans) {
    expect(scan.nodeType, JSON.stringify(scan)).toMatch(/^Index( Only)? Scan$/)
    expect(scan.rows, JSON.stringify(scan)).toBeLessThanOrEqual(64)
  }
  await giveBack(sql)
  const { claimed } = await claimOthers()
  expect(new Set(claimed.map(({ webhook }) => webhook))).toEqual(new Set(others.map(({ id }) => id)))
})

type Statement = { text: string; parameters: unknown[] }

/** The statements of the queue that the driver sends meanwhile. */
async function recordStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = []
  const options = database.sql.options as { debug: unknown }
  options.debug = (_connection: number, text: string, parameters: unknown[]) =>
    statements.push({ text, parameters })
  await work()
  options.debug = false
  return statements.filter(({ text }) => text.includes('webhook_'))
}

function toLiteral(value: unknown): string {
  if (value instanceof Date) return `'${value.toISOString()}'`
  return Array.isArray(value) ? `'{${value}}'` : `'${value}'`
}
