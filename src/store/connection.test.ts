import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { until } from '../../test/until.js'
import { isOutage } from '../core/database-fault.js'
import { countLosses, createPool } from './connection.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
})
afterAll(() => database.drop())

const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
const nullable = <T>(items: fc.Arbitrary<T>) => fc.array(fc.option(items), { maxLength: 5 })

describe('arrays come back as they were sent', () => {
  test.each([
    ['boolean', fc.array(fc.boolean())],
    ['bytea', fc.array(bytes)],
    ['smallint', fc.array(fc.integer({ min: -32_768, max: 32_767 }))],
    ['integer', fc.array(fc.integer())],
    ['text', nullable(text)],
    ['bigint', fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))],
    ['numeric', nullable(fc.bigInt().map(String))],
  ] as [string, fc.Arbitrary<unknown[]>][])('%s[]', async (type, arrays) => {
    await fc.assert(
      fc.asyncProperty(arrays, async (sent) => {
        const { sql } = database
        const [row] = await sql`select ${sql.array(sent as string[])}::${sql.unsafe(type)}[] as back`
        expect(row?.back).toEqual(sent)
      }),
      { numRuns: 50 },
    )
  })
})

test('a serial pool runs queries without parallel workers', async () => {
  const pool = createPool(database.target, 1, { isSerial: true })
  const [row] = await pool`show max_parallel_workers_per_gather`
  await pool.end()
  expect(row).toEqual({ maxParallelWorkersPerGather: '0' })
})

test('a host of a URL is reached over TCP, again after its connection was cut', async () => {
  const { socketDir, database: name } = database.target as { socketDir: string; database: string }
  const clients: Socket[] = []
  const relay = createServer((client) => {
    clients.push(client)
    const server = connect(`${socketDir}/.s.PGSQL.5432`)
    client.pipe(server).pipe(client)
    for (const end of [client, server]) end.on('error', () => undefined)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  const pool = createPool({ url: `postgres://auspex@127.0.0.1:${port}/${name}` }, 1)
  expect(await pool`select 1 as one`).toEqual([{ one: 1 }])
  clients[0]?.resetAndDestroy()
  await until(() => countLosses(pool) === 1)
  expect(await pool`select 2 as two`).toEqual([{ two: 2 }])
  await pool.end()
  relay.close()
})

test('a pool that has ended opens no socket for a query that the driver has refused', async () => {
  const pool = createPool(database.target, 1)
  // The driver asks for a socket in a timer of its own, which a busy process runs after the end.
  const { socket } = pool.options as unknown as { socket: (address: object) => Socket }
  const open = () => socket({ host: ['127.0.0.1'], port: [1], path: false })
  const early = once(
    open().on('error', () => undefined),
    'close',
  )
  await pool.end({ timeout: 0 })
  await early
  expect(open).toThrow(
    expect.objectContaining({ message: 'the connections were ended', code: 'CONNECTION_ENDED' }),
  )
})

describe('an outage', () => {
  const errorOf = (work: Promise<unknown>) => work.then(String, (error: unknown) => error)

  test('is a connection that the database refuses or resets', async () => {
    const peer = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
    peer.listen(0, '127.0.0.1')
    await once(peer, 'listening')
    const { port } = peer.address() as AddressInfo
    const pool = createPool({ url: `postgres://x@127.0.0.1:${port}/x` }, 1)
    const reset = await errorOf(pool`select 1`)
    expect([reset, isOutage(reset)]).toEqual([expect.any(Error), true])
    peer.close()
    await once(peer, 'close')
    const refused = await errorOf(pool`select 1`)
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' })
    expect(isOutage(refused)).toBe(true)
    await pool.end({ timeout: 0 })
  })

  test('is not the reset of another connection, nor a file that is missing', async () => {
    const peer = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1')
    await once(peer, 'listening')
    const client = connect((peer.address() as AddressInfo).port, '127.0.0.1').resume()
    const reset = await errorOf(once(client, 'end'))
    expect(reset).toMatchObject({ code: 'ECONNRESET' })
    expect(isOutage(reset)).toBe(false)
    peer.close()
    const missing = await errorOf(readFile('/no/such/file'))
    expect(missing).toMatchObject({ code: 'ENOENT' })
    expect(isOutage(missing)).toBe(false)
  })
})
