import { NO_KEYS } from '../src/bus/event.js'
import type { EventFilter, FilteredEvent } from '../src/stream/subscriptions/event-filter.js'
import { SubscriptionIndex } from '../src/stream/subscriptions/subscription-index.js'
import type { Bench } from './lib/bench.js'
import {
  cloneJson,
  FEW,
  ITEMS,
  type Keys,
  MANY,
  MATCHING_RATIO_MIN,
  measureMatching,
  randomToken,
  randomWallet,
} from './lib/matching.js'

const EVENT_US_MAX = 20
const TYPES = new Set(['settlement', 'trade', 'status_update'])

export const match: Bench = {
  name: 'match',
  promise: `receivers of an event among ${MANY.toLocaleString('en-US')} subscriptions of ${ITEMS} items each against among ${FEW.toLocaleString('en-US')}, with as many matches`,
  ratioMin: MATCHING_RATIO_MIN,
  unit: 'events/s',
  async prepare() {
    const matching = {
      createIndex,
      createEvent,
      eventUsMax: EVENT_US_MAX,
      showMemory: (bytes: number) => ({
        'memory of a filter item': `${Math.round(bytes / (MANY * ITEMS))} bytes`,
      }),
    }
    return {
      run: async (onRound) => measureMatching(matching, onRound),
      close: async () => undefined,
    }
  },
}

/** Half of the subscriptions are of wallets, half of tokens. */
function createIndex(keys: Keys): SubscriptionIndex<object> {
  const index = new SubscriptionIndex<object>()
  for (let number = 0; number < keys.filters; number++) {
    index.add({}, createFilter(keys, number % 2 === 0))
  }
  return index
}

function createFilter(keys: Keys, isOfWallets: boolean): EventFilter {
  const items = Array.from({ length: ITEMS }, () => (isOfWallets ? randomWallet(keys) : randomToken(keys)))
  const texts = new Set(cloneJson(items))
  return isOfWallets
    ? { types: TYPES, wallets: texts, scopes: [] }
    : { types: TYPES, scopes: [{ tokens: texts }] }
}

/** A match of a taker and two makers in both tokens of a market. */
const createEvent = (keys: Keys): FilteredEvent =>
  cloneJson({
    type: 'settlement',
    keys: {
      ...NO_KEYS,
      wallets: Array.from({ length: 3 }, () => randomWallet(keys)),
      tokens: Array.from({ length: 2 }, () => randomToken(keys)),
    },
  })
