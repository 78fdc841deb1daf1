import type { Convert } from './acts.js'
import type { Market } from './market.js'

/** The questions whose NO is given, and those whose YES is received. */
export function questionsOf({ event, indexSet }: Convert): { given: Market[]; others: Market[] } {
  // Not with bit operators: an event may have more questions than they have bits.
  const isGiven = ({ index }: Market) => Math.floor(indexSet / 2 ** index) % 2 === 1
  return {
    given: event.markets.filter(isGiven),
    others: event.markets.filter((market) => !isGiven(market)),
  }
}
