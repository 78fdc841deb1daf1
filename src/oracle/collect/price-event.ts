import type { EventDraft } from '../../bus/event.js'
import type { StreamTick } from '../archive/queries.js'
import { feedOf, type Stream } from '../streams.js'

const WINDOW_SECONDS = { spot: undefined, twap30: 30, twap60: 60, binance: undefined } as const

/** The live message of a price. `undefined`: of the exchange's prices there is none. */
export function toPriceEvent({ symbol, kind }: Stream, tick: StreamTick): EventDraft | undefined {
  if (kind === 'binance') return undefined
  const { sec, price, bid = price, ask = price } = tick
  const feed = feedOf(symbol)
  const seconds = WINDOW_SECONDS[kind]
  const mean = seconds === undefined ? {} : { is_twap: true, twap_window_seconds: seconds }
  return {
    type: 'price_feed',
    timestampMs: sec * 1000,
    data: { feed, price, bid, ask, timestamp: sec, ...mean },
    keys: {
      wallets: [],
      tokens: [],
      conditionIds: [],
      marketSlug: undefined,
      eventSlug: undefined,
      side: undefined,
      sizeUsd: undefined,
      status: 'confirmed',
      feed,
      priceSource: kind,
    },
  }
}
