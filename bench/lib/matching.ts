import assert from 'node:assert'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Rounds } from './bench.js'
import { showBound, spread } from './compare.js'

// What the benches of indexes over filters share: the same work among many filters and among few.

export const MANY = 10_000
export const FEW = 1_000
/** Wallets or tokens that a filter names. */
export const ITEMS = 100
/** The work is the same; what is left is that a tenth of the keys is nearer to the processor. */
export const MATCHING_RATIO_MIN = 0.25
const ROUNDS = 15
const WARM_UP_ROUNDS = 3
const EVENTS = 5_000

/** This many wallets and tokens for each filter: how many filters name one stays the same. */
const WALLETS_PER_FILTER = 20
const TOKENS_PER_FILTER = 10

/** The keys that filters and events name: those of this many filters, or of a part of them. */
export type Keys = { filters: number; spreadOver: number }

type Matching<Event> = {
  createIndex: (keys: Keys) => { match: (event: Event) => readonly unknown[] }
  createEvent: (keys: Keys) => Event
  eventUsMax: number
  /** A figure about the memory of the index with many filters. */
  showMemory: (indexBytes: number) => Record<string, string>
}

type Round = { eventUs: number; matches: number }

export function measureMatching<Event>(
  { createIndex, createEvent, eventUsMax, showMemory }: Matching<Event>,
  onRound: (text: string) => void,
): Rounds {
  const createCrowd = (filters: number, spreadOver: number) => {
    const keys = { filters, spreadOver }
    const index = createIndex(keys)
    return (): Round => {
      const events = Array.from({ length: EVENTS }, () => createEvent(keys))
      let found = 0
      // Time of the processor: on a shared machine the clock shows what others do.
      const before = process.cpuUsage()
      for (const event of events) found += index.match(event).length
      const { user, system } = process.cpuUsage(before)
      assert(found > 0, 'events match')
      return { eventUs: (user + system) / EVENTS, matches: found / EVENTS }
    }
  }
  const measureFew = createCrowd(FEW, 1)
  const bytesBefore = usedBytes()
  const measureMany = createCrowd(MANY, 1)
  const indexBytes = usedBytes() - bytesBefore
  // The same filters on a tenth of the keys: ten times as many matches.
  const measureDense = createCrowd(MANY, 0.1)
  const taken = { few: [] as Round[], many: [] as Round[], dense: [] as Round[] }
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round++) {
    onRound(round < 1 ? 'warming up' : `round ${round} of ${ROUNDS}`)
    const measured = { few: measureFew(), many: measureMany(), dense: measureDense() }
    if (round < 1) continue
    taken.few.push(measured.few)
    taken.many.push(measured.many)
    taken.dense.push(measured.dense)
  }
  const speeds = (rounds: Round[]) => rounds.map(({ eventUs }) => 1e6 / eventUs)
  const us = (rounds: Round[]) => spread(rounds.map(({ eventUs }) => eventUs)).median
  const matches = (rounds: Round[]) => spread(rounds.map((round) => round.matches)).median
  return {
    ours: speeds(taken.many),
    yardstick: speeds(taken.few),
    figures: {
      'an event takes': showBound(us(taken.many), eventUsMax, ' µs'),
      'matches of an event': `${matches(taken.many).toFixed(1)}, and ${matches(taken.few).toFixed(1)} of the few`,
      'with ten times as many matches': `${us(taken.dense).toFixed(1)} µs for ${matches(taken.dense).toFixed(0)}`,
      ...showMemory(indexBytes),
    },
  }
}

export function randomWallet({ filters, spreadOver }: Keys): string {
  const number = Math.floor(Math.random() * filters * WALLETS_PER_FILTER * spreadOver)
  return `0x${number.toString(16).padStart(8, '0').repeat(5)}`
}

export function randomToken({ filters, spreadOver }: Keys): string {
  const number = Math.floor(Math.random() * filters * TOKENS_PER_FILTER * spreadOver)
  return `${1e9 + number}`.repeat(7)
}

/** A copy that shares no strings with the original, like the parsed JSON of each filter and event. */
export const cloneJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
