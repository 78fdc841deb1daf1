import type { WebhookEventType } from '../src/webhooks/event-types.js'
import type { WebhookFilters } from '../src/webhooks/filters.js'
import type { Occurrence } from '../src/webhooks/match/detector.js'
import { WebhookIndex } from '../src/webhooks/match/webhook-index.js'
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

const EVENT_US_MAX = 30

/** One webhook in ten has a threshold and no keys; most fills do not reach it. */
const USD_MAX = 100

type Want = { eventTypes: WebhookEventType[]; filters: WebhookFilters }

export const webhookMatch: Bench = {
  name: 'webhook-match',
  promise: `webhooks of an event among ${MANY.toLocaleString('en-US')} of ${ITEMS} filter items each against among ${FEW.toLocaleString('en-US')}, with as many matches`,
  ratioMin: MATCHING_RATIO_MIN,
  unit: 'events/s',
  async prepare() {
    const matching = {
      createIndex,
      createEvent,
      eventUsMax: EVENT_US_MAX,
      showMemory: (bytes: number) => ({
        'memory of the index': `${Math.round(bytes / 2 ** 20)} MiB`,
      }),
    }
    return {
      run: async (onRound) => measureMatching(matching, onRound),
      close: async () => undefined,
    }
  },
}

function createIndex(keys: Keys): WebhookIndex {
  const index = new WebhookIndex()
  for (let id = 0; id < keys.filters; id++) {
    index.set({
      id,
      publicId: `wh_${id}`,
      accountId: id,
      fromSeq: 0,
      activeSinceMs: 0,
      ...cloneJson(createWant(keys, id)),
    })
  }
  return index
}

/** Nine in ten name wallets or tokens. The thresholds of the others are as many as the crowd is large. */
function createWant(keys: Keys, id: number): Want {
  const items = (random: (keys: Keys) => string) => Array.from({ length: ITEMS }, () => random(keys))
  if (id % 10 === 0) {
    const amount = USD_MAX + Math.random() * USD_MAX * keys.filters
    return { eventTypes: ['large_trade', 'trade'], filters: { min_amount_usd: amount } }
  }
  if (id % 2 === 0) {
    const filters = { wallet_addresses: items(randomWallet), min_amount_usd: 1 }
    return { eventTypes: ['trade', 'redemption', 'wallet_activity'], filters }
  }
  return { eventTypes: ['trade', 'price_change'], filters: { token_ids: items(randomToken) } }
}

const createEvent = (keys: Keys): Pick<Occurrence, 'type' | 'keys'> => ({
  type: 'trade',
  keys: {
    ...cloneJson({
      wallets: [randomWallet(keys), randomWallet(keys)],
      tokenId: randomToken(keys),
      conditionIds: [`0x${randomWallet(keys).slice(2)}${'c'.repeat(24)}`],
      eventSlug: 'weather-in-november',
      tags: ['weather', 'world', 'daily'],
    }),
    usd: BigInt(Math.floor(Math.random() * USD_MAX * 1.05 * 1e6)),
    side: Math.random() < 0.5 ? 'BUY' : 'SELL',
  },
})
