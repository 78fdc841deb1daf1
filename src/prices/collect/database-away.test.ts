import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { createPool, type Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { insertTicks } from '../archive/queries.js'
import { streamId } from '../streams.js'
import { readPrices, startCollector } from './test-collect.js'
import { openRtds, rtdsFrame, rtdsTick } from './test-peers.js'
import { TickBuffer } from './tick-buffer.js'

const NOW_SEC = Date.UTC(2026, 10, 15, 12) / 1_000
const TICKS_MAX = 200_000
const STREAM = streamId({ symbol: 'BTC', kind: 'spot', source: 'platform_oracle' })
const KNOWN = {
  stream: streamId({ symbol: 'BTC', kind: 'twap60', source: 'platform_oracle' }),
  sec: NOW_SEC,
  price: 100,
  bid: null,
  ask: null,
}

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.sql`truncate live_ticks, tick_gaps`)

/** The database as long as it is there: queries in between fail. */
function openStore() {
  const noDatabase = createPool({ socketDir: '/nowhere', database: 'none' }, 1)
  onTestFinished(() => noDatabase.end({ timeout: 0 }))
  let sql: Pool = database.sql
  return {
    get sql() {
      return sql
    },
    leave: () => {
      sql = noDatabase
    },
    comeBack: () => {
      sql = database.sql
    },
  }
}

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 10 })

describe('while the database is away', () => {
  async function open() {
    await insertTicks(database.sql, [KNOWN])
    const store = openStore()
    const rtds = await openRtds()
    const clock = new ManualClock(NOW_SEC * 1_000)
    const collecting = startCollector(store, clock, (shared) => [rtds.connect(shared)])
    await collecting.untilCount(1, 'auspex_upstream_socket_connected', { upstream: 'rtds' })
    store.leave()
    const say = (...frames: string[]) => rtds.say(collecting, ...frames)
    return { store, rtds, collecting, say }
  }

  test('ticks and gaps wait, prices are published, and all is written when it is back', async () => {
    const { store, rtds, collecting, say } = await open()
    await say(rtdsTick(NOW_SEC - 9, 100), rtdsTick(NOW_SEC - 8, 100))
    await rtds.hangUp()
    await say(rtdsTick(NOW_SEC - 1, 100))
    expect(await collecting.count('auspex_ticks_pending')).toBe(3)
    expect(collecting.events).toHaveLength(3)

    store.comeBack()
    await eventually(async () => expect(await collecting.count('auspex_ticks_pending')).toBe(0))
    expect(await readPrices(database.sql)).toEqual([9, 8, 1].map((age) => [NOW_SEC - age, 100]))
    expect(await database.sql`select upstream, from_sec, to_sec, reason from tick_gaps`).toEqual([
      { upstream: 'rtds', fromSec: NOW_SEC - 8, toSec: NOW_SEC, reason: 'lost' },
    ])
  })

  test('as many as there is room for wait, and those that are lost are counted', async () => {
    const { collecting, say } = await open()
    const FRAMES = 10
    const points = TICKS_MAX / FRAMES
    const firstMs = NOW_SEC * 1_000 - TICKS_MAX
    const frameOf = (index: number, count: number) =>
      rtdsFrame({
        data: Array.from({ length: count }, (_, point) => ({
          timestamp: firstMs + index * points + point,
          value: 100,
        })),
      })
    for (let index = 0; index < FRAMES; index++) await say(frameOf(index, points))
    expect(await collecting.count('auspex_ticks_pending')).toBe(TICKS_MAX)
    expect(await collecting.count('auspex_ticks_refused_total')).toBe(0)
    await say(frameOf(FRAMES, 5))
    expect(await collecting.count('auspex_ticks_pending')).toBe(TICKS_MAX)
    const lost = { source: 'rtds', reason: 'overflow' }
    expect(await collecting.count('auspex_ticks_refused_total', lost)).toBe(5)
  })
})

describe('what waits', () => {
  const tick = (sec: number) => ({ ...KNOWN, stream: STREAM, sec })
  const gap = { upstream: 'rtds', stream: STREAM, fromSec: 1, toSec: 9, reason: 'lost' }

  test('and fails is written again with what has come meanwhile, each once', async () => {
    const store = openStore()
    const buffer = new TickBuffer(store)
    store.leave()
    buffer.add(tick(1))
    await expect(buffer.flush()).rejects.toThrow()
    expect(buffer.size).toBe(1)
    buffer.addGap(gap)
    await expect(buffer.flush()).rejects.toThrow()
    buffer.add(tick(2))
    store.comeBack()
    await buffer.flush()
    await buffer.flush()
    expect(buffer.size).toBe(0)
    expect(await readPrices(database.sql)).toEqual([
      [1, 100],
      [2, 100],
    ])
    expect(await database.sql`select count(*)::int from tick_gaps`).toEqual([{ count: 1 }])
  })

  test('a gap is on record before the ticks after it: a process that dies in between finds it again', async () => {
    const buffer = new TickBuffer(database)
    buffer.add(tick(9))
    buffer.addGap(gap)
    const { flushed } = await transact(database.sql, async (tx) => {
      await tx`lock table live_ticks in access exclusive mode`
      const flushed = buffer.flush()
      await eventually(async () =>
        expect(await database.sql`select from_sec from tick_gaps`).toEqual([{ fromSec: 1 }]),
      )
      return { flushed }
    })
    await flushed
    expect(await readPrices(database.sql)).toEqual([[9, 100]])
  })

  test('a flush ends while ticks go on coming, and leaves those to the next one', async () => {
    const buffer = new TickBuffer(database)
    buffer.add(tick(1))
    await transact(database.sql, async (tx) => {
      await tx`lock table live_ticks in access exclusive mode`
      const flushed = buffer.flush()
      buffer.add(tick(2))
      return { flushed }
    }).then(({ flushed }) => flushed)
    expect(buffer.size).toBe(1)
    await buffer.flush()
    expect(buffer.size).toBe(0)
  })
})
