import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createPool, type Pool } from '../../../src/store/connection.js'
import { transact } from '../../../src/store/transaction.js'
import { makeOpenFolder } from '../../open-folder.js'
import { until } from '../../until.js'
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.js'
import { createDatabaseTemplate, type DatabaseServer, openDatabaseServer } from './database-server.js'

let parent: string
let server: DatabaseServer
let direct: Pool

beforeAll(async () => {
  parent = makeOpenFolder('proxy')
  const [template, folder] = [join(parent, 'template'), join(parent, 'server')]
  mkdirSync(template)
  mkdirSync(folder)
  await createDatabaseTemplate(template, [])
  server = await openDatabaseServer({ template, folder })
  direct = createPool({ url: server.url }, 1)
  await direct`create table written (n integer)`
})

afterAll(async () => {
  await direct.end({ timeout: 0 })
  await server.remove()
  rmSync(parent, { recursive: true, force: true })
})

beforeEach(() => direct`truncate written`)

async function open(): Promise<{ proxy: DatabaseProxy; sql: Pool }> {
  const proxy = await openDatabaseProxy(server.port)
  const url = server.url.replace(String(server.port), String(proxy.port))
  const sql = createPool({ url }, 1)
  onTestFinished(async () => {
    await sql.end({ timeout: 0 })
    await proxy.close()
  })
  return { proxy, sql }
}

const write = (sql: Pool, n: number) => transact(sql, (tx) => tx`insert into written values (${n})`)
const selectWritten = async () => (await direct`select n from written order by n`).map((row) => row.n)

test('answers and bulk writes pass as they are', async () => {
  const { sql } = await open()
  const rows = Array.from({ length: 2_000 }, (_, n) => ({ n }))
  await sql`insert into written ${sql(rows)}`
  expect(await sql`select count(*), repeat('x', 300000) as long from written`).toEqual([
    { count: 2_000n, long: 'x'.repeat(300_000) },
  ])
})

describe('a connection that is cut in a commit', () => {
  test('before it: the client is told of a failure, and nothing was written', async () => {
    const { proxy, sql } = await open()
    await write(sql, 1)
    const cut = proxy.cutDuringCommit('before')
    await expect(write(sql, 2)).rejects.toThrow()
    expect(await cut).toBe(true)
    expect(await selectWritten()).toEqual([1])
  })

  test('after it: the client is told of a failure, and the rows are there', async () => {
    const { proxy, sql } = await open()
    await write(sql, 1)
    const cut = proxy.cutDuringCommit('after')
    await expect(write(sql, 2)).rejects.toThrow()
    expect(await cut).toBe(true)
    expect(await selectWritten()).toEqual([1, 2])
  })

  test('also when the statement is sent as text', async () => {
    const { proxy, sql } = await open()
    const cut = proxy.cutDuringCommit('before')
    await sql.unsafe('begin; insert into written values (3)').simple()
    await expect(sql.unsafe('commit').simple()).rejects.toThrow()
    expect(await cut).toBe(true)
    expect(await selectWritten()).toEqual([])
  })

  test('but not one whose cut was given up', async () => {
    const { proxy, sql } = await open()
    const cut = proxy.cutDuringCommit('after')
    proxy.cancelCuts()
    expect(await cut).toBe(false)
    await write(sql, 4)
    expect(await selectWritten()).toEqual([4])
  })
})

test('all connections are cut at once', async () => {
  const { proxy, sql } = await open()
  await sql`select 1`
  expect(proxy.connections).toBe(1)
  const sleeping = sql`select pg_sleep(60)`.catch((error: Error) => error)
  proxy.cutAll()
  expect(await sleeping).toBeInstanceOf(Error)
  await until(() => proxy.connections === 0)
})

test('a stall delays answers, also those of new connections', async () => {
  const { proxy, sql } = await open()
  await sql`select 1`
  let isOver = false
  const stall = proxy.stall(150).then(() => {
    isOver = true
  })
  const another = createPool({ url: `postgres://auspex@127.0.0.1:${proxy.port}/auspex` }, 1)
  onTestFinished(() => another.end({ timeout: 0 }))
  await Promise.all([sql`select 1`, another`select 1`])
  expect(isOver).toBe(true)
  await stall
})
