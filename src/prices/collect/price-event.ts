import { type EventDraft, NO_KEYS } from '../../bus/event.js'
import type { StreamTick } from '../archive/queries.js'
import { feedOf, MEAN_SECONDS, type Stream } from '../streams.js'

/** The live message of a price. `undefined`: of the exchange's prices there is none. */
export function toPriceEvent({ symbol, kind }: Stream, tick: StreamTick): EventDraft | undefined {
  if (kind === 'binance') return undefined
  const { sec, price, bid = price, ask = price } = tick
  const feed = feedOf(symbol)
  const seconds = MEAN_SECONDS[kind]
  const mean = seconds === undefined ? {} : { is_twap: true, twap_window_seconds: seconds }
  return {
    type: 'price_feed',
    timestampMs: sec * 1000,
    data: { feed, price, bid, ask, timestamp: sec, ...mean },
    keys: { ...NO_KEYS, feed, priceSource: kind },
  }
}
