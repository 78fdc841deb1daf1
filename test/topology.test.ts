import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_UPSTREAMS } from '../bench/lib/no-upstreams.js'
import { Plans } from '../src/accounts/plans.js'
import { openWorld } from '../src/chain/follow/test-follow.js'
import { migrate, readMigrations } from '../src/store/migrate.js'
import { BALANCERS, type Balancer, startBalancer } from './balancers.js'
import { counts } from './counts.js'
import { issueKey } from './issue-key.js'
import { type Running, startAuspex } from './processes.js'
import { REDIS_PROGRAM, type RedisServer, startRedis } from './redis-server.js'
import { openPrimary, openStandby, type TestServer } from './replica-servers.js'
import { recordAsClient } from './streams/record-as-client.js'
import { Recorder } from './streams/recorder.js'
import { expectGrowingSeqs, type Received } from './streams/truth.js'
import { until } from './until.js'
import { openReceiver, type Receiver } from './webhooks/receiver.js'

/** 0: not at all. The parts have short tests of their own: roles, redis-processes, replicas, rolling-restart. */
const MINUTES = counts({ short: 0, long: Number(process.env.AUSPEX_TEST_MINUTES ?? 10) })
const PAUSE_MS = 3_000
/** A standby takes the chain over, a load balancer's next attempt, or both. */
const OUTAGE_MS_MAX = 6_000
const ROLES = {
  a1: 'api',
  a2: 'api',
  s1: 'stream',
  s2: 'stream',
  w1: 'worker',
  w2: 'worker',
  i1: 'ingest',
  i2: 'ingest',
}

type Name = keyof typeof ROLES

const hasAll = REDIS_PROGRAM !== undefined && BALANCERS.includes('nginx')

describe.skipIf(MINUTES === 0 || !hasAll)(
  'eight processes, Redis, a primary with two replicas, and nginx',
  () => {
    let world: Topology
    beforeAll(async () => {
      world = await openTopology()
    })
    afterAll(() => world?.close())

    test(
      'no answer is wrong or older, and nothing is lost or doubled, while each part is killed and paused',
      async () => {
        expect(await world.countAllowed()).toBe(LIMIT)
        const hook = await world.createWebhook()
        const reads = [await startReads(world), await startReads(world)]
        const recorder = recordAsClient(world.url, await world.createCaller('enterprise'))
        await until(() => recorder.items.length > 0)
        const startSeq = Number(Object(recorder.items[0]).seq)

        const parts = [
          ...world.names.map((name) => () => world.disturb(name)),
          world.disturbRedis,
          world.disturbReplica,
        ]
        const endAt = performance.now() + MINUTES * 60_000
        let turns = 0
        while (performance.now() < endAt) {
          await parts[turns++ % parts.length]?.()
          await delay(1_000)
        }
        expect(turns).toBeGreaterThanOrEqual(Math.min(parts.length, MINUTES * 3))

        const hash = world.freeze()
        const undisturbed = new Recorder({ notices: [] })
        await undisturbed.connect(`${world.urlOf('s1').replace('http', 'ws')}/ws?key=${world.key}`, startSeq)
        await undisturbed.untilBlock(hash)
        await undisturbed.close()
        const expected = undisturbed.messages.filter(({ data }) => data.status !== 'pending')
        await until(() => Number(Object(recorder.items.at(-1)).seq) >= (expected.at(-1)?.seq ?? 0))
        recorder.close()
        expectGrowingSeqs(recorder.items as Received[])
        const seqs = recorder.items.map((item) => Number(Object(item).seq))
        expect(seqs.filter((seq) => seq > startSeq)).toEqual(expected.map(({ seq }) => seq))

        for (const { stop } of reads) {
          const { statuses, longestOutageMs, olderHeads } = await stop()
          expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([])
          expect(statuses.get(200)).toBeGreaterThan(100 * MINUTES)
          expect(longestOutageMs).toBeLessThan(OUTAGE_MS_MAX)
          expect(olderHeads).toEqual([])
        }
        const trades = expected.flatMap(({ type, data }) =>
          type === 'trade' ? [`${data.tx_hash}_${data.log_index}`] : [],
        )
        await until(() => trades.every((id) => hook.ids().has(id)))
        expect(await world.countAllowed()).toBe(LIMIT)
      },
      (MINUTES + 5) * 60_000,
    )
  },
)

const LIMIT = new Plans().find('free')?.restPerMinute ?? 0

type Topology = Awaited<ReturnType<typeof openTopology>>

async function openTopology() {
  const chain = await openWorld({ seed: 73, startMs: Date.now() - 60_000, intensity: 30 })
  const { universe, host } = chain
  const living = setInterval(() => universe.advance(Date.now()), 20)
  const primary = await openPrimary()
  await migrate(primary.sql, readMigrations())
  const replicas: TestServer[] = [await openStandby(primary), await openStandby(primary)]
  const redis: RedisServer = await startRedis()
  const receiver: Receiver = await openReceiver()
  const environment = {
    ...NO_UPSTREAMS,
    DATABASE_URL: primary.url,
    DATABASE_READ_URLS: replicas.map(({ url }) => url).join(','),
    REDIS_URL: redis.url,
    AUSPEX_POLYGON_URL: host.url,
    AUSPEX_POLYGON_WS_URL: host.wsUrl,
    AUSPEX_FROM_BLOCK: String(universe.chain.head.number - 5),
    AUSPEX_TRUSTED_PROXIES: '127.0.0.1',
    AUSPEX_WEBHOOK_NETWORKS: '127.0.0.0/8',
    AUSPEX_SECRET_KEY: '5a'.repeat(32),
    AUSPEX_DATABASE_CONNECTIONS: '4',
  }
  const names = Object.keys(ROLES) as Name[]
  const processes = new Map<Name, Running>()
  const start = async (name: Name, port = '0') => {
    processes.set(name, await startAuspex(['--port', port, '--roles', ROLES[name]], environment))
  }
  await Promise.all(names.map((name) => start(name)))
  const urls = new Map([...processes].map(([name, { url }]) => [name, url]))
  const urlOf = (name: Name) => urls.get(name) ?? ''
  const balancer: Balancer = await startBalancer(
    'nginx',
    [urlOf('a1'), urlOf('a2')],
    [urlOf('s1'), urlOf('s2')],
  )

  const createCaller = async (plan: 'enterprise' | 'free') => (await issueKey(primary.sql, plan)).secret
  const key = await createCaller('enterprise')

  return {
    names,
    key,
    url: balancer.url,
    urlOf,
    createCaller,
    /** Killed and started again under its address; then paused for a while. */
    disturb: async (name: Name) => {
      await processes.get(name)?.stop('SIGKILL')
      await delay(1_000)
      await start(name, new URL(urlOf(name)).port)
      processes.get(name)?.child.kill('SIGSTOP')
      await delay(PAUSE_MS)
      processes.get(name)?.child.kill('SIGCONT')
    },
    disturbRedis: async () => {
      await redis.kill()
      await delay(1_000)
      await redis.start()
      await delay(1_000)
      redis.pause()
      await delay(PAUSE_MS)
      redis.resume()
    },
    disturbReplica: async () => {
      const [replica] = replicas
      replica?.signal('SIGKILL')
      await replica?.start()
      replica?.signal('SIGSTOP')
      await delay(PAUSE_MS)
      replica?.signal('SIGCONT')
    },
    /** What a new key gets from both processes that answer, until they refuse it. */
    countAllowed: async () => {
      const free = await createCaller('free')
      let allowed = 0
      let refusedAt = Number.POSITIVE_INFINITY
      const use = async () => {
        // Leases of units that are not used come back within a second.
        while (performance.now() < refusedAt + 2_000) {
          const { status } = await fetch(`${balancer.url}/v1/usage`, { headers: { 'x-api-key': free } })
          if (status === 200) allowed++
          else refusedAt = Math.min(refusedAt, performance.now())
        }
      }
      await Promise.all([use(), use(), use()])
      return allowed
    },
    createWebhook: async () => {
      const reply = await fetch(`${balancer.url}/v3/webhooks`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ url: receiver.url, event_types: ['trade'] }),
      })
      expect(reply.status).toBe(201)
      return {
        ids: () => new Set(receiver.requests.map(({ body }) => JSON.parse(String(body)).data?.id)),
      }
    },
    freeze: () => {
      clearInterval(living)
      return universe.chain.hashOf(universe.chain.head)
    },
    close: async () => {
      clearInterval(living)
      await balancer.stop()
      await Promise.all([...processes.values()].map((each) => each.stop('SIGKILL')))
      await receiver.close()
      await redis.remove()
      for (const server of [...replicas, primary]) await server.stop()
      await chain.close()
    },
  }
}

/** Reads pages, and sends with each the block of the answer before. */
async function startReads({ url, createCaller }: Topology) {
  const key = await createCaller('enterprise')
  const statuses = new Map<number, number>()
  const olderHeads: string[] = []
  let head = 0
  let failingSince: number | undefined
  let longestOutageMs = 0
  let isOver = false
  const read = async () => {
    const headers = { 'x-api-key': key, ...(head > 0 && { 'x-head-block': `${head}` }) }
    const reply = await fetch(`${url}/v3/trades?limit=5`, { headers }).catch(() => undefined)
    const status = reply?.status ?? 0
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    await reply?.arrayBuffer()
    if (status !== 200) {
      failingSince ??= performance.now()
      longestOutageMs = Math.max(longestOutageMs, performance.now() - failingSince)
      return
    }
    failingSince = undefined
    const named = Number(reply?.headers.get('x-head-block'))
    if (named < head) olderHeads.push(`${named} after ${head}`)
    head = Math.max(head, named)
  }
  const running = (async () => {
    while (!isOver) {
      await read()
      await delay(40)
    }
  })()
  const stop = async () => {
    isOver = true
    await running
    return { statuses, longestOutageMs, olderHeads }
  }
  return { stop }
}
