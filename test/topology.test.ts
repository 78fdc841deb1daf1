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
import type { Received } from './streams/received.js'
import { recordAsClient } from './streams/record-as-client.js'
import { Recorder } from './streams/recorder.js'
import { expectGrowingSeqs } from './streams/truth.js'
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
        const limits = startLimits(world)
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
        const minutes = await limits.stop()
        console.log('the limit in each minute', minutes)
        expect(turns).toBeGreaterThanOrEqual(Math.min(parts.length, MINUTES * 3))
        expect(minutes.length).toBeGreaterThanOrEqual(Math.floor(MINUTES))
        expect(minutes.some(({ refused, isRedisLost }) => refused > 0 && !isRedisLost)).toBe(true)
        for (const minute of minutes) expectLimit(minute)

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
  /** Unix ms at which processes that answer said that Redis is lost. */
  const redisLossesMs: number[] = []
  const noteLosses = (text: string) => {
    if (text.includes('redis is not available')) redisLossesMs.push(Date.now())
  }
  const start = async (name: Name, port = '0') => {
    const onOutput = ROLES[name] === 'api' ? noteLosses : undefined
    processes.set(name, await startAuspex(['--port', port, '--roles', ROLES[name]], environment, onOutput))
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
    redisLossesMs,
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

/** What a key got in less than a minute. `unknown`: requests that a process that was killed or paused may have counted. */
type LimitedMinute = { allowed: number; refused: number; unknown: number; isRedisLost: boolean }

/** Once in a while, so that no process takes units ahead of its requests: a process that is killed takes none with it. */
const PACE_MS = 1_050
/** While Redis is lost there is no exact limit, and the most that a key can get is looked for. */
const FAST_MS = 100
/** Requests are sent up to here, and answers count up to there: the first request is in the window all the while. */
const SENT_MS_MAX = 55_000
const ANSWERED_MS_MAX = 59_500

/** Lets a new key ask both processes that answer, in each minute, for more than its limit. */
function startLimits({ urlOf, createCaller, redisLossesMs }: Topology) {
  const minutes: LimitedMinute[] = []
  let isOver = false
  const useMinute = async () => {
    const headers = { 'x-api-key': await createCaller('free') }
    const minute = { allowed: 0, refused: 0, unknown: 0 }
    const startedMs = Date.now()
    const passedMs = () => Date.now() - startedMs
    const isRedisLost = () => redisLossesMs.some((lostMs) => lostMs > startedMs - REDIS_BACK_MS_MAX)
    const ask = async (url: string) => {
      const status = await fetch(`${url}/v1/usage`, { headers }).then(readStatus, isRefusedConnection)
      if (status === 'no connection') return
      if (passedMs() > ANSWERED_MS_MAX || (status !== 200 && status !== 429)) minute.unknown++
      else if (status === 200) minute.allowed++
      else minute.refused++
    }
    const use = async (url: string) => {
      while (passedMs() < SENT_MS_MAX) {
        await ask(url)
        await delay(isRedisLost() ? FAST_MS : PACE_MS)
      }
    }
    await Promise.all([use(urlOf('a1')), use(urlOf('a2'))])
    minutes.push({ ...minute, isRedisLost: isRedisLost() })
    await delay(60_000 - passedMs())
  }
  const running = (async () => {
    while (!isOver) await useMinute()
  })()
  const stop = async () => {
    isOver = true
    await running
    return minutes
  }
  return { stop }
}

/** Redis is away for five seconds at a time; the service tries again every two. */
const REDIS_BACK_MS_MAX = 10_000

async function readStatus(reply: Response): Promise<number> {
  await reply.arrayBuffer()
  return reply.status
}

/** A request that reached no process was counted by none. */
const isRefusedConnection = ({ cause }: { cause?: { code?: string } }) =>
  cause?.code === 'ECONNREFUSED' ? 'no connection' : 'no answer'

/** Around a loss: counted in Redis, in both processes while it was lost, and in Redis again, which came back empty. */
const LIMITS_WHILE_LOST = 4

function expectLimit({ allowed, refused, unknown, isRedisLost }: LimitedMinute): void {
  expect(allowed).toBeLessThanOrEqual(isRedisLost ? LIMITS_WHILE_LOST * LIMIT : LIMIT)
  if (refused > 0 && !isRedisLost) expect(allowed + unknown).toBeGreaterThanOrEqual(LIMIT)
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
