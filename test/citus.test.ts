import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { buildHistory } from '../bench/v3/build-history.js'
import { HISTORY_REQUESTS, type ToPath } from '../bench/v3/requests.js'
import { selectSamples } from '../bench/v3/samples.js'
import { backfill, bookInto } from '../src/chain/backfill/test-world.js'
import { openWorld } from '../src/chain/follow/test-follow.js'
import { setupCitus } from '../src/citus/setup.js'
import { refreshComboAggregates } from '../src/combos/aggregates.js'
import { createPool, type Target } from '../src/store/connection.js'
import { selectTransactions, selectWalletFacts } from '../src/webhooks/match/fact-slice.js'
import { type ApiWorld, openApiWorld } from './api-world.js'
import { createCitusDatabase } from './citus-database.js'
import { counts } from './counts.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { recordStatements, toLiteral } from './explained/explain-request.js'
import { auditAll, hashUndisturbed, ingest } from './ingest.js'
import { SUBJECTS } from './lists/subjects.js'
import { prefillRequests } from './prefilled-requests.js'
import { hashTables } from './table-hashes.js'
import { createTestApp, type TestApp } from './test-app.js'
import { walletsByFills } from './trades/fill-model.js'

/** A database on the coordinator of a cluster with some workers: docs/scaling.md says how to make one. */
const CLUSTER = process.env.AUSPEX_TEST_CITUS_URL
/** Wallets whose own lists are compared. */
const WALLETS = 5
/** As long as the demo's, in the long form. */
const HISTORY_MS = counts({ short: 10, long: 12 * 60 }) * 60_000
/** 0: not at all. It takes some minutes to build. */
const FILLS = counts({ short: 0, long: 1_000_000 })
const HISTORY_END_SEC = 1_794_999_600
const BUILD_MS_MAX = 20 * 60_000
/** Requests of each kind. */
const TURNS = 20
const FLOWS: Readonly<Record<string, ToPath>> = Object.fromEntries(
  ['deposit', 'withdrawal', 'all'].map((kind) => [
    `flows of a wallet: ${kind}`,
    ({ wallets }, turn) => `/v3/wallets/${wallets[turn]}/polyusd-flows?kind=${kind}`,
  ]),
)

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
      const history = { historyMs: HISTORY_MS, isWhole: true }
      plain = await openApiWorld(history)
      distributed = await openApiWorld({ ...history, database: await createDistributed() })
    }, BUILD_MS_MAX)
    afterAll(async () => {
      await plain.close()
      await distributed.close()
    })

    async function askBoth(path: string, query: object = {}) {
      const [one, other] = await Promise.all([
        plain.get(path, { ...query }),
        distributed.get(path, { ...query }),
      ])
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

    test('every V3 read of the reference is the same', async () => {
      const document = (await plain.app.inject('/openapi.json')).json()
      const reads = prefillRequests(document).filter(
        ({ method, url }) => method === 'GET' && /^\/v3\//.test(url),
      )
      expect(reads.length).toBeGreaterThan(50)
      const different: string[] = []
      for (const { url } of reads) {
        const [path = '', query] = url.split('?')
        const [one, other] = await askBoth(path, Object.fromEntries(new URLSearchParams(query)))
        if (!isDeepStrictEqual(one, other)) different.push(url)
      }
      expect(different).toEqual([])
    })

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
          // On the workers too. Shards of a few rows are read from begin to end, whatever indexes they have.
          await tx`set local citus.propagate_set_commands = 'local'`
          await tx`set local enable_seqscan = off`
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

  describe.skipIf(FILLS === 0)('a million fills and 750,000 rows of the distributed tables', () => {
    let plain: TestApp
    let distributed: TestApp
    beforeAll(async () => {
      const databases = [await createTestDatabase(), await createDistributed()] as const
      for (const { target } of databases) await buildBenchHistory(target)
      plain = await createTestApp({ database: databases[0] })
      distributed = await createTestApp({ database: databases[1] })
    }, BUILD_MS_MAX)
    afterAll(async () => {
      await plain?.close()
      await distributed?.close()
    })

    test.each(Object.entries({ ...HISTORY_REQUESTS, ...FLOWS }))(
      '%s: the same answers',
      async (_name, toPath) => {
        const sides = [plain, distributed]
        const samples = await selectSamples(plain.ctx.sql)
        const keys = await Promise.all(sides.map((side) => side.createCaller('enterprise')))
        for (let turn = 0; turn < TURNS; turn++) {
          const url = toPath(samples, turn)
          const replies = await Promise.all(
            sides.map(({ app }, index) =>
              app.inject({ url, headers: { 'x-api-key': keys[index]?.key ?? '' } }),
            ),
          )
          const [one, other] = replies.map(comparable)
          expect(other).toEqual(one)
          expect(one?.statusCode, one?.body).toBe(200)
        }
      },
    )
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

/** An answer, but for the time that it took, and for cursors, which each database signs with its own key. */
const comparable = ({ statusCode, body }: { statusCode: number; body: string }) => ({
  statusCode,
  body: body.replace(/"next_cursor":"[^"]*"|"(elapsed_ms|fetched_in_ms)":\d+/g, ''),
})

/** The history of the benches, which has no rows of the distributed tables: a quarter of its fills get one of each. */
async function buildBenchHistory(target: Target): Promise<void> {
  const pool = createPool(target, 1)
  await buildHistory(pool, { fills: FILLS, partitions: 10, endSec: HISTORY_END_SEC }, () => undefined)
  await pool.unsafe(`
    insert into flows
    select seq + 262144, usd + 1, case when is_paid then wallet else 1 end, case when is_paid then 1 else wallet end,
           1, 1, is_paid::integer, tx_hash
      from (select *, (seq >> 21) % 3 = 0 as is_paid from fills where seq & 3 = 1) as fill;
    insert into transfers
    select seq + 262145, shares, wallet, taker, token, 0, false, false, tx_hash
      from fills
     where seq & 3 = 2 and wallet <> taker;
    insert into fees select seq + 262146, fee + 1, wallet, token, 0, tx_hash from fills where seq & 3 = 3;
    analyze flows, transfers, fees`)
  await pool.end()
}

const taskCounts = (plans: string): number[] =>
  [...plans.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))
