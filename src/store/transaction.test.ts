import { setImmediate as nextTick } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { counts } from '../../test/counts.js'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { isOutage } from '../core/database-fault.js'
import { messageOf } from '../core/errors.js'
import { createLog } from '../lib/log.js'
import { pause } from '../lib/timing.js'
import { createPool, type Pool, type Sql } from './connection.js'
import { copyLines } from './copy.js'
import { Store } from './store.js'
import { transact } from './transaction.js'

let database: TestDatabase
let pool: Pool

beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
  await database.sql`create table notes (note text)`
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.sql`truncate notes`
  pool = createPool(database.target, 1)
})
afterEach(() => pool.end({ timeout: 0 }))

const notes = async () => (await database.sql`select note from notes`).map(({ note }) => note)

/** Ends the connection from the server's side and waits until that is known here. */
async function cut(tx: Sql): Promise<void> {
  const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
  await database.sql`select pg_terminate_backend(${row?.pid ?? 0})`
  for (let tick = 0; tick < 50; tick++) await nextTick()
}

describe('a transaction', () => {
  test('gives what the work gives, and keeps what it wrote', async () => {
    const value = await transact(pool, async (tx) => {
      await tx`insert into notes values ('kept')`
      return 7
    })
    expect(value).toBe(7)
    expect(await notes()).toEqual(['kept'])
  })

  test('of work that fails keeps nothing, and the connection serves on', async () => {
    const failing = transact(pool, async (tx) => {
      await tx`insert into notes values ('lost')`
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await expect(transact(pool, (tx) => tx`select * from nowhere`)).rejects.toThrow('nowhere')
    expect(await pool`select 1 as one`).toEqual([{ one: 1 }])
    expect(await notes()).toEqual([])
  })

  test('of work that fails with the code of a lost connection that is not its own is rolled back', async () => {
    const failing = transact(pool, async (tx) => {
      await tx`insert into notes values ('lost')`
      throw Object.assign(new Error('of an upstream'), { code: 'ECONNRESET' })
    })
    await expect(failing).rejects.toThrow('of an upstream')
    expect(await pool`select 1 as one`).toEqual([{ one: 1 }])
    expect(await notes()).toEqual([])
  })

  test('of work that fails in one of its branches takes nothing from the others', async () => {
    let stray: Promise<unknown> = Promise.resolve()
    const failing = transact(pool, async (tx) => {
      const write = () => tx`insert into notes values ('stray')`
      stray = tx`select pg_sleep(0.05)`.then(write).catch(messageOf)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await stray).toBe('the transaction is over')
    expect(await pool`select 1 as one`).toEqual([{ one: 1 }])
    expect(await notes()).toEqual([])
  })

  test('whose connection is lost between two queries writes nothing on the next one', async () => {
    const failing = transact(pool, async (tx) => {
      await tx`insert into notes values ('lost')`
      await cut(tx)
      await tx`insert into notes values ('stray')`
    })
    await expect(failing).rejects.toSatisfy(isOutage)
    for (let tick = 0; tick < 50; tick++) await nextTick()
    expect(await notes()).toEqual([])
  })

  test('whose connection is lost during a query fails as an outage', async () => {
    const failing = transact(pool, async (tx) => {
      await tx`insert into notes values ('lost')`
      await tx`select pg_terminate_backend(pg_backend_pid())`
    })
    await expect(failing).rejects.toSatisfy(isOutage)
  })
})

test('connections that are killed in the middle of transactions leave no part of one, and the process alive', async () => {
  const kills = counts({ short: 15, long: 200 })
  const log = createLog('fatal', { write: () => undefined })
  const store = new Store({ target: database.target, dataset: 'test', connectionsMax: 10, log })
  const ending = new AbortController()
  const committed: string[] = []
  const write = async (writer: number) => {
    for (let round = 0; !ending.signal.aborted; round++) {
      const note = `${writer}:${round}`
      await transact(store.sql, async (tx) => {
        await tx`insert into notes values (${note})`
        await copyLines(tx, 'notes', ['note'], [`${note}\n`, `${note}\n`])
        await pause(Math.random() * 6)
      }).then(
        () => committed.push(note),
        // The pool is replaced within milliseconds.
        () => pause(2),
      )
    }
  }
  const writing = Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer)))
  for (let killed = 0; killed < kills; await pause(15)) {
    const rows = await database.sql`
      select pg_terminate_backend(pid)
        from pg_stat_activity
       where datname = current_database() and state like 'idle in transaction%'
       order by random()
       limit 1`
    killed += rows.length
  }
  ending.abort()
  await writing
  await store.close()
  const kept = await database.sql<{ note: string; parts: bigint }[]>`
    select note, count(*) as parts from notes group by note`
  expect(kept.filter(({ parts }) => parts !== 3n)).toEqual([])
  const notes = new Set(kept.map(({ note }) => note))
  expect(committed.filter((note) => !notes.has(note))).toEqual([])
})
