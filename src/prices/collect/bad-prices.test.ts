import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { randomFrom } from '../../../test/random.js'
import { insertTicks } from '../archive/queries.js'
import { streamId, TICK_SOURCES, type TickSource } from '../streams.js'
import { type Collecting, readPrices, startCollector } from './test-collect.js'
import { openRtds, rtdsFrame, rtdsTick } from './test-peers.js'

const NOW_SEC = Date.UTC(2026, 10, 15, 12) / 1_000
const HOUR_SEC = 3_600
const KNOWN = {
  stream: streamId({ symbol: 'BTC', kind: 'twap60', source: 'platform_oracle' }),
  sec: NOW_SEC - 1,
  price: 100,
  bid: null,
  ask: null,
}
/** Frames in a row that cannot be read after which the connection is given up. */
const GARBAGE_MAX = 20

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.sql`truncate live_ticks, tick_gaps`
})

const clock = new ManualClock(NOW_SEC * 1_000)
type Rtds = Awaited<ReturnType<typeof openRtds>>
const collectFrom = (rtds: Rtds) => startCollector(database, clock, (shared) => [rtds.connect(shared)])

const good = (sec: number) => rtdsTick(sec, 100)
const withValue = (value: unknown) => rtdsTick(NOW_SEC - 5, value)
const withTimestamp = (timestamp: unknown) => rtdsFrame({ timestamp, value: 100 })
/** What JSON.stringify does not write. */
const withRaw = (value: string) => withValue('raw').replace('"raw"', value)

/** What was refused, by whom and why. */
async function refusals(collecting: Collecting) {
  const reasons = ['jump', 'late', 'unproven', 'overflow'] as const
  const counted = reasons.map(async (reason) => {
    const of = { source: 'rtds', reason }
    return [reason, await collecting.count('auspex_ticks_refused_total', of)] as const
  })
  const read = { upstream: 'rtds', result: 'garbage' }
  const garbage = await collecting.count('auspex_upstream_frames_total', read)
  const all = [...(await Promise.all(counted)), ['garbage', garbage] as const]
  return Object.fromEntries(all.filter(([, times]) => times > 0))
}

const BELIED: [string, string, string][] = [
  ['a thousand times the price', withValue(100_000), 'jump'],
  ['a thousandth of the price', withValue(0.1), 'jump'],
  ['the timestamp of an hour ago', withTimestamp((NOW_SEC - HOUR_SEC) * 1_000), 'late'],
  ['more than there is', rtdsFrame({ timestamp: NOW_SEC * 1_000, value: '9'.repeat(40) }), 'jump'],
]
const UNREADABLE: [string, string, string][] = [
  ['NaN', withRaw('NaN'), 'garbage'],
  ['NaN as a text', withValue('NaN'), 'garbage'],
  ['null', withValue(null), 'garbage'],
  ['nothing', withValue(undefined), 'garbage'],
  ['a text', withValue('a hundred'), 'garbage'],
  ['no text', withValue(''), 'garbage'],
  ['a hexadecimal number', withValue('0x64'), 'garbage'],
  ['true', withValue(true), 'garbage'],
  ['a list', withValue([100]), 'garbage'],
  ['less than nothing', withValue(-100), 'garbage'],
  ['zero', withValue(0), 'garbage'],
  ['1e400', withRaw('1e400'), 'garbage'],
  ['1e400 as a text', withValue('1e400'), 'garbage'],
  ['seconds for milliseconds', withTimestamp(NOW_SEC), 'garbage'],
  ['a timestamp of next week', withTimestamp((NOW_SEC + 7 * 24 * HOUR_SEC) * 1_000), 'garbage'],
  ['no timestamp', withTimestamp(null), 'garbage'],
  ['half a frame', good(NOW_SEC).slice(0, 60), 'garbage'],
]
const BAD = [...BELIED, ...UNREADABLE]

describe('a source that says', () => {
  beforeEach(() => insertTicks(database.sql, [KNOWN]))

  test.each(BAD)('%s: is not believed, but before and after', async (_what, frame, reason) => {
    const rtds = await openRtds()
    const collecting = collectFrom(rtds)
    await rtds.say(collecting, good(NOW_SEC - 6), frame, good(NOW_SEC - 4))
    expect(await refusals(collecting)).toEqual({ [reason]: 1 })
    await collecting.stop()
    expect(await readPrices(database.sql)).toEqual([
      [NOW_SEC - 6, 100],
      [NOW_SEC - 4, 100],
    ])
  })

  test('all of it at once, in any order: only what is good is kept', async () => {
    const rtds = await openRtds()
    const collecting = collectFrom(rtds)
    const below = randomFrom(5)
    const secs = Array.from({ length: 200 }, (_, index) => NOW_SEC - 250 + index)
    const frames = secs.flatMap((sec) => [
      ...Array.from({ length: below(4) }, () => BAD[below(BAD.length)]?.[1] ?? ''),
      good(sec),
    ])
    await rtds.say(collecting, ...frames)
    await collecting.stop()
    expect(await readPrices(database.sql)).toEqual(secs.map((sec) => [sec, 100]))
  })

  test('nothing that can be read: is requested again, and the gap is recorded', async () => {
    const rtds = await openRtds()
    const collecting = collectFrom(rtds)
    await rtds.say(collecting, good(NOW_SEC - 6))
    await rtds.say(collecting, ...Array.from({ length: GARBAGE_MAX }, () => withValue('NaN')))
    const again = { upstream: 'rtds', reason: 'garbage' }
    await collecting.untilCount(1, 'auspex_upstream_socket_reconnects_total', again)
    await rtds.say(collecting, good(NOW_SEC - 1))
    await collecting.stop()
    expect(await readPrices(database.sql)).toEqual([
      [NOW_SEC - 6, 100],
      [NOW_SEC - 1, 100],
    ])
    const gaps = await database.sql`select upstream, stream, from_sec, to_sec, reason from tick_gaps`
    expect(gaps).toEqual([
      { upstream: 'rtds', stream: null, fromSec: NOW_SEC - 6, toSec: NOW_SEC, reason: 'garbage' },
    ])
  })
})

describe('at the first start, when nothing is known', () => {
  test('one wrong price among the first three changes nothing, and none of them is kept', async () => {
    const rtds = await openRtds()
    const collecting = collectFrom(rtds)
    const wrong = (sec: number) => rtdsTick(sec, 100_000)
    await rtds.say(collecting, wrong(NOW_SEC - 9), good(NOW_SEC - 8), good(NOW_SEC - 7))
    await rtds.say(collecting, good(NOW_SEC - 6), wrong(NOW_SEC - 5), good(NOW_SEC - 4))
    expect(await refusals(collecting)).toEqual({ unproven: 3, jump: 1 })
    await collecting.stop()
    expect(await readPrices(database.sql)).toEqual([
      [NOW_SEC - 6, 100],
      [NOW_SEC - 4, 100],
    ])
  })

  test.each(UNREADABLE)('%s has no vote', async (_what, frame) => {
    const rtds = await openRtds()
    const collecting = collectFrom(rtds)
    await rtds.say(collecting, frame, frame, frame, good(NOW_SEC - 9), good(NOW_SEC - 8))
    await rtds.say(collecting, good(NOW_SEC - 7), good(NOW_SEC - 6))
    await collecting.stop()
    expect(await readPrices(database.sql)).toEqual([[NOW_SEC - 6, 100]])
  })
})

describe('after a restart prices are measured by the archive', () => {
  const remember = (source: TickSource, ageSec: number, price: number) => {
    const stream = streamId({ symbol: 'BTC', kind: 'twap30', source })
    return insertTicks(database.sql, [{ ...KNOWN, stream, sec: NOW_SEC - ageSec, price }])
  }
  /** Which of two prices is accepted. */
  const acceptedOf = async (first: number, second: number) => {
    const rtds = await openRtds()
    const collecting = collectFrom(rtds)
    await rtds.say(collecting, rtdsTick(NOW_SEC - 3, first), rtdsTick(NOW_SEC - 2, second))
    expect(await refusals(collecting)).toEqual({ jump: 1 })
    await collecting.stop()
    return await readPrices(database.sql)
  }

  test.each([
    ['of a minute ago', 60],
    ['of days ago', 5 * 24 * HOUR_SEC],
  ])('by a price %s', async (_what, ageSec) => {
    await remember('platform_oracle', ageSec, 100)
    expect(await acceptedOf(100_000, 100)).toEqual([[NOW_SEC - 2, 100]])
  })

  test.each<TickSource>(['platform_oracle', 'oracle_data_streams'])(
    'by the newest one, if that is of %s',
    async (newest) => {
      for (const source of TICK_SOURCES) {
        if (source === newest) await remember(source, 30, 100)
        else await remember(source, 5 * 24 * HOUR_SEC, 300)
      }
      expect(await acceptedOf(250, 100)).toEqual([[NOW_SEC - 2, 100]])
    },
  )
})
