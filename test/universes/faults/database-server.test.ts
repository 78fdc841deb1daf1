import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { databaseCodeOf } from '../../../src/core/database-fault.js'
import { createPool } from '../../../src/store/connection.js'
import { readMigrations } from '../../../src/store/migrate.js'
import { makeOpenFolder } from '../../open-folder.js'
import { expectNoProcesses } from '../../processes.js'
import { createDatabaseTemplate, openDatabaseServer } from './database-server.js'

let parent: string
let template: string

beforeAll(async () => {
  parent = makeOpenFolder('servers')
  template = join(parent, 'template')
  mkdirSync(template)
  await createDatabaseTemplate(template)
})

afterAll(() => rmSync(parent, { recursive: true, force: true }))

async function open(name: string) {
  const folder = join(parent, name)
  mkdirSync(folder)
  const server = await openDatabaseServer({ folder, template })
  onTestFinished(() => server.remove())
  const connect = () => {
    const sql = createPool({ url: server.url }, 1)
    onTestFinished(() => sql.end({ timeout: 0 }))
    return sql
  }
  return { server, folder, connect }
}

test('a server has the schema, and nothing of it is left after it is removed', async () => {
  const { server, folder, connect } = await open('removed')
  const [row] = await connect()`select max(version) as version from schema_migrations`
  expect(row?.version).toBe(readMigrations().at(-1)?.version)

  await server.remove()
  expect(server.isRunning).toBe(false)
  expect(existsSync(folder)).toBe(false)
  await expectNoProcesses(folder)
  expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder)
})

test('a killed server leaves nothing in the memory of the system once it is removed', async () => {
  const listSegments = () => execFileSync('ipcs', ['-m'], { encoding: 'utf8' })
  const { server, folder } = await open('segments')
  const [, id] = /^ +\d+ +(\d+)$/m.exec(readPidFile(folder)) ?? []
  await server.kill()
  expect(listSegments()).toContain(` ${id} `)
  await server.remove()
  expect(listSegments()).not.toContain(` ${id} `)
})

const readPidFile = (folder: string) => readFileSync(join(folder, 'postgres/cluster/postmaster.pid'), 'utf8')

test('a killed server starts on the same port with all that was committed', async () => {
  const { server, folder, connect } = await open('killed')
  const sql = connect()
  await sql`create table kept (n integer)`
  await sql`insert into kept select generate_series(1, 1000)`
  await server.kill()
  expect(server.isRunning).toBe(false)
  await expectNoProcesses(folder)
  await expect(connect()`select 1`).rejects.toThrow()

  await server.start()
  expect(server.isRunning).toBe(true)
  expect(await connect()`select count(*) as count from kept`).toEqual([{ count: 1000n }])
})

test('a paused server answers when it is resumed', async () => {
  const { server, connect } = await open('paused')
  const sql = connect()
  await sql`select 1`
  server.pause()
  let isAnswered = false
  const answer = sql`select 2 as n`.then((rows) => {
    isAnswered = true
    return rows[0]?.n
  })
  await new Promise((next) => setTimeout(next, 100))
  expect(isAnswered).toBe(false)
  server.resume()
  expect(await answer).toBe(2)
})

test('a full disk refuses rows, and takes them again when it has room', async (context) => {
  const { server, connect } = await open('full')
  if (!server.canFillDisk) context.skip('only root on Linux may mount a disk to fill')
  const sql = connect()
  await sql`create table filled (text text)`
  server.fillDisk()
  const fill = async () => {
    for (;;) await sql`insert into filled select repeat('x', 1000) from generate_series(1, 1000)`
  }
  const code = databaseCodeOf(await fill().catch((error: unknown) => error))
  expect(['53100', 'CONNECTION_CLOSED', '57P02']).toContain(code)

  await server.kill()
  const started = server.start()
  server.freeDisk()
  await started
  await connect()`insert into filled select repeat('x', 1000) from generate_series(1, 1000)`
})
