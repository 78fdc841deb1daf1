import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeOpenFolder } from '../../test/open-folder.js'
import { isOutage } from '../core/database-fault.js'
import { createLog } from '../lib/log.js'
import { findPostmaster } from './embedded/postmaster.js'
import { type EmbeddedServer, startServer } from './embedded/server.js'
import { Store } from './store.js'

let dataDir: string
let server: EmbeddedServer
let store: Store
let running: Promise<void>

const log = createLog('silent', process.stdout)
const start = () => startServer(dataDir, { fsync: 'off', shared_buffers: '16MB' })
const until = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 20 })

// To create a cluster takes longer than most of the rest: the tests share one.
beforeAll(async () => {
  dataDir = makeOpenFolder('store')
  server = await start()
})
afterAll(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})
beforeEach(async () => {
  const target = { socketDir: server.socketDir, database: 'postgres' }
  store = new Store({ target, dataset: 'test', connectionsMax: 2, log, pulseMs: 20 })
  expect(store.problem).toBe('starting')
  running = store.run(() => undefined)
  await until(() => expect(store.problem).toBeUndefined())
})
afterEach(async () => {
  await store.close()
  await running
})

describe('Store', () => {
  test('says that the database is gone, and serves again by itself when it is back', async () => {
    await server.stop()
    await until(() => expect(store.problem).toMatch(/^database: /))
    await expect(store.sql`select 1`).rejects.toThrow()
    server = await start()
    await until(() => expect(store.problem).toBeUndefined())
    expect(await store.sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  test('leaves no connection open when it is closed while it connects', async () => {
    const open = new Set<Socket>()
    const proxy = createServer((client) => {
      open.add(client.on('close', () => open.delete(client)).on('error', () => undefined))
      client.pipe(connect(join(server.socketDir, '.s.PGSQL.5432')).on('error', () => undefined)).pipe(client)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    const target = { url: `postgres://auspex@127.0.0.1:${port}/postgres` }
    for (let attempt = 0; attempt < 40; attempt++) {
      const early = new Store({ target, dataset: 'test', connectionsMax: 2, log })
      const watching = early.run(() => undefined)
      const queries = Promise.allSettled([early.sql`select 1`, early.answers`select 1`])
      for (let tick = 0; tick < attempt % 8; tick++) await setImmediate()
      const closing = early.close()
      for (let tick = 0; tick < 5; tick++) await Promise.resolve()
      // A busy process learns late that a socket is connected.
      for (const endMs = performance.now() + 4; performance.now() < endMs; );
      await Promise.all([closing, watching, queries])
    }
    proxy.close()
    // The driver gives up a socket that it has forgotten after 5 s.
    await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 3_000, interval: 20 })
  })

  test('gives up on a server that went silent, queries under way included', async () => {
    const pid = findPostmaster(join(dataDir, 'postgres/cluster')) ?? 0
    const [backend] = await store.sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    const slow = store.sql`select pg_sleep(60)`.then(
      () => 'answered',
      () => 'given up',
    )
    const frozen = await store.sql<{ pid: number }[]>`
      select pid from pg_stat_activity where backend_type = 'client backend'`
    const pids = [pid, backend?.pid ?? 0, ...frozen.map((row) => row.pid)]
    for (const each of new Set(pids)) process.kill(each, 'SIGSTOP')
    try {
      await until(() => expect(store.problem).toMatch(/no answer within/))
      expect(await slow).toBe('given up')
    } finally {
      for (const each of new Set(pids)) process.kill(each, 'SIGCONT')
    }
    await until(() => expect(store.problem).toBeUndefined())
    expect(await store.sql`select 1 as one`).toEqual([{ one: 1 }])
  })

  test('never gives the answer of another query after connections were cut', async () => {
    const ask = async (number: number) => {
      try {
        const rows = await store.sql<{ number: number }[]>`select ${number}::integer as number`
        return rows.length === 1 && rows[0]?.number === number ? 'right' : JSON.stringify(rows)
      } catch (error) {
        return isOutage(error) ? 'outage' : String(error)
      }
    }
    const answers = new Set<string>()
    for (let round = 0; round < 20; round++) {
      const queries = Array.from({ length: 20 }, (_, index) => ask(round * 20 + index))
      const cut = store.control`
        select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`
      await cut.catch(() => undefined)
      for (const answer of await Promise.all(queries)) answers.add(answer)
    }
    await vi.waitFor(async () => expect(await ask(7)).toBe('right'), { timeout: 60_000 })
    expect([...answers].filter((answer) => answer !== 'right' && answer !== 'outage')).toEqual([])
  })
})
