import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeOpenFolder } from '../../../test/open-folder.js'
import { processIdentity } from '../../lib/process-identity.js'
import { createPool } from '../connection.js'
import { findPostmaster } from './postmaster.js'
import { type EmbeddedServer, startServer } from './server.js'
import { removeServerFolders } from './server-folders.js'

let dataDir: string
const running = new Set<EmbeddedServer>()

const start = async (folder = dataDir) => {
  const server = await startServer(folder, { fsync: 'off', shared_buffers: '16MB' })
  running.add(server)
  return server
}
const stop = async (server: EmbeddedServer) => {
  running.delete(server)
  await server.stop()
}
const clusterDir = () => join(dataDir, 'postgres/cluster')

async function ask(socketDir: string): Promise<unknown> {
  const pool = createPool({ socketDir, database: 'postgres' }, 1)
  const [row] = await pool`select 1 as one`
  await pool.end()
  return row?.one
}

async function inspect(socketDir: string) {
  const pool = createPool({ socketDir, database: 'postgres' }, 1)
  const rows = await pool<{ active: bigint }[]>`
    select count(*) as active from pg_stat_activity
     where state = 'active' and query like '%generate_series%' and pid <> pg_backend_pid()`
  await pool.end()
  return rows
}

beforeEach(() => {
  dataDir = makeOpenFolder('server')
})
afterEach(async () => {
  for (const server of running) await stop(server)
  removeServerFolders(dataDir)
  rmSync(dataDir, { recursive: true, force: true })
})

describe('startServer', () => {
  test('answers on a socket in a folder for its user alone, and on no port', async () => {
    const server = await start()
    expect(await ask(server.socketDir)).toBe(1)
    const pool = createPool({ socketDir: server.socketDir, database: 'postgres' }, 1)
    const [row] = await pool`select current_setting('listen_addresses') as addresses`
    await pool.end()
    expect(row?.addresses).toBe('')
  })

  test('replaces a server that outlived the Auspex which started it', async () => {
    const first = await start()
    const orphan = findPostmaster(clusterDir())
    // The second start is independent of the first, as after a kill -9 of both watchdog and service.
    const second = await start()
    await first.exited
    running.delete(first)
    expect(findPostmaster(clusterDir())).not.toBe(orphan)
    expect(await ask(second.socketDir)).toBe(1)
  })

  test('starts over a pid file whose process id belongs to another program, and spares that program', async () => {
    await stop(await start())
    const other = spawn('sleep', ['60'])
    const pidFile = join(clusterDir(), 'postmaster.pid')
    writeFileSync(pidFile, `${other.pid}\n${clusterDir()}\n1\n5432\n\n\n\nready\n`)
    const server = await start()
    expect(await ask(server.socketDir)).toBe(1)
    expect(processIdentity(other.pid ?? 0)).toBeDefined()
    other.kill()
    await once(other, 'exit')
  })

  test('starts from an empty folder after an initdb that was cut short', async () => {
    await stop(await start())
    mkdirSync(join(dataDir, 'postgres/cluster.new/base'), { recursive: true })
    rmSync(clusterDir(), { recursive: true })
    const server = await start()
    expect(await ask(server.socketDir)).toBe(1)
  })

  test('refuses files that a server serves which cannot be seen from here', async () => {
    await stop(await start())
    const { uid, gid } = statSync(clusterDir())
    // Stands for the server of another container: its socket answers, its process is not ours to see.
    const hidden = createServer().listen(join(dataDir, 'postgres/sock/.s.PGSQL.5432'))
    await once(hidden, 'listening')
    chownSync(join(dataDir, 'postgres/sock/.s.PGSQL.5432'), uid, gid)
    await expect(start()).rejects.toThrow(/cannot be seen from here/)
    hidden.close()
    await once(hidden, 'close')
    expect(await ask((await start()).socketDir)).toBe(1)
  })

  test('ends the backends that a killed server left at work', async () => {
    const first = await start()
    const pool = createPool({ socketDir: first.socketDir, database: 'postgres' }, 1)
    const busy = pool`select count(*) from generate_series(1, 2000000000)`.catch(() => 'cut off')
    await vi.waitFor(async () => {
      const [row] = await inspect(first.socketDir)
      expect(row?.active).toBe(1n)
    })
    process.kill(findPostmaster(clusterDir()) ?? 0, 'SIGKILL')
    await first.exited
    running.delete(first)
    const second = await start()
    expect(await busy).toBe('cut off')
    expect(await ask(second.socketDir)).toBe(1)
    await pool.end({ timeout: 0 })
  })

  test('never writes through a link that the server user laid', async () => {
    await stop(await start())
    const victim = join(dataDir, 'victim')
    writeFileSync(victim, 'mine')
    rmSync(join(dataDir, 'postgres/postgres.log'))
    symlinkSync(victim, join(dataDir, 'postgres/postgres.log'))
    await expect(start()).rejects.toThrow(/ELOOP/)
    expect(readFileSync(victim, 'utf8')).toBe('mine')
    rmSync(join(dataDir, 'postgres/postgres.log'))

    rmSync(join(dataDir, 'postgres/sock'), { recursive: true })
    symlinkSync(dataDir, join(dataDir, 'postgres/sock'))
    await expect(start()).rejects.toThrow(/is not a folder/)
    rmSync(join(dataDir, 'postgres/sock'))
  })

  test('takes a comma in the path for what it is', async () => {
    const folder = join(dataDir, 'a, b')
    mkdirSync(folder, { mode: 0o755 })
    const server = await start(folder)
    expect(await ask(server.socketDir)).toBe(1)
    await stop(server)
  })

  test('moves the socket when the path of the data folder is too long for one', async () => {
    const deep = join(dataDir, 'x'.repeat(90))
    mkdirSync(deep, { mode: 0o755 })
    const server = await start(deep)
    expect(server.socketDir.startsWith(tmpdir())).toBe(true)
    expect(await ask(server.socketDir)).toBe(1)
    await stop(server)
    rmSync(server.socketDir, { recursive: true })
  })

  test.runIf(process.getuid?.() === 0)(
    'works for root in a folder that no other user may enter',
    async () => {
      const closed = join(dataDir, 'closed')
      mkdirSync(closed, { mode: 0o700 })
      const server = await start(closed)
      expect(readlinkSync(join(closed, 'postgres'))).toMatch(/^\/var\/lib\/auspex\/closed-/)
      expect(await ask(server.socketDir)).toBe(1)
      await stop(server)
      const folder = readlinkSync(join(closed, 'postgres'))
      removeServerFolders(closed)
      expect(existsSync(folder)).toBe(false)
    },
  )

  test('says what the server said when it does not start', async () => {
    await stop(await start())
    writeFileSync(join(clusterDir(), 'postgresql.conf'), 'nonsense = yes\n')
    await expect(start()).rejects.toThrow(/did not start:[\s\S]*nonsense/)
    expect(readFileSync(join(dataDir, 'postgres/postgres.log'), 'utf8')).toMatch(/nonsense/)
  })
})
