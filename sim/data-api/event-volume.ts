import { toAmount } from '../markets/amounts.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'

export type EventVolume = { total: number; markets: { market: Market; value: number }[] }

/** What was traded in an event, in dollars. An event that nobody knows has no markets. */
export function measureEventVolume(universe: Universe, eventId: string): EventVolume {
  const volumes = (universe.catalogue.eventById(eventId)?.markets ?? []).map((market) => ({
    market,
    volume: universe.tape.volume(market),
  }))
  return {
    total: toAmount(volumes.reduce((sum, { volume }) => sum + volume, 0)),
    markets: volumes.map(({ market, volume }) => ({ market, value: toAmount(volume) })),
  }
}
