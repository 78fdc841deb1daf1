import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPool } from '../../../src/store/connection.js'
import { issueKey } from '../../issue-key.js'
import { makeOpenFolder } from '../../open-folder.js'
import { type Running, startAuspex } from '../../processes.js'
import { createDatabaseTemplate, type DatabaseServer, openDatabaseServer } from './database-server.js'
import { joinVariables, limitHeap } from './memory-pressure.js'
import { createServiceClock, type ServiceClock } from './service-clock.js'
import { type ClientTarget, hangInAnswer, hangInBody, openUnreadSocket, vanish } from './slow-clients.js'

const HOUR_MS = 3_600_000
const HEAP_MB = 128

let parent: string
let server: DatabaseServer
let clock: ServiceClock
let service: Running
let target: ClientTarget

/** One service with a small heap and a clock of its own. */
beforeAll(async () => {
  parent = makeOpenFolder('clients')
  const [template, folder] = [join(parent, 'template'), join(parent, 'server')]
  mkdirSync(template)
  mkdirSync(folder)
  await createDatabaseTemplate(template)
  server = await openDatabaseServer({ template, folder })
  clock = createServiceClock({ originMs: Date.now(), startedMs: Date.now(), speed: 10 })
  const variables = joinVariables(clock.env, limitHeap(HEAP_MB))
  service = await startAuspex([], {
    DATABASE_URL: server.url,
    AUSPEX_DATA: join(parent, 'data'),
    ...variables,
  })
  const sql = createPool({ url: server.url }, 1)
  const { secret } = await issueKey(sql, 'growth')
  await sql.end()
  target = { url: service.url, key: secret }
})

afterAll(async () => {
  await service?.stop()
  await server?.remove()
  clock?.remove()
  rmSync(parent, { recursive: true, force: true })
})

const ask = (path: string) => fetch(`${target.url}${path}`, { headers: { 'x-api-key': target.key } })

test('clients that hang or vanish keep no other client from an answer', async () => {
  const clients = await Promise.all([
    openUnreadSocket(target),
    hangInBody(target, '/v1/webhooks'),
    hangInAnswer(target, '/openapi.json', 20),
  ])
  for (let count = 0; count < 5; count++) await vanish(target, '/v3/trades')
  expect((await ask('/v1/account')).status).toBe(200)
  for (const client of clients) client.close()
  expect((await ask('/v1/account')).status).toBe(200)
})

test('the answers of a service follow its clock through jumps, and it stays in service', async () => {
  const readDistanceMs = async () => {
    const { headers } = await ask('/v3/trades')
    return Math.abs(clock.now() - Number(headers.get('x-ratelimit-reset')) * 1_000)
  }
  for (const jumpMs of [HOUR_MS, -2 * HOUR_MS, HOUR_MS]) {
    clock.jump(jumpMs)
    await expect.poll(async () => (await ask('/v1/account')).status).toBe(200)
    await expect.poll(readDistanceMs, { timeout: 20_000 }).toBeLessThan(HOUR_MS / 2)
  }
})
