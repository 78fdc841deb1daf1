import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { simulatedEnvironment } from '../demo/simulator.js'
import { createTestDatabase, type TestDatabase, urlOf } from './database.js'
import { issueKey } from './issue-key.js'
import { type Running, runAuspex, startAuspex } from './processes.js'
import { openSimulatedUpstreams, type SimulatedUpstreams } from './simulated-upstreams.js'
import { SocketClient } from './socket-client.js'

const within = { timeout: 60_000, interval: 50 }

let simulated: SimulatedUpstreams
let database: TestDatabase
let databaseUrl: string
let key: string
const processes: Record<string, Running> = {}

const start = (roles: string) => {
  const env = { ...simulatedEnvironment(simulated.simulator.upstreams), AUSPEX_FROM_BLOCK: fromBlock() }
  return startAuspex(['--database-url', databaseUrl, '--roles', roles], env)
}
/** A few minutes back. */
const fromBlock = () => `${simulated.simulator.universe.chain.head.number - 100}`

beforeAll(async () => {
  ;[simulated, database] = await Promise.all([openSimulatedUpstreams(), createTestDatabase()])
  databaseUrl = urlOf(database)
  key = (await issueKey(database.sql, 'enterprise')).secret
  const named = { ingest: 'ingest', api: 'api', stream: 'stream', first: 'worker', second: 'worker' }
  await Promise.all(
    Object.entries(named).map(async ([name, roles]) => {
      processes[name] = await start(roles)
    }),
  )
})
afterAll(async () => {
  await Promise.all(Object.values(processes).map((each) => each.stop()))
  await database?.drop()
  await simulated?.close()
})

const ask = (name: string, path: string) =>
  fetch(`${processes[name]?.url}${path}`, { headers: { 'x-api-key': key } })

type Status = {
  roles: string[]
  chain: { phase: string; block: number }
  processes: { roles: string[]; chain_phase: string; status: string; jobs: string[] }[]
  jobs: { name: string; runs_in: string }[]
  upstreams: { name: string; state: string }[]
  orderbooks: { sockets: number }
}
const statusOf = async (name: string) => (await (await ask(name, '/v1/status')).json()) as Status

describe('a service whose roles are in processes of their own', () => {
  test('answers requests in one, and sends what is booked in another from sockets of a third', async () => {
    expect((await ask('api', '/v3/trades?limit=5')).status).toBe(200)
    const socket = await SocketClient.open(`${processes.stream?.url.replace('http', 'ws')}/ws?key=${key}`)
    socket.send({ action: 'subscribe', type: 'blocks' })
    await socket.next(({ type }) => type === 'block')
    socket.socket.terminate()
  })

  test('knows who does what, in each of them', async () => {
    await vi.waitFor(async () => {
      const { roles, chain, processes: all } = await statusOf('api')
      expect(roles).toEqual(['api'])
      expect(chain.phase).toBe('standby')
      expect(all.map((each) => each.roles[0]).sort()).toEqual(['api', 'ingest', 'stream', 'worker', 'worker'])
      const ingest = all.find((each) => each.roles.includes('ingest'))
      expect(ingest).toMatchObject({ chain_phase: 'live', status: 'ready' })
    }, within)
  })

  test('opens the sockets of a role alone', async () => {
    const stateOf = async (name: string, upstream: string) =>
      (await statusOf(name)).upstreams.find((each) => each.name === upstream)?.state
    expect(await stateOf('ingest', 'polygon')).toBe('ok')
    expect(await stateOf('ingest', 'sports_ws')).toBe('idle')
    expect(await stateOf('stream', 'sports_ws')).toBe('ok')
    expect(await stateOf('api', 'polygon')).toBe('idle')
    expect(await stateOf('stream', 'polygon')).toBe('idle')
    expect(await stateOf('first', 'chainlink')).toBe('idle')
  })

  test('404: what is asked of a process with another role, which says so', async () => {
    const reply = await ask('first', '/v3/trades')
    expect(reply.status).toBe(404)
    expect(await reply.json()).toMatchObject({ hint: expect.stringContaining('the roles worker') })
    expect((await ask('stream', '/docs')).status).toBe(404)
    const refused = await fetch(`${processes.api?.url}/ws?key=${key}`)
    expect(refused.status).toBe(404)
    for (const name of ['ingest', 'api', 'stream', 'first', 'second']) {
      for (const path of ['/healthz', '/readyz', '/metrics']) expect((await ask(name, path)).status).toBe(200)
    }
    expect(await (await ask('first', '/metrics')).text()).toContain('auspex_processes{role="worker"} 2')
  })

  test('shares jobs between workers; when one is killed the other does all', async () => {
    const shared = (await statusOf('first')).jobs.flatMap(({ name, runs_in: runsIn }) =>
      runsIn === 'one_process' ? name : [],
    )
    const leased = async () =>
      (await statusOf('api')).processes.flatMap(({ roles, jobs }) => (roles.includes('worker') ? [jobs] : []))
    await vi.waitFor(async () => {
      const [one = [], other = []] = await leased()
      expect([...one, ...other].sort()).toEqual([...shared].sort())
      expect(Math.abs(one.length - other.length)).toBeLessThanOrEqual(1)
    }, within)
    await processes.first?.stop('SIGKILL')
    await vi.waitFor(async () => {
      const survivor = (await leased()).find((jobs) => jobs.length === shared.length)
      expect(survivor).toBeDefined()
    }, within)
  })

  test('says which role nobody has, and goes on', async () => {
    await processes.second?.stop()
    await vi.waitFor(async () => {
      const reply = await ask('api', '/readyz')
      expect(reply.status).toBe(200)
      expect(await reply.json()).toMatchObject({
        status: 'degraded',
        checks: { roles: 'no process has the role worker' },
      })
    }, within)
    expect((await ask('api', '/v3/trades?limit=5')).status).toBe(200)
  })
})

test('a role that is none is refused with those that there are', () => {
  const { status, stderr } = runAuspex(['up', '--roles', 'api,teapot'])
  expect(status).toBe(2)
  expect(stderr).toContain('"teapot" is no role; there are ingest, api, stream, worker')
})
