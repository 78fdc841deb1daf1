import { LRUCache } from 'lru-cache'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { Tape } from '../chain/attribute/tape.js'

const RESULTS_MAX = 20_000
const COMBOS_MAX = 5_000

/** What earlier blocks and the catalogue say about the things that an event names. */
export class Known {
  readonly markets: MarketLookup
  readonly #payouts = new LRUCache<string, readonly bigint[]>({ max: RESULTS_MAX })
  readonly #legs = new LRUCache<string, readonly string[]>({ max: COMBOS_MAX })

  constructor(markets: MarketLookup) {
    this.markets = markets
  }

  learn({ resolutions, combos }: Pick<Tape, 'resolutions' | 'combos'>): void {
    for (const { condition, payouts } of resolutions) this.#payouts.set(condition, payouts)
    for (const { condition, legs } of combos) this.#legs.set(condition, legs)
  }

  /** Results since the start of the process, as far as they are remembered. */
  payoutsOf(condition: string): readonly bigint[] | undefined {
    return this.#payouts.get(condition)
  }

  legsOf(condition: string): readonly string[] | undefined {
    return this.#legs.get(condition)
  }
}
