import { type EventDraft, NO_KEYS } from '../../bus/event.js'
import type { StreamTick } from '../archive/queries.js'
import { feedOf, MEAN_SECONDS, type Stream } from '../streams.js'

/** The live message of a price. `undefined`: prices of the exchange are not published. */
export function toPriceEvent({ symbol, kind }: Stream, tick: StreamTick): EventDraft | undefined {
  if (kind === 'binance') return undefined
  const { sec, price, bid = price, ask = price } = tick
  const type = 'price_feed'
  const feed = feedOf(symbol)
  const seconds = MEAN_SECONDS[kind]
  const mean = seconds === undefined ? {} : { is_twap: true, twap_window_seconds: seconds }
  const data = { feed, price, bid, ask, timestamp: sec, ...mean }
  return {
    type,
    timestampMs: sec * 1000,
    data,
    keys: { ...NO_KEYS, feed, priceSource: kind },
    // Clients expect feed, seconds and mean above the data too.
    message: { type, feed, timestamp: sec, ...mean, data },
  }
}
