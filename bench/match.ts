import assert from 'node:assert'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { NO_KEYS } from '../src/bus/event.js'
import type { EventFilter, FilteredEvent } from '../src/stream/subscriptions/event-filter.js'
import { SubscriptionIndex } from '../src/stream/subscriptions/subscription-index.js'
import type { Bench, Rounds } from './lib/bench.js'
import { showBound, spread } from './lib/compare.js'

const MANY = 10_000
const FEW = 1_000
const ITEMS = 100
const ROUNDS = 15
const WARM_UP_ROUNDS = 3
const EVENTS = 5_000
const EVENT_US_MAX = 20

/** So many wallets and tokens for each subscription: how many filters name one stays the same. */
const WALLETS_PER_SUBSCRIPTION = 20
const TOKENS_PER_SUBSCRIPTION = 10

const TYPES = new Set(['settlement', 'trade', 'status_update'])

/** Half of the subscriptions are of wallets, half of tokens. */
type Crowd = { index: SubscriptionIndex<object>; subscriptions: number; spreadOver: number }

export const match: Bench = {
  name: 'match',
  promise: `receivers of an event among ${MANY.toLocaleString('en-US')} subscriptions of ${ITEMS} items each against among ${FEW.toLocaleString('en-US')}, with as many matches`,
  // The work is the same; what is left is that a tenth of the keys is nearer to the processor.
  ratioMin: 0.25,
  unit: 'events/s',
  async prepare() {
    return { run: async (onRound) => measureRounds(onRound), close: async () => undefined }
  },
}

function measureRounds(onRound: (text: string) => void): Rounds {
  const few = createCrowd(FEW, 1)
  const bytesBefore = usedBytes()
  const many = createCrowd(MANY, 1)
  const itemBytes = (usedBytes() - bytesBefore) / (MANY * ITEMS)
  // The same subscriptions on a tenth of the keys: ten times as many matches.
  const dense = createCrowd(MANY, 0.1)
  const taken = { few: [] as Round[], many: [] as Round[], dense: [] as Round[] }
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round++) {
    onRound(round < 1 ? 'warming up' : `round ${round} of ${ROUNDS}`)
    const measured = { few: measure(few), many: measure(many), dense: measure(dense) }
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
      'an event takes': showBound(us(taken.many), EVENT_US_MAX, ' µs'),
      'matches of an event': `${matches(taken.many).toFixed(1)}, and ${matches(taken.few).toFixed(1)} of the few`,
      'with ten times as many matches': `${us(taken.dense).toFixed(1)} µs for ${matches(taken.dense).toFixed(0)}`,
      'memory of a filter item': `${Math.round(itemBytes)} bytes`,
    },
  }
}

type Round = { eventUs: number; matches: number }

function measure(crowd: Crowd): Round {
  const events = createEvents(crowd)
  let found = 0
  // Time of the processor: on a shared machine the clock shows what others do.
  const before = process.cpuUsage()
  for (const event of events) found += crowd.index.match(event).length
  const { user, system } = process.cpuUsage(before)
  assert(found > 0, 'events find receivers')
  return { eventUs: (user + system) / EVENTS, matches: found / EVENTS }
}

const walletOf = (number: number): string =>
  `0x${Math.floor(number).toString(16).padStart(8, '0').repeat(5)}`
const tokenOf = (number: number): string => `${1e9 + Math.floor(number)}`.repeat(7)

function createCrowd(subscriptions: number, spreadOver: number): Crowd {
  const crowd: Crowd = { index: new SubscriptionIndex(), subscriptions, spreadOver }
  for (let number = 0; number < subscriptions; number++) {
    crowd.index.add({}, createFilter(crowd, number % 2 === 0))
  }
  return crowd
}

function createFilter(crowd: Crowd, isOfWallets: boolean): EventFilter {
  const items = Array.from({ length: ITEMS }, () =>
    isOfWallets ? randomWallet(crowd) : randomToken(crowd),
  )
  const texts = new Set(anew(items))
  return isOfWallets
    ? { types: TYPES, wallets: texts, scopes: [] }
    : { types: TYPES, scopes: [{ tokens: texts }] }
}

/** A match of a taker and two makers in both tokens of a market. */
function createEvents(crowd: Crowd): FilteredEvent[] {
  const events = Array.from({ length: EVENTS }, () => ({
    type: 'settlement',
    keys: {
      ...NO_KEYS,
      wallets: Array.from({ length: 3 }, () => randomWallet(crowd)),
      tokens: Array.from({ length: 2 }, () => randomToken(crowd)),
    },
  }))
  return anew(events)
}

const randomWallet = ({ subscriptions, spreadOver }: Crowd): string =>
  walletOf(Math.random() * subscriptions * WALLETS_PER_SUBSCRIPTION * spreadOver)

const randomToken = ({ subscriptions, spreadOver }: Crowd): string =>
  tokenOf(Math.random() * subscriptions * TOKENS_PER_SUBSCRIPTION * spreadOver)

/** With texts of their own, as every message and every event has them. */
const anew = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
