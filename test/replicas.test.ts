import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { bookInto } from '../src/chain/backfill/test-world.js'
import { type FollowWorld, followInto, openWorld } from '../src/chain/follow/test-follow.js'
import { BlockWriter } from '../src/chain/write/block-writer.js'
import { OperatorError } from '../src/core/errors.js'
import { refreshBoards } from '../src/leaderboards/refresh/refresh.js'
import { createLog } from '../src/lib/log.js'
import type { Pool } from '../src/store/connection.js'
import { migrate, readMigrations } from '../src/store/migrate.js'
import { selectDatabaseState } from '../src/store/replicas/database-state.js'
import { Store } from '../src/store/store.js'
import { startAuspex } from './processes.js'
import { openPrimary, openStandby, type TestServer } from './replica-servers.js'
import { createTestApp, jobOf } from './test-app.js'
import { until } from './until.js'

type ServiceProcess = Awaited<ReturnType<typeof openProcess>>

let world: FollowWorld
let primary: TestServer
let standbys: TestServer[]
/** Two with the replicas, and one without. */
let processes: ServiceProcess[]
let plain: ServiceProcess
let key: string | undefined

beforeAll(async () => {
  world = await openWorld({ seed: 4, historyMs: 60_000, intensity: 8 })
  primary = await openPrimary()
  await migrate(primary.sql, readMigrations())
  await bookInto(databaseOf(primary.sql), world, world.universe.chain.firstNumber)
  plain = await openProcess([])
  await refreshBoards(plain.store.sql, world.universe.nowMs)
  standbys = await Promise.all([openStandby(primary), openStandby(primary)])
  const urls = standbys.map(({ url }) => url)
  processes = await Promise.all([openProcess(urls), openProcess(urls)])
}, 60_000)

afterAll(async () => {
  for (const each of [...processes, plain]) await each.close()
  for (const server of [...standbys, primary]) await server.stop()
  await world.close()
})

const databaseOf = (sql: Pool) => ({
  target: { url: primary.url },
  sql,
  control: sql,
  drop: async () => undefined,
})

async function openStore(readUrls: readonly string[]) {
  const log = createLog('error', { write: () => undefined })
  const target = { url: primary.url }
  const store = new Store({ target, dataset: 'polymarket', connectionsMax: 8, readUrls, log })
  let running: Promise<void> = Promise.resolve()
  const ready = new Promise<void>((resolve) => {
    running = store.run(resolve)
  })
  const close = async () => {
    await store.close()
    await running
  }
  await Promise.race([
    ready,
    running.catch((error: unknown) =>
      close()
        .catch(() => undefined)
        .then(() => Promise.reject(error)),
    ),
  ])
  return { store, close }
}

/** A service with its own connections, of which only the jobs do not run. */
async function openProcess(readUrls: readonly string[]) {
  const { store, close } = await openStore(readUrls)
  const t = await createTestApp({ database: databaseOf(store.sql), store })
  t.clock.set(world.universe.nowMs)
  // A cursor is for the account that it was issued for.
  key ??= (await t.createCaller('enterprise')).key
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await t.app.inject({ url: path, headers: { 'x-api-key': key ?? '', ...headers } })
    return { status: reply.statusCode, body: reply.body, headers: reply.headers }
  }
  return {
    ...t,
    store,
    get,
    replicas: store.replicas.all,
    /** What the job does each second. */
    learnHead: () => jobOf(t.domains, 'chain status').run(new AbortController().signal),
    close: async () => {
      await t.close()
      await close()
    },
  }
}

const [FIRST, SECOND] = [0, 1] as const
const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index]
  if (item === undefined) throw new Error(`there is no ${index}`)
  return item
}
const one = () => at(processes, FIRST)
const other = () => at(processes, SECOND)

/** Whether a read would go to this replica now. */
const isUsed = ({ store }: ServiceProcess, index: number) => {
  const wanted = at(store.replicas.all, index)
  return [0, 1].some(() => store.replicas.choose({}) === wanted)
}

async function untilAllUsed(): Promise<void> {
  for (const each of processes) {
    await each.learnHead()
    await until(() => isUsed(each, FIRST) && isUsed(each, SECOND), 20_000)
  }
}

// Recovery may cancel a query of the test, too.
const resume = () =>
  vi.waitFor(() => Promise.all(standbys.map(({ sql }) => sql`select pg_wal_replay_resume()`)), {
    timeout: 10_000,
  })

afterEach(async () => {
  await resume()
  await untilAllUsed()
})

const hostOf = ({ url }: TestServer) => new URL(url).searchParams.get('host')
const TRADES = '/v3/trades?limit=40'
const walletOf = (csv: string) => /0x[0-9a-f]{40}/.exec(csv)?.[0] ?? ''

describe('answers', () => {
  test('come from all replicas in turn, and are those of the primary byte for byte', async () => {
    await untilAllUsed()
    const { body } = await plain.get(`${TRADES}&format=csv`)
    const wallet = walletOf(body)
    const paths = [
      '/v3/trades?limit=100',
      `/v3/wallets/${wallet}/trades?limit=50`,
      `/v3/wallets/${wallet}/positions?limit=50`,
      '/v3/leaderboard/scopes?scope=category&period=7d&limit=50',
    ]
    const before = one().replicas.map(({ reads }) => reads)
    const readsBefore = one().store.replicas.primaryReads
    for (const path of paths) {
      for (let count = 0; count < 4; count++) {
        const [theirs, ours] = [await plain.get(`${path}&format=csv`), await one().get(`${path}&format=csv`)]
        expect([ours.status, ours.body]).toEqual([200, theirs.body])
        expect(ours.headers['x-head-block']).toBe(`${world.universe.chain.head.number}`)
      }
    }
    const [first = 0, second = 0] = one().replicas.map(({ reads }, index) => reads - (before[index] ?? 0))
    expect(first + second).toBeGreaterThan(30)
    expect(Math.abs(first - second)).toBeLessThan((first + second) / 4)
    expect(one().store.replicas.primaryReads - readsBefore).toBeLessThan((first + second) / 4)
  })

  test('about accounts are read from the primary, which has what was just written', async () => {
    const before = one().replicas.map(({ reads }) => reads)
    for (const { sql } of standbys) await sql`select pg_wal_replay_pause()`
    const reply = await one().get('/v1/account/keys')
    expect([reply.status, one().replicas.map(({ reads }) => reads)]).toEqual([200, before])
  })
})

/** Follows the chain in the primary until the test ends, as another process would. */
async function followChain() {
  const writer = await BlockWriter.open({ pool: primary.sql })
  const followed = followInto(world, writer, { startBlock: world.universe.chain.firstNumber })
  await followed.arrive()
  const makeBlocks = async (count: number) => {
    for (let made = 0; made < count; made++) world.makeBlock()
    await followed.arrive()
  }
  return { ...followed, makeBlocks }
}

const rowsOf = ({ body }: { body: string }) => {
  const { trades, next_cursor: cursor } = JSON.parse(body) as { trades: object[]; next_cursor: string | null }
  return { rows: trades.map((row) => JSON.stringify(row)), cursor }
}

describe('a replica that is paused', () => {
  test('is left out while it is behind, and used again when it is not', async () => {
    const { makeBlocks } = await followChain()
    await untilAllUsed()
    await at(standbys, FIRST).sql`select pg_wal_replay_pause()`
    await makeBlocks(2)
    await one().learnHead()
    await until(() => isUsed(one(), SECOND))
    const { reads } = at(one().replicas, FIRST)
    const head = `${world.universe.chain.head.number}`
    for (let count = 0; count < 10; count++) {
      const [theirs, ours] = [
        await plain.get(`${TRADES}&format=csv`),
        await one().get(`${TRADES}&format=csv`),
      ]
      expect([ours.body, ours.headers['x-head-block']]).toEqual([theirs.body, head])
    }
    expect(at(one().replicas, FIRST).reads).toBe(reads)
    await at(standbys, FIRST).sql`select pg_wal_replay_resume()`
    await until(() => isUsed(one(), FIRST))
  })

  test('shows nothing older to a client with a cursor or a block, in any process', async () => {
    const { makeBlocks } = await followChain()
    for (let round = 0; round < 3; round++) {
      await untilAllUsed()
      for (const { sql } of standbys) await sql`select pg_wal_replay_pause()`
      await makeBlocks(3)
      await one().learnHead()
      const { rows: all } = rowsOf(await plain.get('/v3/trades?limit=20'))
      const head = `${world.universe.chain.head.number}`
      // The other process has not heard of the blocks, and its replicas have the one that it knows.
      expect((await other().get('/v1/coverage')).headers['x-head-block']).not.toBe(head)
      expect(other().store.replicas.choose({ since: await selectDatabaseState(primary.sql) })).toBe(undefined)

      const first = await one().get('/v3/trades?limit=1')
      expect([rowsOf(first).rows, first.headers['x-head-block']]).toEqual([all.slice(0, 1), head])
      const second = await other().get(`/v3/trades?limit=19&cursor=${rowsOf(first).cursor}`)
      expect(rowsOf(second).rows).toEqual(all.slice(1))
      const known = await other().get('/v3/trades?limit=20', { 'x-head-block': head })
      expect([rowsOf(known).rows, known.headers['x-head-block']]).toEqual([all, head])
      const cached = await other().get('/v1/coverage', { 'x-head-block': head })
      expect(cached.headers['x-head-block']).toBe(head)
      await resume()
    }
  })

  test('shows no block of an abandoned fork to a client that knows a later one', async () => {
    const { makeBlocks, arrive } = await followChain()
    await makeBlocks(2)
    await untilAllUsed()
    await at(standbys, FIRST).sql`select pg_wal_replay_pause()`
    const head = `${world.universe.chain.head.number}`
    const { rows: abandoned } = rowsOf(await plain.get('/v3/trades?limit=20'))
    world.universe.reorg(2)
    await arrive()
    const { rows: all } = rowsOf(await plain.get('/v3/trades?limit=20'))
    expect(all).not.toEqual(abandoned)
    // The block has the number that it had on the other fork.
    expect(`${world.universe.chain.head.number}`).toBe(head)
    const fork = await selectDatabaseState(primary.sql)
    for (let count = 0; count < 6; count++) {
      expect(other().store.replicas.choose({ fork })).not.toBe(at(other().replicas, FIRST))
      const known = await other().get('/v3/trades?limit=20', { 'x-head-block': head })
      expect(rowsOf(known).rows).toEqual(all)
    }
    const first = await plain.get('/v3/trades?limit=1')
    const second = await other().get(`/v3/trades?limit=19&cursor=${rowsOf(first).cursor}`)
    expect(rowsOf(second).rows).toEqual(all.slice(1))
  })
})

test('an account has its share of the connections on each replica, and no more', async () => {
  const owner = { accountId: -2, plan: { workPerSecond: 1_000_000 } }
  const { reads, shares } = one().ctx
  await untilAllUsed()
  // The callers of the tests before it count for a while.
  await until(() => shares.standingOf(owner) === 'alone')
  const askMuch = async () => {
    const asked = Array.from({ length: 30 }, () => reads.sqlFor(owner, undefined, {})`select pg_sleep(0.2)`)
    const counts: number[][] = []
    const answers = Promise.all(asked)
    let isOver = false
    const counting = (async () => {
      while (!isOver) counts.push(await Promise.all([primary, ...standbys].map(countSleepers)))
    })()
    await answers
    isOver = true
    await counting
    return [0, 1, 2].map((index) => Math.max(...counts.map((each) => each[index] ?? 0)))
  }
  const seen: number[][] = []
  // A replica that is late on a busy machine is left out for a moment.
  await vi.waitFor(
    async () => {
      const [ofPrimary = 0, ...ofReplicas] = await askMuch()
      seen.push([ofPrimary, ...ofReplicas])
      expect(Math.min(...ofReplicas)).toBeGreaterThan(2)
    },
    { timeout: 60_000 },
  )
  expect(seen.map(([ofPrimary]) => ofPrimary)).toEqual(seen.map(() => 0))
  // Three quarters of eight: it is alone.
  expect(Math.max(...seen.flat())).toBe(6)
})

async function countSleepers({ sql }: TestServer): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from pg_stat_activity where wait_event = 'PgSleep'`
  return row?.count ?? 0
}

test('400: a block that is no number', async () => {
  const { status, body } = await one().get(TRADES, { 'x-head-block': 'latest' })
  expect([status, JSON.parse(body)]).toEqual([400, { error: expect.stringContaining('x-head-block') }])
})

describe('a replica that is lost', () => {
  /** Reads all the time until `isOver`, in several loops. */
  async function readMuch(isOver: () => boolean) {
    // A new minute: the requests of the tests before do not count.
    one().clock.advance(60_001)
    const seen: { status: number; ms: number }[] = []
    const paths = [
      TRADES,
      '/v3/leaderboard/scopes?scope=category&period=7d',
      '/v3/positions?limit=100',
      '/v3/markets?limit=20',
    ]
    const read = async (start: number) => {
      for (let count = start; !isOver(); count++) {
        const beganMs = performance.now()
        const { status } = await one().get(at(paths, count % paths.length))
        seen.push({ status, ms: performance.now() - beganMs })
      }
    }
    await Promise.all([0, 1, 2, 3, 4, 5].map(read))
    return {
      statuses: [...new Set(seen.map(({ status }) => status))],
      slowestMs: Math.max(...seen.map(({ ms }) => ms)),
    }
  }

  test('by kill -9 in the middle of reads costs no answer, and comes back', async () => {
    await untilAllUsed()
    const replica = at(one().replicas, FIRST)
    let isOver = false
    const reading = readMuch(() => isOver)
    const { reads } = replica
    await until(() => replica.reads > reads + 20)
    at(standbys, FIRST).signal('SIGKILL')
    await until(() => replica.problem !== undefined)
    const { reads: readsOfOther } = at(one().replicas, SECOND)
    await until(() => at(one().replicas, SECOND).reads > readsOfOther + 20)
    isOver = true
    expect((await reading).statuses).toEqual([200])
    const { status, body } = await one().get('/readyz')
    const checks = { store: 'ok', replicas: '1 of 2 not used' }
    expect([status, JSON.parse(body)]).toEqual([200, { status: 'degraded', checks }])
    const { replicas } = JSON.parse((await one().get('/v1/status')).body) as { replicas: object[] }
    expect(replicas).toEqual([
      expect.objectContaining({ host: hostOf(at(standbys, FIRST)), state: 'lost', lag_bytes: null }),
      expect.objectContaining({ host: hostOf(at(standbys, SECOND)), state: 'ready', problem: null }),
    ])
    const { metrics } = one().ctx
    const ups = await metrics.getSingleMetric('auspex_replica_up')?.get()
    expect(ups?.values.map(({ value }) => value)).toEqual([0, 1])
    await at(standbys, FIRST).start()
    await untilAllUsed()
  })

  test('by SIGSTOP delays answers by less than a second, and comes back', async () => {
    await untilAllUsed()
    const replica = at(one().replicas, SECOND)
    let isOver = false
    const reading = readMuch(() => isOver)
    const { reads } = replica
    await until(() => replica.reads > reads + 20)
    const stoppedMs = performance.now()
    at(standbys, SECOND).signal('SIGSTOP')
    await until(() => replica.problem !== undefined)
    const lostMs = performance.now() - stoppedMs
    const { reads: readsOfOther } = at(one().replicas, FIRST)
    await until(() => at(one().replicas, FIRST).reads > readsOfOther + 20)
    isOver = true
    const { statuses, slowestMs } = await reading
    expect(statuses).toEqual([200])
    expect(lostMs).toBeLessThan(1_200)
    expect(slowestMs).toBeLessThan(2_000)
    at(standbys, SECOND).signal('SIGCONT')
    await untilAllUsed()
  })

  test('with the other one leaves everything to the primary, until they come back', async () => {
    let isOver = false
    const reading = readMuch(() => isOver)
    for (const standby of standbys) standby.signal('SIGKILL')
    await until(() => one().replicas.every(({ problem }) => problem !== undefined))
    const { primaryReads } = one().store.replicas
    await until(() => one().store.replicas.primaryReads > primaryReads + 20)
    await Promise.all(standbys.map((standby) => standby.start()))
    isOver = true
    expect((await reading).statuses).toEqual([200])
    await untilAllUsed()
  })

  test('cancels a query because of its recovery: the query is repeated on the primary', async () => {
    const { sql } = primary
    await sql`create table conflicts as select generate_series(1, 3) as number`
    await untilAllUsed()
    const reads = one().ctx.reads
    const owner = { accountId: -1, plan: { workPerSecond: 1_000 } }
    const { repeats } = at(one().replicas, FIRST)
    const asked = [0, 1].map(
      () => reads.sqlFor(owner, undefined, {})`select count(*)::integer, pg_sleep(0.5) from conflicts`,
    )
    const answers = Promise.all(asked)
    await vi.waitFor(async () => {
      const rows = await at(standbys, FIRST)
        .sql`select from pg_stat_activity where query like '%from conflicts%' and state = 'active' and pid <> pg_backend_pid()`
      expect(rows.length).toBe(1)
    })
    await sql`truncate conflicts`
    expect((await answers).map(([row]) => row?.count)).toEqual(expect.arrayContaining([0]))
    expect(at(one().replicas, FIRST).repeats).toBeGreaterThan(repeats)
    await sql`drop table conflicts`
  })
})

test('a service reads from the replicas of its settings', async () => {
  const env = { DATABASE_URL: primary.url, DATABASE_READ_URLS: standbys.map(({ url }) => url).join(',') }
  const service = await startAuspex([], env)
  onTestFinished(async () => void (await service.stop()))
  const reply = await fetch(`${service.url}/v1/status`, { headers: { 'x-api-key': key ?? '' } })
  const { replicas } = (await reply.json()) as { replicas: { host: string; state: string }[] }
  const hosts = replicas.map(({ host, state }) => [host, state])
  expect(hosts).toEqual(standbys.map((standby) => [hostOf(standby), 'ready']))
})

describe('a server that is no replica of the database is refused at the start', () => {
  test('the primary itself', async () => {
    const refusal = openStore([primary.url])
    await expect(refusal).rejects.toThrow(OperatorError)
    await expect(refusal).rejects.toThrow(/DATABASE_READ_URLS: \S+ is no hot standby/)
  })
  test('another database', async () => {
    const url = `postgres://auspex@localhost/auspex_template?host=${inject('socketDir')}`
    await expect(openStore([url])).rejects.toThrow(/another database/)
  })
})
