import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type EmbeddedServer, startServer } from '../src/store/embedded/server.js'
import { makeOpenFolder } from './open-folder.js'
import { type Running, startAuspex } from './processes.js'

let folder: string
let server: EmbeddedServer
let service: Running
beforeAll(async () => {
  folder = makeOpenFolder('given')
  server = await startGiven()
  const url = `postgres://auspex@localhost/postgres?host=${server.socketDir}`
  service = await startAuspex([], { DATABASE_URL: url })
})
afterAll(async () => {
  await service.stop()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const startGiven = () => startServer(folder, { fsync: 'off', shared_buffers: '16MB' })
const get = (path: string, headers = {}) => fetch(`${service.url}${path}`, { headers })
const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 })

test('a lost database makes 503s that say why, and the service resumes by itself', async () => {
  const created = await fetch(`${service.url}/v1/keys`, { method: 'POST' })
  const { api_key: key } = (await created.json()) as { api_key: string }
  expect((await get('/v1/usage', { 'x-api-key': key })).status).toBe(200)

  await server.stop()
  await until(async () => {
    const ready = await get('/readyz')
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({
      status: 'not_ready',
      checks: { store: expect.stringMatching(/^database: .*(ENOENT|ECONNREFUSED)/) },
    })
  })
  for (const path of ['/v1/usage', '/v1/coverage', '/v1/status']) {
    const reply = await get(path, { 'x-api-key': key })
    expect(reply.status).toBe(503)
    expect(reply.headers.get('retry-after')).toBe('1')
    expect(await reply.json()).toEqual({ error: 'The database is not available.' })
  }
  expect((await fetch(`${service.url}/v1/keys`, { method: 'POST' })).status).toBe(503)
  expect((await get('/v1/usage')).status).toBe(401)
  expect((await get('/healthz')).status).toBe(200)

  server = await startGiven()
  await until(async () => expect((await get('/readyz')).status).toBe(200))
  expect((await get('/v1/usage', { 'x-api-key': key })).status).toBe(200)
})

test('a service that starts before its database waits for it and says so', async () => {
  await service.stop()
  const { socketDir } = server
  await server.stop()
  const url = `postgres://auspex@localhost/postgres?host=${socketDir}`
  const [started, next] = await new Promise<[Running, EmbeddedServer]>((resolve, reject) => {
    let back: Promise<EmbeddedServer> | undefined
    // The database comes only after the service has missed it.
    const onOutput = (text: string) => {
      if (text.includes('database is not available')) back ??= startGiven()
    }
    startAuspex([], { DATABASE_URL: url }, onOutput).then(
      async (running) => resolve([running, (await back) ?? server]),
      reject,
    )
  })
  service = started
  server = next
  expect(service.output.join('')).toMatch(/database is not available/)
})
