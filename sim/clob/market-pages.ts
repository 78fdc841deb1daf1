import { rewardsOf } from '../markets/market-state.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { type CursorPage, pageOf } from './cursor.js'
import { presentMarket, presentSimplifiedMarket } from './market-info.js'
import { presentRewardSearch, readPageSize, searchRewards } from './reward-search.js'
import { presentRewardDetail, presentRewardedMarket } from './rewards.js'

const PAGE_SIZE = 500

/** The market lists of the exchange, oldest market first. */
export class MarketPages {
  readonly #universe: Universe
  /** Grows with the catalogue, so that a page does not flatten thousands of events again. */
  readonly #markets: Market[] = []
  #eventsSeen = 0

  constructor(universe: Universe) {
    this.#universe = universe
  }

  markets(cursor: string | null): CursorPage {
    return this.#page(this.#all(), cursor, presentMarket)
  }

  simplified(cursor: string | null): CursorPage {
    return this.#page(this.#all(), cursor, presentSimplifiedMarket)
  }

  /** Sampling markets are those that pay rewards now. */
  sampling(cursor: string | null): CursorPage {
    return this.#page(this.#rewarded(), cursor, presentMarket)
  }

  samplingSimplified(cursor: string | null): CursorPage {
    return this.#page(this.#rewarded(), cursor, presentSimplifiedMarket)
  }

  /** The terms of those that pay rewards now. */
  rewarded(cursor: string | null, isSponsored: boolean): CursorPage {
    const present = (_: Universe, market: Market) => presentRewardedMarket(market, isSponsored)
    return this.#page(this.#rewarded(), cursor, present)
  }

  /** The same with what is known of each market, found and sorted as the site's page of rewards does. */
  searchRewarded(query: URLSearchParams): CursorPage {
    const limit = readPageSize(query)
    const found = searchRewards(this.#universe, this.#rewarded(), query)
    return pageOf(found, query.get('next_cursor'), limit, presentRewardSearch)
  }

  /** The terms of one market; none when it pays no rewards now. */
  rewardDetail(market: Market, cursor: string | null, isSponsored: boolean): CursorPage {
    const present = (universe: Universe) => presentRewardDetail(universe, market, isSponsored)
    return this.#page(this.#paysRewards(market) ? [market] : [], cursor, present)
  }

  #all(): readonly Market[] {
    const events = this.#universe.catalogue.events()
    for (; this.#eventsSeen < events.length; this.#eventsSeen++) {
      this.#markets.push(...(events[this.#eventsSeen]?.markets ?? []))
    }
    return this.#markets
  }

  #rewarded(): Market[] {
    return this.#all().filter((market) => this.#paysRewards(market))
  }

  #paysRewards(market: Market): boolean {
    return this.#universe.nowMs < market.endMs && rewardsOf(market) !== undefined
  }

  #page(
    markets: readonly Market[],
    cursor: string | null,
    present: (universe: Universe, market: Market) => object,
  ): CursorPage {
    return pageOf(markets, cursor, PAGE_SIZE, (market) => present(this.#universe, market))
  }
}
