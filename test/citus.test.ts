import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { backfill, bookInto } from '../src/chain/backfill/test-world.js'
import { openWorld } from '../src/chain/follow/test-follow.js'
import { setupCitus } from '../src/citus/setup.js'
import { refreshComboAggregates } from '../src/combos/aggregates.js'
import { selectTransactions, selectWalletFacts } from '../src/webhooks/match/fact-slice.js'
import { type ApiWorld, openApiWorld } from './api-world.js'
import { createCitusDatabase } from './citus-database.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { recordStatements, toLiteral } from './explained/explain-request.js'
import { auditAll, hashUndisturbed, ingest } from './ingest.js'
import { SUBJECTS } from './lists/subjects.js'
import { hashTables } from './table-hashes.js'
import { walletsByFills } from './trades/fill-model.js'

/** A database on the coordinator of a cluster with some workers: docs/scaling.md says how to make one. */
const CLUSTER = process.env.AUSPEX_TEST_CITUS_URL
/** Wallets whose own lists are compared. */
const WALLETS = 5

describe.skipIf(CLUSTER === undefined)('on Citus', () => {
  const create = (options = {}) => createCitusDatabase(CLUSTER ?? '', options)

  async function createDistributed(): Promise<TestDatabase> {
    const database = await create()
    await setupCitus(database.sql)
    return database
  }

  describe('a history is booked into one server and into a cluster', () => {
    let plain: ApiWorld
    let distributed: ApiWorld
    beforeAll(async () => {
      const historyMs = 10 * 60_000
      plain = await openApiWorld({ historyMs })
      distributed = await openApiWorld({ historyMs, database: await createDistributed() })
    })
    afterAll(async () => {
      await plain.close()
      await distributed.close()
    })

    /** What both answer, but for the time that it took and for cursors, which each database signs with its own key. */
    async function askBoth(path: string, query: object = {}) {
      const [one, other] = await Promise.all([
        plain.get(path, { ...query }),
        distributed.get(path, { ...query }),
      ])
      const comparable = ({ statusCode, body }: typeof one) => ({
        statusCode,
        body: body.replace(/"next_cursor":"[^"]*"|"elapsed_ms":\d+/g, ''),
      })
      return [comparable(one), comparable(other)]
    }

    test.each(SUBJECTS.map((subject) => [subject.list.path, subject] as const))(
      '%s is the same',
      async (_path, subject) => {
        const { path, base = {}, paged, unpaged } = subject
        const needed = typeof base === 'function' ? base(plain) : base
        for (const view of [...paged, ...unpaged]) {
          for (const offset of [0, 7]) {
            const [one, other] = await askBoth(path(plain), { ...needed, ...view, limit: 50, offset })
            expect(other).toEqual(one)
            expect(one?.statusCode).toBe(200)
          }
        }
      },
    )

    test.each(['activity', 'polyusd-flows', 'pnl', 'positions', 'trades'])(
      '/v3/wallets/:address/%s of the most active wallets is the same',
      async (list) => {
        for (const wallet of walletsByFills(plain.fills).slice(0, WALLETS)) {
          const [one, other] = await askBoth(`/v3/wallets/${wallet}/${list}`)
          expect(other).toEqual(one)
          expect(one?.statusCode).toBe(200)
        }
      },
    )

    test('jobs and webhooks read the same facts', async () => {
      const readAll = async ({ database: { sql }, app }: ApiWorld) => {
        await refreshComboAggregates(sql, new AbortController().signal)
        const rows = await sql<{ seq: number }[]>`select seq::float8 from transfers order by seq limit 100`
        const slice = { sql, afterSeq: 0, toSeq: Number.MAX_SAFE_INTEGER }
        const paid = { columns: sql`f.amount`, where: sql`f.kind = 0` }
        return {
          combos: await sql`select * from combo_markets order by condition`,
          transactions: await selectTransactions(
            sql,
            rows.map(({ seq }) => seq + 1),
          ),
          fees: await selectWalletFacts(slice, 'fees', paid),
          examples: (await app.inject('/openapi.json')).body,
        }
      }
      const expected = await readAll(plain)
      expect(expected.combos.length).toBeGreaterThan(0)
      expect(expected.fees.length).toBeGreaterThan(0)
      expect(await readAll(distributed)).toEqual(expected)
    })

    /** The plans of what a request for a list of the most active wallet sends, as text. */
    async function explain(list: string, query: object): Promise<string> {
      const { sql } = distributed.database
      const [wallet = ''] = walletsByFills(plain.fills)
      const statements = await recordStatements(sql, async () => {
        const reply = await distributed.get(`/v3/wallets/${wallet}/${list}`, { ...query, limit: 20 })
        expect(reply.statusCode, reply.body).toBe(200)
      })
      const lines: string[] = []
      for (const { text, parameters } of statements.filter(({ text }) => /^\s*(select|with)/.test(text))) {
        const rows = await sql.begin(async (tx) => {
          await tx`set local plan_cache_mode = force_custom_plan`
          await tx.unsafe(`prepare explained as ${text}`)
          const values = parameters.length === 0 ? '' : `(${parameters.map(toLiteral)})`
          const found = await tx.unsafe(`explain (costs off) execute explained${values}`)
          await tx`deallocate explained`
          return found
        })
        lines.push(...rows.map((row) => String(row['QUERY PLAN'])))
      }
      return lines.join('\n')
    }

    test('deposits of a wallet are read from one shard', async () => {
      const counts = taskCounts(await explain('polyusd-flows', { kind: 'deposit' }))
      expect(new Set(counts)).toEqual(new Set([1]))
    })

    test('withdrawals of a wallet are looked for in all shards, a page in each, by an index', async () => {
      const plan = await explain('polyusd-flows', { kind: 'withdrawal' })
      expect(Math.max(...taskCounts(plan))).toBeGreaterThan(1)
      expect(plan).toMatch(
        /Task Count: \d\d[\s\S]*?-> {2}Limit\n *-> {2}Index Scan Backward using flows_p\d+_from_wallet/,
      )
    })
  })

  test('reorganisations and a restart leave what the last chain alone would have left', async () => {
    const world = await openWorld({ seed: 31, historyMs: 60_000 })
    onTestFinished(() => world.close())
    const database = await createDistributed()
    onTestFinished(() => database.drop())
    const first = await ingest(world, database)
    await first.arrive()
    world.universe.reorg(5)
    world.makeBlock()
    await first.arrive()
    await first.stop()
    world.universe.reorg(3)
    world.makeBlock()
    const second = await ingest(world, database)
    await second.arrive()
    await second.stop()
    // The keys of cursors are random.
    const { signing_keys: _, ...undisturbed } = await hashUndisturbed(world)
    expect(await hashTables(database.sql)).toMatchObject(undisturbed)
    expect(await auditAll(database)).toEqual([])
  })

  test('facts that were lost on the workers are read again, and the ledger is rebuilt', async () => {
    const world = await openWorld({ seed: 31, historyMs: 60_000 })
    onTestFinished(() => world.close())
    const database = await createDistributed()
    onTestFinished(() => database.drop())
    await bookInto(database, world, world.universe.chain.firstNumber)
    const booked = await hashTables(database.sql)
    for (const table of ['transfers', 'fees', 'flows']) {
      const { count } = await database.sql.unsafe(`delete from ${table} where seq % 3 = 0`)
      expect(count).toBeGreaterThan(0)
    }
    await backfill(world, database, { again: true })
    const { chain_state: _, ...repaired } = await hashTables(database.sql)
    expect(booked).toMatchObject(repaired)
  })

  test('the setup is done once, on a coordinator with workers, before there are facts', async () => {
    const database = await create()
    onTestFinished(() => database.drop())
    const { sql } = database
    await sql`
      insert into processes values (gen_random_uuid(), '{api}', 'other', 1, '1', now(), now(), 'off', 'ready', '{}', '{}')`
    await expect(setupCitus(sql)).rejects.toThrow('A service runs on this database')
    await sql`delete from processes`
    await sql`update chain_state set block = 1`
    await expect(setupCitus(sql)).rejects.toThrow('has facts already')
    await sql`update chain_state set block = null`
    expect(await setupCitus(sql)).toMatchObject({
      distributed: expect.arrayContaining(['flows', 'transfers']),
    })
    expect(await setupCitus(sql)).toBeUndefined()
    const alone = await create({ hasWorkers: false })
    onTestFinished(() => alone.drop())
    await expect(setupCitus(alone.sql)).rejects.toThrow('The cluster has no workers')
  })
})

test('a database without the extension is refused', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  await expect(setupCitus(database.sql)).rejects.toThrow('does not have the extension citus')
})

const taskCounts = (plans: string): number[] =>
  [...plans.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))
