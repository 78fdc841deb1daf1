import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase, urlOf } from './database.js'
import { issueKey } from './issue-key.js'
import { type Running, startAuspex } from './processes.js'
import { SocketClient } from './socket-client.js'

/** Half of it is enough for what the test does in the first half, on a busy machine too. */
const DRAIN_SECONDS = 4
/** What a stop takes at most without the setting. */
const STOP_MS_MAX = 5_000

let database: TestDatabase
let key: string
let databaseUrl: string
beforeAll(async () => {
  database = await createTestDatabase()
  databaseUrl = urlOf(database)
  key = (await issueKey(database.sql, 'growth')).secret
})
afterAll(() => database.drop())

async function start(drainSeconds: number): Promise<Running> {
  const service = await startAuspex(['--database-url', databaseUrl], {
    AUSPEX_DRAIN_SECONDS: String(drainSeconds),
  })
  onTestFinished(async () => void (await service.stop('SIGKILL')))
  return service
}

const connectSocket = ({ url }: Running) => new SocketClient(`${url.replace('http', 'ws')}/ws?key=${key}`)

/** Asks on a connection that the client would keep. */
async function askOn(agent: Agent, url: string): Promise<IncomingMessage> {
  const [reply] = await once(get(url, { agent, headers: { 'x-api-key': key } }), 'response')
  reply.resume()
  await once(reply, 'end')
  return reply
}

/** Waits until `/readyz` says that the process stops. */
async function untilLeaving({ url }: Running): Promise<void> {
  await vi.waitFor(async () => {
    const reply = await fetch(`${url}/readyz`)
    const process = 'the process is stopping; it serves until it has ended'
    expect([reply.status, await reply.json()]).toMatchObject([
      503,
      { status: 'not_ready', checks: { process } },
    ])
  })
}

test('a stop first tells load balancers, then sends sockets away, and then ends', async () => {
  const service = await start(DRAIN_SECONDS)
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const status = `${service.url}/v1/status`
  expect((await askOn(agent, status)).headers.connection).toBe('keep-alive')
  const client = connectSocket(service)
  client.socket.once('open', () => client.send({ action: 'ping' }))
  await client.next()

  const startedMs = performance.now()
  const stopped = service.stop('SIGTERM')
  await untilLeaving(service)
  // Everything else is served as before, new sockets included, but answers end their connections.
  const reply = await askOn(agent, status)
  expect([reply.statusCode, reply.headers.connection]).toEqual([200, 'close'])
  const second = connectSocket(service)
  await once(second.socket, 'open')
  client.send({ action: 'ping' })
  expect(await client.next()).toMatchObject({ type: 'pong' })

  expect(await client.closed()).toMatchObject({ code: 1012 })
  expect((await second.closed()).code).toBe(1012)
  expect(performance.now() - startedMs).toBeGreaterThan((DRAIN_SECONDS / 2) * 1000 - 50)
  const [, refusal] = await once(connectSocket(service).socket, 'unexpected-response')
  expect(refusal.statusCode).toBe(503)
  expect((await askOn(agent, status)).statusCode).toBe(200)

  expect(await stopped).toBe(0)
  const tookMs = performance.now() - startedMs
  expect(tookMs).toBeGreaterThan(DRAIN_SECONDS * 1000 - 50)
  expect(tookMs).toBeLessThan(DRAIN_SECONDS * 1000 + STOP_MS_MAX)
  const late = connect(Number(new URL(service.url).port), '127.0.0.1')
  await expect(once(late, 'connect')).rejects.toThrow(/ECONNREFUSED/)
})

test('a second signal ends the wait, but not the one that npm adds to Ctrl-C', async () => {
  const service = await start(3_600)
  const stopped = service.stop('SIGINT')
  service.child.kill('SIGINT')
  await untilLeaving(service)
  await new Promise((next) => setTimeout(next, 600))
  await untilLeaving(service)
  const startedMs = performance.now()
  service.child.kill('SIGTERM')
  expect(await stopped).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(STOP_MS_MAX)
})
