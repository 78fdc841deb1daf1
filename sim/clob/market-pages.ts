import { rewardsOf } from '../markets/market-state.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { presentMarket, presentSimplifiedMarket } from './market-info.js'
import { Refusal } from './refusal.js'
import { presentRewardDetail, presentRewardedMarket } from './rewards.js'

const PAGE_SIZE = 500
/** The base64 of 0 and of -1. */
const FIRST_CURSOR = 'MA=='
const END_CURSOR = 'LTE='

type MarketPage = { limit: number; count: number; next_cursor: string; data: object[] }

/** The market lists of the exchange, oldest market first. */
export class MarketPages {
  readonly #universe: Universe
  /** Grows with the catalogue, so that a page does not flatten thousands of events again. */
  readonly #markets: Market[] = []
  #eventsSeen = 0

  constructor(universe: Universe) {
    this.#universe = universe
  }

  markets(cursor: string | null): MarketPage {
    return this.#page(this.#all(), cursor, presentMarket)
  }

  simplified(cursor: string | null): MarketPage {
    return this.#page(this.#all(), cursor, presentSimplifiedMarket)
  }

  /** Sampling markets are those that pay rewards now. */
  sampling(cursor: string | null): MarketPage {
    return this.#page(this.#rewarded(), cursor, presentMarket)
  }

  samplingSimplified(cursor: string | null): MarketPage {
    return this.#page(this.#rewarded(), cursor, presentSimplifiedMarket)
  }

  /** The terms of those that pay rewards now. */
  rewarded(cursor: string | null, isSponsored: boolean): MarketPage {
    const present = (_: Universe, market: Market) => presentRewardedMarket(market, isSponsored)
    return this.#page(this.#rewarded(), cursor, present)
  }

  /** The terms of one market; none when it pays no rewards now. */
  rewardDetail(market: Market, cursor: string | null, isSponsored: boolean): MarketPage {
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
  ): MarketPage {
    const start = cursor === END_CURSOR ? markets.length : readCursor(cursor)
    const data = markets.slice(start, start + PAGE_SIZE).map((m) => present(this.#universe, m))
    const end = start + PAGE_SIZE
    const next = end < markets.length ? Buffer.from(String(end)).toString('base64') : END_CURSOR
    return { limit: PAGE_SIZE, count: data.length, next_cursor: next, data }
  }
}

function readCursor(cursor: string | null): number {
  const text = Buffer.from(cursor || FIRST_CURSOR, 'base64').toString()
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(400, 'Invalid next_cursor')
  return Number(text)
}
