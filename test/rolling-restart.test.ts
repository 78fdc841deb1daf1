import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { NO_UPSTREAMS } from '../bench/lib/no-upstreams.js'
import { openWorld } from '../src/chain/follow/test-follow.js'
import { createPool } from '../src/store/connection.js'
import { BALANCERS, type Balancer, startBalancer } from './balancers.js'
import { createTestDatabase, urlOf } from './database.js'
import { auditAll, untilBooked } from './ingest.js'
import { issueKey } from './issue-key.js'
import { countAddresses, type Running, startAuspex, startCommand } from './processes.js'
import type { Received } from './streams/received.js'
import { recordAsClient } from './streams/record-as-client.js'
import { Recorder } from './streams/recorder.js'
import { expectGrowingSeqs } from './streams/truth.js'
import { until } from './until.js'

/** Half of it is longer than HAProxy takes to notice. */
const DRAIN_SECONDS = 4
const TAKE_OVER_MS_MAX = 4_000

let world: RollingWorld
beforeAll(async () => {
  world = await openRollingWorld()
})
afterAll(() => world.close())

describe.skipIf(BALANCERS.length === 0)(`a rolling restart behind ${BALANCERS.join(' and ')}`, () => {
  const balancers: Balancer[] = []
  beforeAll(async () => {
    for (const name of BALANCERS) balancers.push(await startBalancer(name, world.urls))
  })
  afterAll(async () => {
    for (const balancer of balancers) await balancer.stop()
  })

  test.each(BALANCERS)('%s passes what the service takes, and refuses what it refuses', async (name) => {
    const [direct = ''] = world.urls
    const through = balancers.find((balancer) => balancer.name === name)?.url ?? ''
    const long = 'x'.repeat(15_000)
    const key = await world.createCaller()
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const post = async (url: string, bytes: number) =>
      (await fetch(`${url}/v3/webhooks`, { method: 'POST', headers, body: '1'.padEnd(bytes) })).status
    // The refusal comes before the body, which a client that still sends it might not get to read.
    const announce = async (url: string, bytes: number) => {
      const asked = request(`${url}/v3/webhooks`, {
        method: 'POST',
        headers: { ...headers, 'content-length': bytes },
      })
      asked.flushHeaders()
      const [{ statusCode }] = await once(asked, 'response')
      asked.destroy()
      return statusCode
    }
    for (const url of [direct, through]) {
      expect((await fetch(`${url}/readyz`, { headers: { 'x-long': long } })).status).toBe(200)
      expect((await fetch(`${url}/v1/plans?key=${long}`)).status).toBe(200)
      expect(await post(url, 1024 * 1024)).toBe(400)
      expect(await announce(url, 1024 * 1024 + 1)).toBe(413)
    }
  })

  test('fails no request, sends no POST twice, and loses and doubles no event', async () => {
    const loads = await Promise.all(balancers.map((balancer) => startLoad(balancer)))
    const recorders = await Promise.all(
      balancers.map(async ({ url }) => recordAsClient(url, await world.createCaller())),
    )
    await until(() => recorders.every(({ items }) => items.length > 0))
    const startSeq = Math.max(...recorders.map(({ items }) => Number(Object(items[0]).seq)))

    for (const index of [0, 1]) {
      expect(await world.stop(index)).toBe(0)
      await untilLeading(1 - index)
      await world.restart(index)
    }
    const hash = world.freeze()
    const undisturbed = new Recorder({ notices: [] })
    await undisturbed.connect(
      `${world.urls[0]?.replace('http', 'ws')}/ws?key=${await world.createCaller()}`,
      startSeq,
    )
    await undisturbed.untilBlock(hash)
    await undisturbed.close()

    const expected = undisturbed.messages.filter(({ data }) => data.status !== 'pending')
    expect(expected.length).toBeGreaterThan(30)
    for (const { items, close, connections } of recorders) {
      await until(() => Number(Object(items.at(-1)).seq) >= (expected.at(-1)?.seq ?? 0))
      close()
      expectGrowingSeqs(items as Received[])
      const seqs = items.map((item) => Number(Object(item).seq))
      expect(seqs.filter((seq) => seq > startSeq)).toEqual(expected.map(({ seq }) => seq))
      // It was sent away by at least one of the processes, and reached the other at its first attempt.
      expect([2, 3]).toContain(connections())
    }
    for (const load of loads) {
      const { name, gets, posts } = await load.stop()
      expect([name, gets.filter((status) => status !== 200)]).toEqual([name, []])
      expect(gets.length).toBeGreaterThan(200)
      expect([name, posts.filter((status) => status !== 201)]).toEqual([name, []])
      expect(posts.length).toBeGreaterThan(50)
    }
  })
})

/** The last test: no process of this build starts on the database afterwards. */
test('processes go on when a newer version has migrated their database, and none starts on it', async () => {
  const { sql, database } = world
  world.grow()
  const tables = await sql<{ name: string }[]>`
    select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`
  expect(tables.length).toBeGreaterThan(50)
  for (const { name } of tables) await sql.unsafe(`alter table ${name} add column of_newer_version text`)
  await sql`create table of_newer_version (id integer primary key)`
  await sql`insert into schema_migrations (version, checksum) select max(version) + 1, 'newer' from schema_migrations`
  // Without their connections they look at the schema again.
  const admin = createPool(database.target, 1)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and pid <> pg_backend_pid()`
  await admin.end()

  world.freeze()
  await untilBooked(world, database)
  // Those of whole rows, until they are computed again.
  const snapshots = ['statistics', 'builder boards', 'combo boards']
  expect(await auditAll(database, snapshots)).toEqual([])
  const key = await world.createCaller()
  for (const [index, url] of world.urls.entries()) {
    const isReady = async () => expect((await fetch(`${url}/readyz`)).status).toBe(200)
    await vi.waitFor(isReady, { timeout: 10_000, interval: 50 })
    expect((await fetch(`${url}/v3/trades?limit=5&key=${key}`)).status).toBe(200)
    const headers = { 'x-forwarded-for': `205.0.0.${index}` }
    expect((await fetch(`${url}/v1/keys`, { method: 'POST', headers })).status).toBe(201)
  }
  const { status, output } = await startCommand(['up', '--port', '0'], world.environment)
  expect([status, output]).toEqual([1, expect.stringMatching(/The database is newer than this Auspex/)])
})

type RollingWorld = Awaited<ReturnType<typeof openRollingWorld>>

/** A chain that grows in real time, and two processes that follow it. */
async function openRollingWorld() {
  const chain = await openWorld({ seed: 71, startMs: Date.now() - 60_000, intensity: 30 })
  const { universe, host } = chain
  const advance = () => universe.advance(Date.now())
  let living = setInterval(advance, 20)
  const database = await createTestDatabase()
  const environment = {
    ...NO_UPSTREAMS,
    DATABASE_URL: urlOf(database),
    AUSPEX_POLYGON_URL: host.url,
    AUSPEX_POLYGON_WS_URL: host.wsUrl,
    AUSPEX_FROM_BLOCK: String(universe.chain.head.number - 5),
    AUSPEX_DRAIN_SECONDS: String(DRAIN_SECONDS),
    AUSPEX_TRUSTED_PROXIES: '127.0.0.1',
  }
  const start = (port: string) => startAuspex(['--port', port], environment)
  const processes: Running[] = await Promise.all(['0', '0'].map(start))
  const urls = processes.map(({ url }) => url)
  return {
    ...chain,
    environment,
    database,
    sql: database.sql,
    urls,
    createCaller: async () => (await issueKey(database.sql, 'enterprise')).secret,
    stop: (index: number) => processes[index]?.stop(),
    /** Under the same address as before. */
    restart: async (index: number) => {
      processes[index] = await start(new URL(urls[index] ?? '').port)
    },
    grow: () => {
      living = setInterval(advance, 20)
    },
    /** No more blocks. Returns the hash of the last one. */
    freeze: () => {
      clearInterval(living)
      return universe.chain.hashOf(universe.chain.head)
    },
    close: async () => {
      clearInterval(living)
      await Promise.all(processes.map((each) => each.stop('SIGKILL')))
      await chain.close()
      await database.drop()
    },
  }
}

/** Requests through a balancer, over connections that it keeps, until they are stopped. */
async function startLoad({ name, url }: Balancer) {
  const key = await world.createCaller()
  const agent = new Agent({ keepAlive: true })
  const gets: (number | string)[] = []
  const posts: (number | string)[] = []
  let isOver = false
  const repeat = async (statuses: (number | string)[], everyMs: number, ask: () => Promise<number>) => {
    while (!isOver) {
      statuses.push(await ask().catch((error: Error) => error.message))
      await delay(everyMs)
    }
  }
  const get = (path: string) => send(agent, `${url}${path}`, { headers: { 'x-api-key': key } })
  // An address gets one key a day: a POST that arrives twice is answered with 429.
  const nextAddress = ADDRESSES[name]
  const post = () =>
    send(agent, `${url}/v1/keys`, { method: 'POST', headers: { 'x-forwarded-for': nextAddress() } })
  const work = [
    repeat(gets, 20, () => get('/v1/status')),
    repeat(gets, 30, () => get('/v3/trades?limit=5')),
    repeat(posts, 100, post),
  ]
  const stop = async () => {
    isOver = true
    await Promise.all(work)
    agent.destroy()
    return { name, gets, posts }
  }
  return { stop }
}

const [nginxAddress, haproxyAddress] = [countAddresses(), countAddresses()]
const ADDRESSES = {
  nginx: nginxAddress,
  haproxy: () => haproxyAddress().replace(/^203/, '204'),
}

/** The status of a whole answer. */
function send(agent: Agent, url: string, options: { method?: string; headers: Record<string, string> }) {
  return new Promise<number>((resolve, reject) => {
    const sent = request(url, { agent, ...options }, (reply) => {
      reply.once('error', reject)
      reply.once('end', () => resolve(reply.statusCode ?? 0))
      reply.resume()
    })
    sent.once('error', reject)
    sent.end()
  })
}

/** Waits until the process has the lease, which the other one has given back. */
async function untilLeading(index: number): Promise<void> {
  const headers = { 'x-api-key': await world.createCaller() }
  const check = async () => {
    const reply = await fetch(`${world.urls[index]}/v1/status`, { headers })
    const { chain } = (await reply.json()) as { chain: { phase: string } }
    expect(chain.phase).not.toBe('standby')
  }
  await vi.waitFor(check, { timeout: TAKE_OVER_MS_MAX, interval: 20 })
}
