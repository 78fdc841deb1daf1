import { toAmount } from '../markets/amounts.js'
import type { Market } from '../universe/market.js'
import { worthOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'

type EventVolume = { total: number; markets: { market: Market; value: number }[] }

/** What was traded in an event, in dollars. An unknown event has no markets. */
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

/** What the shares that people hold can claim, in dollars: one for each set, and after the result what it pays. */
export function measureOpenInterest(universe: Universe, markets: readonly Market[]): number {
  const micros = markets.reduce((sum, market) => sum + claimsOf(universe, market), 0)
  return toAmount(Math.round(micros))
}

function claimsOf(universe: Universe, market: Market): number {
  const { tape } = universe
  const payouts = universe.payouts(market)
  if (payouts === undefined) return tape.outstanding(market, 0)
  return (
    tape.outstanding(market, 0) * worthOf(payouts, 0) +
    tape.outstanding(market, 1) * worthOf(payouts, 1)
  )
}
