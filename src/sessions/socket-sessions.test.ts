import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { DEFAULT_PLANS, type PlanId } from '../accounts/plans.js'
import { insertAccount } from '../accounts/queries.js'
import { createPool } from '../store/connection.js'
import { SocketSessions, SocketTime } from './socket-sessions.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const NOON_MS = Date.UTC(2026, 10, 15, 12)

async function openAccount(plan: PlanId) {
  const accountId = await insertAccount(database.sql, { name: 'a', plan, nowMs: NOON_MS })
  return { keyId: 1, accountId, plan: DEFAULT_PLANS[plan] }
}

/** What stands for a process: with connections of its own, which end with it. */
function startProcess(clock = new ManualClock(NOON_MS)) {
  const sql = createPool(database.target, 2)
  const control = createPool(database.target, 1)
  const sessions = new SocketSessions({ sql, control }, clock)
  const kill = async () => {
    await sql.end({ timeout: 0 })
    await control.end({ timeout: 0 })
  }
  return { sessions, clock, kill }
}

async function take(sessions: SocketSessions, caller: Awaited<ReturnType<typeof openAccount>>) {
  const verdict = await sessions.open(caller, 'events')
  if ('refusal' in verdict) throw new Error(verdict.refusal)
  return verdict.session
}

describe('SocketSessions', () => {
  test('two processes share the slots of an account, whichever opens a socket first', async () => {
    const [one, two] = [startProcess(), startProcess()]
    const caller = await openAccount('starter')
    const asked = Array.from({ length: 30 }, (_, index) =>
      (index % 2 === 0 ? one : two).sessions.open(caller, 'events'),
    )
    const verdicts = await Promise.all(asked)
    const opened = verdicts.flatMap((each) => ('session' in each ? [each.session] : []))
    expect(opened).toHaveLength(10)
    expect(verdicts.filter((each) => 'refusal' in each)).toHaveLength(20)

    for (const session of opened) session.close()
    await Promise.all([one.sessions.beat(), two.sessions.beat()])
    await take(one.sessions, caller)
    await Promise.all([one.kill(), two.kill()])
  })

  test('the slots of a process that was killed are free at once, also without a stop', async () => {
    const dead = startProcess()
    const caller = await openAccount('free')
    await take(dead.sessions, caller)
    const next = startProcess()
    expect(await next.sessions.open(caller, 'events')).toEqual({ refusal: 'connection_limit' })
    await dead.kill()
    // The database notices the end of a connection some milliseconds later.
    await expect.poll(async () => 'session' in (await next.sessions.open(caller, 'events'))).toBe(true)
    await next.kill()
  })

  test('the slots of a process that is cut off are free when its lease ends', async () => {
    const cutOff = startProcess()
    const caller = await openAccount('free')
    await take(cutOff.sessions, caller)
    await database.sql`update socket_holders set expires_at = now() - interval '1 second'`
    const next = startProcess()
    await take(next.sessions, caller)
    await Promise.all([cutOff.kill(), next.kill()])
  })

  test('a process that leaves gives back everything first', async () => {
    const [one, two] = [startProcess(), startProcess()]
    const caller = await openAccount('free')
    const session = await take(one.sessions, caller)
    await one.sessions.leave()
    await take(two.sessions, caller)
    session.close()
    expect(await two.sessions.open(caller, 'events')).toEqual({ refusal: 'connection_limit' })
    await Promise.all([one.kill(), two.kill()])
  })

  test('a process that leaves grants no slot any more', async () => {
    const [one, two] = [startProcess(), startProcess()]
    const caller = await openAccount('free')
    await take(one.sessions, caller)
    const before = one.sessions.open(caller, 'events')
    const left = one.sessions.leave()
    const after = one.sessions.open(caller, 'firehose')
    await expect(after).rejects.toMatchObject({ status: 503 })
    expect(await before).toEqual({ refusal: 'connection_limit' })
    await left
    await take(two.sessions, caller)
    await Promise.all([one.kill(), two.kill()])
  })

  test('a process whose row is gone writes its counts again', async () => {
    const [one, two] = [startProcess(), startProcess()]
    const caller = await openAccount('free')
    await take(one.sessions, caller)
    await database.sql`delete from socket_holders`
    await one.sessions.beat()
    expect(await two.sessions.open(caller, 'events')).toEqual({ refusal: 'connection_limit' })
    await database.sql`delete from socket_holders`
    const other = await openAccount('free')
    await take(one.sessions, other)
    for (const each of [caller, other]) {
      expect(await two.sessions.open(each, 'events')).toEqual({ refusal: 'connection_limit' })
    }
    await Promise.all([one.kill(), two.kill()])
  })

  test('plans without a limit have none', async () => {
    const one = startProcess()
    const caller = await openAccount('enterprise')
    const verdicts = await Promise.all(
      Array.from({ length: 2_500 }, () => one.sessions.open(caller, 'events')),
    )
    expect(verdicts.every((each) => 'session' in each)).toBe(true)
    await one.kill()
  })

  test('an opening fails when the database does not answer', async () => {
    const one = startProcess()
    const caller = await openAccount('starter')
    await one.kill()
    await expect(one.sessions.open(caller, 'events')).rejects.toThrow()
  })

  test('the time of a day is added up over connections and processes', async () => {
    const [one, two] = [startProcess(), startProcess()]
    const caller = await openAccount('free')
    const first = await take(one.sessions, caller)
    expect(first.leftMs?.(NOON_MS)).toBe(3_600_000)
    one.clock.advance(1_000_000)
    two.clock.advance(1_000_000)
    await one.sessions.beat()
    one.clock.advance(100_000)
    two.clock.advance(100_000)
    expect(first.leftMs?.(one.clock.now())).toBe(2_500_000)
    first.close()
    await one.sessions.beat()

    const second = await take(two.sessions, caller)
    expect(second.leftMs?.(two.clock.now())).toBe(2_500_000)
    two.clock.advance(2_500_000)
    expect(second.leftMs?.(two.clock.now())).toBe(0)
    second.close()
    await two.sessions.beat()
    expect(await one.sessions.open(caller, 'events')).toEqual({ refusal: 'session_limit' })
    one.clock.set(Date.UTC(2026, 10, 16))
    await take(one.sessions, caller)
    await Promise.all([one.kill(), two.kill()])
  })
})

test('SocketTime books what passes to the UTC day in which it passed', () => {
  const midnightMs = Date.UTC(2026, 10, 16)
  const time = new SocketTime({
    accountId: 1,
    kind: 'events',
    allowedMs: 1_000,
    usedMs: 400,
    nowMs: midnightMs - 100,
  })
  expect(time.leftMs(midnightMs - 50)).toBe(550)
  expect(time.leftMs(midnightMs + 10)).toBe(990)
  expect(time.take(midnightMs + 30)).toEqual([
    { accountId: 1, kind: 'events', day: '2026-11-15', ms: 100 },
    { accountId: 1, kind: 'events', day: '2026-11-16', ms: 30 },
  ])
  expect(time.leftMs(midnightMs + 50)).toBe(950)
})
