import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { until } from '../../../test/until.js'
import { OperatorError } from '../../core/errors.js'
import { createLog } from '../../lib/log.js'
import { withLease } from './lease.js'

const POLL_MS = 5

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
})
afterAll(() => database.drop())

type Work = (signal: AbortSignal) => Promise<void>

const untilAborted: Work = (signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** A contender for the lease. Counts how often it got it, and is stopped when the test ends. */
function want(work: Work = untilAborted) {
  const controller = new AbortController()
  const holder = { times: 0, isHolding: false, standbys: 0 }
  const options = {
    target: database.target,
    log: pino({ level: 'silent' }),
    pollMs: POLL_MS,
    onStandby: () => {
      holder.standbys += 1
    },
  }
  const ended = withLease(
    options,
    async (signal) => {
      holder.times += 1
      holder.isHolding = true
      try {
        await work(signal)
      } finally {
        holder.isHolding = false
      }
    },
    controller.signal,
  )
  ended.catch(() => undefined)
  const leave = () => {
    controller.abort()
    return ended
  }
  onTestFinished(() => leave().catch(() => undefined))
  return Object.assign(holder, { ended, leave })
}

/** What the server does when a process ends, however it ends. */
const endHolderConnection = () => database.sql`
  select pg_terminate_backend(pid)
    from pg_locks
   where locktype = 'advisory'
     and granted
     and database = (select oid from pg_database where datname = current_database())`

describe('the lease', () => {
  test('is held by one process, and by the next one when the first ends', async () => {
    const first = want()
    await until(() => first.isHolding)
    const second = want()
    await until(() => second.standbys >= 3)
    expect(second.times).toBe(0)
    await first.leave()
    await until(() => second.isHolding)
  })

  test('passes on when the connection of its holder is cut, and the holder stops its work', async () => {
    const holders = [want(), want(), want()]
    const holding = () => holders.filter(({ isHolding }) => isHolding)
    for (let cuts = 1; cuts <= 5; cuts++) {
      await until(() => holding().length === 1)
      const [holder] = holding()
      const times = holder?.times
      await endHolderConnection()
      await until(() => holder?.isHolding === false || holder?.times !== times)
    }
    await until(() => holding().length === 1)
    expect(holders.reduce((sum, { times }) => sum + times, 0)).toBe(6)
  })

  test('is given up when the work fails, and tried for again', async () => {
    let failures = 0
    const failing = want(async () => {
      failures += 1
      if (failures < 3) throw new Error('not yet')
    })
    await failing.ended
    expect(failures).toBe(3)
    await until(() => !failing.isHolding)
    const next = want()
    await until(() => next.isHolding)
  })

  test('ends with an error that only the operator can fix', async () => {
    const broken = want(() => Promise.reject(new OperatorError('wrong settings')))
    await expect(broken.ended).rejects.toThrow('wrong settings')
  })

  test('is tried for again when the database is away', async () => {
    const controller = new AbortController()
    const lines: string[] = []
    const log = createLog('debug', { write: (text) => lines.push(text) })
    const target = { socketDir: '/nowhere', database: 'none' }
    const ended = withLease({ target, log, pollMs: POLL_MS }, untilAborted, controller.signal)
    await until(() => lines.length >= 2)
    controller.abort()
    await ended
    expect(lines[0]).toContain('ENOENT')
  })
})
