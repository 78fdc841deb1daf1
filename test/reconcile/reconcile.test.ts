import { beforeAll, describe, expect, test } from 'vitest'
import { createPolygonHost } from '../../sim/polygon/host.js'
import { Faults } from '../../sim/server/faults.js'
import { openHost } from '../../sim/server/host.js'
import { Universe } from '../../sim/universe/universe.js'
import { counts } from '../counts.js'
import { Checker } from './checker.js'
import { corruptionsOf } from './corruptions.js'
import { EVENTS, type EventName, eventOf } from './events.js'
import type { RawLog } from './log.js'
import { readHistory } from './read-history.js'

/** As long as it takes until everything has happened once. */
const HISTORY_MS = counts({ short: 14, long: 24 }) * 3_600_000
/** The first exclusive event of the day gets its result about four hours later. */
const START_MS = Date.UTC(2026, 10, 14, 14)
const TIMEOUT_MS = 120_000

/** Too rare: combos are seldom sold, and few of their holders let others redeem. */
const RARE: readonly EventName[] = [
  'PositionManager TransferBatch',
  'Module PositionsMerged',
  'AutoRedeemer Redemption',
]
const USUAL = (Object.keys(EVENTS) as EventName[]).filter((name) => !RARE.includes(name))

/** Ways to do things that differ in more than their events. */
const WAYS = [
  'deposit',
  'withdrawal',
  'trade on the neg-risk exchange V1',
  'mint on exchange V1',
  'mint on the neg-risk exchange V1',
  ...['exchange V2', 'the neg-risk exchange V2'].flatMap((exchange) =>
    ['trade', 'mint', 'merge', 'mixed mint', 'mixed merge'].map((kind) => `${kind} on ${exchange}`),
  ),
  'mint on exchange V3',
  'conversion of one',
  'conversion of several',
  'conversion of all',
  ...['one', 'several', 'all'].flatMap((which) =>
    ['an adapter', 'the holder'].map((by) => `conversion of ${which} with a fee by ${by}`),
  ),
  'refund of a part',
  'gift',
  'gift of several',
  'redemption by the holder',
  'redemption through an adapter',
  'redemption by the neg-risk adapter',
  'redemption by the AutoRedeemer',
  'combo redemption through the router',
  'migration',
  'result 1,0',
  'result 0,1',
  'result 1,1',
]

const whole = new Checker()
/** The history as far as it takes to have one log of each event, and where that is. */
const history: RawLog[] = []
let places = new Map<EventName, number>()

beforeAll(async () => {
  const universe = new Universe({ seed: 7, startMs: START_MS })
  universe.advance(START_MS + HISTORY_MS)
  const faults = new Faults()
  const host = await openHost('polygon', faults, createPolygonHost(universe, faults))
  try {
    for await (const logs of readHistory(host.url, universe.chain.firstNumber)) {
      for (const log of logs) whole.read(log)
      if (USUAL.every((event) => places.has(event))) continue
      for (const log of logs) history.push(log)
      places = findPlaces(history)
    }
  } finally {
    await host.close()
  }
  whole.finish()
}, TIMEOUT_MS)

describe('the logs of half a day', () => {
  test('account for every share and every dollar', () => {
    expect(whole.violations.slice(0, 20)).toEqual([])
  })

  test('show everything that can happen', () => {
    expect([...whole.seen.keys()]).toEqual(expect.arrayContaining([...USUAL, ...WAYS]))
    expect(whole.seen.get('V2 OrderFilled')).toBeGreaterThan(5_000)
  })
})

describe('one spoilt log is noticed', () => {
  test('where there was nothing to notice', () => {
    expect(firstViolation(history)).toBeUndefined()
  })

  test.each(USUAL)(
    '%s',
    (event) => {
      const place = places.get(event) ?? Number.NaN
      const log = history[place]
      if (log === undefined) throw new Error('the history has none')
      const unnoticed = corruptionsOf(event).filter(({ spoil }) => {
        const spoilt = history.toSpliced(place, 1, ...spoil(log))
        return firstViolation(spoilt) === undefined
      })
      expect(unnoticed.map(({ name }) => name)).toEqual([])
    },
    TIMEOUT_MS,
  )
})

function firstViolation(logs: readonly RawLog[]): string | undefined {
  const checker = new Checker()
  for (const log of logs) {
    checker.read(log)
    if (checker.violations.length > 0) return checker.violations[0]
  }
  checker.finish()
  return checker.violations[0]
}

/** The first log of each event. Of the combos the first that is traded: the others cannot be missed. */
function findPlaces(logs: readonly RawLog[]): Map<EventName, number> {
  const found = new Map<EventName, number>()
  const combos = new Map<string | undefined, number>()
  for (const [place, log] of logs.entries()) {
    const event = eventOf(log)
    if (event === undefined || found.has(event)) continue
    if (event === 'Module CombinatorialConditionPrepared') {
      combos.set(log.topics[1], place)
      continue
    }
    found.set(event, place)
    const combo = event === 'Module PositionsSplit' ? combos.get(log.topics[2]) : undefined
    if (combo !== undefined) found.set('Module CombinatorialConditionPrepared', combo)
  }
  return found
}
