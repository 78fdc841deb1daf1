import type { Catalogue } from './catalogue.js'
import { COINS } from './coins.js'
import type { Combo, Market, MarketEvent } from './market.js'
import { Lottery, type Rng } from './random.js'
import { INTERVALS, windowAt, windowSlug } from './windows.js'

/** Share of trades that go to combos, unless the universe says otherwise. */
export const COMBO_SHARE = 0.02
/** Share of the other trades that go to the windows of coins; the rest goes to everything else. */
const WINDOW_SHARE = 0.62 / (1 - COMBO_SHARE)
/** Orders of the last seconds would settle after the end. */
const LAST_ORDER_MS = 4_000
const DRAWS_MAX = 5
/** How much more is traded on a game that is near, and on one that is played. */
const GAME_NEAR_MS = 12 * 3_600_000
const NEAR_APPEAL = 3
const LIVE_APPEAL = 40
const COMBOS_TRADED = 32
/** Share of them that are markets whose shares migrated. */
const MIGRATED_SHARE = 0.25

type Slot = {
  coin: (typeof COINS)[number]['coin']
  interval: (typeof INTERVALS)[number]['interval']
}

/** The trading floor: which markets can be traded at a moment, and which of them draws a crowd. */
export class Floor {
  /** Share of trades that go to combos. */
  comboShare = COMBO_SHARE
  readonly #catalogue: Catalogue
  readonly #slots: Lottery<Slot>
  readonly #current = new Map<Slot, Market>()
  #topics: Market[] = []
  #lottery = new Lottery<Market>([], () => 0)
  #lotteryEndsMs = 0

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue
    const slots = COINS.flatMap(({ coin, popularity }) =>
      INTERVALS.map((entry) => ({
        coin,
        interval: entry.interval,
        weight: popularity * entry.popularity,
      })),
    )
    this.#slots = new Lottery(slots, ({ weight }) => weight)
  }

  /** Opens the markets of an event; windows are found by their time. */
  open(event: MarketEvent): void {
    if (event.window !== undefined) return
    this.#topics.push(...event.markets)
    this.#lotteryEndsMs = 0
  }

  /** `undefined` when the draw fell on something that cannot be traded at that moment. */
  draw(rng: Rng, atMs: number): Market | Combo | undefined {
    const share = rng.next()
    const windowShare = WINDOW_SHARE * (1 - this.comboShare)
    if (share < windowShare) return this.drawWindow(rng, atMs)
    if (share < windowShare + this.comboShare) return this.#drawCombo(rng, atMs)
    return this.drawTopic(rng, atMs)
  }

  drawWindow(rng: Rng, atMs: number): Market | undefined {
    const slot = this.#slots.draw(rng)
    const known = this.#current.get(slot)
    if (known?.event.window !== undefined && isOpen(known, atMs) && known.event.window.startMs <= atMs) {
      return known
    }
    const market = this.#catalogue.marketBySlug(windowSlug(windowAt(slot.coin, slot.interval, atMs)))
    if (market === undefined || !isOpen(market, atMs)) return undefined
    this.#current.set(slot, market)
    return market
  }

  drawTopic(rng: Rng, atMs: number): Market | undefined {
    if (atMs >= this.#lotteryEndsMs) this.#rebuild(atMs)
    if (this.#lottery.size === 0) return undefined
    for (let draws = 0; draws < DRAWS_MAX; draws++) {
      const market = this.#lottery.draw(rng)
      if (isOpen(market, atMs)) return market
    }
    return undefined
  }

  /** A topic whose question stands alone. */
  drawAlone(rng: Rng, atMs: number): Market | undefined {
    for (let draws = 0; draws < DRAWS_MAX; draws++) {
      const market = this.drawTopic(rng, atMs)
      if (market !== undefined && market.event.negRisk === undefined) return market
    }
    return undefined
  }

  /** The newest are traded, as long as all their legs are; an old combo is held to its end. */
  #drawCombo(rng: Rng, atMs: number): Combo | undefined {
    const isMigrated = rng.chance(MIGRATED_SHARE)
    const traded = this.#catalogue
      .combos()
      .slice(-COMBOS_TRADED)
      .filter(({ legs, createdMs }) => {
        const isWanted = (legs.length === 1) === isMigrated && createdMs < atMs
        return isWanted && legs.every(({ market }) => isOpen(market, atMs))
      })
    return traded[rng.below(traded.length)]
  }

  #rebuild(atMs: number): void {
    this.#topics = this.#topics.filter(({ endMs }) => endMs - LAST_ORDER_MS > atMs)
    this.#lottery = new Lottery(this.#topics, (market) => appeal(market, atMs))
    this.#lotteryEndsMs = Number.POSITIVE_INFINITY
    for (const { endMs, event } of this.#topics) {
      const changes = [endMs - LAST_ORDER_MS, ...appealChangesMs(event)].filter((ms) => ms > atMs)
      this.#lotteryEndsMs = Math.min(this.#lotteryEndsMs, ...changes)
    }
  }
}

/** When a game begins to draw more people. */
const appealChangesMs = ({ game }: MarketEvent): number[] =>
  game === undefined ? [] : [game.startMs - GAME_NEAR_MS, game.startMs]

/** A game draws a crowd while it is played, and some people on its day. */
function appeal({ popularity, event: { game } }: Market, atMs: number): number {
  if (game === undefined || atMs < game.startMs - GAME_NEAR_MS) return popularity
  return popularity * (atMs < game.startMs ? NEAR_APPEAL : LIVE_APPEAL)
}

export const isOpen = ({ createdMs, endMs }: Market, atMs: number): boolean =>
  createdMs <= atMs && atMs < endMs - LAST_ORDER_MS
