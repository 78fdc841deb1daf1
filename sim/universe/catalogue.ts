import { Calendar, type CalendarParts } from './calendar.js'
import type { Game } from './games/game.js'
import type { Combo, Market, MarketEvent, Series, Tag, Token, TokenPair } from './market.js'
import { SPORT_TAGS, TAGS } from './tags.js'

/** Every event, market and token, by every name under which a client may ask for it. */
export class Catalogue {
  readonly tags: readonly Tag[]
  readonly series: readonly Series[]
  readonly #calendar: Calendar
  /** Created, the newest last; those that the present has not reached yet come after `#published`. */
  readonly #events: MarketEvent[] = []
  readonly #published: MarketEvent[] = []
  readonly #games: Game[] = []
  readonly #combos: Combo[] = []
  readonly #combosByCondition = new Map<string, Combo>()
  readonly #eventsById = new Map<string, MarketEvent>()
  readonly #eventsBySlug = new Map<string, MarketEvent>()
  readonly #marketsById = new Map<string, Market>()
  readonly #marketsBySlug = new Map<string, Market>()
  readonly #marketsByCondition = new Map<string, Market>()
  readonly #tokens = new Map<string, Token>()
  readonly #onTokens = (tokens: TokenPair) => {
    for (const token of tokens) this.#tokens.set(token.decimal, token)
  }
  /** How many events have their tokens derived. */
  #derived = 0

  constructor(parts: CalendarParts) {
    this.#calendar = new Calendar(parts, this.#onTokens)
    this.tags = parts.hasGames ? [...TAGS, ...SPORT_TAGS] : TAGS
    this.series = this.#calendar.series
  }

  /** Creates what is due up to that moment, and returns it, the oldest first. */
  extendTo(toMs: number): MarketEvent[] {
    const created = this.#calendar.take(toMs)
    for (const event of created) this.#add(event)
    return created
  }

  /** Shows what exists at that moment. Returns what was not shown before. */
  publish(nowMs: number): MarketEvent[] {
    const from = this.#published.length
    for (;;) {
      const next = this.#events[this.#published.length]
      if (next === undefined || next.createdMs > nowMs) break
      this.#published.push(next)
      if (next.game?.slug === next.slug) this.#games.push(next.game)
    }
    return this.#published.slice(from)
  }

  /** Everything created by now, the newest last. */
  events(): readonly MarketEvent[] {
    return this.#published
  }

  /** Those whose main event is created by now. */
  games(): readonly Game[] {
    return this.#games
  }

  combos(): readonly Combo[] {
    return this.#combos
  }

  comboByCondition(conditionId: string): Combo | undefined {
    return this.#combosByCondition.get(conditionId)
  }

  addCombo(combo: Combo): void {
    this.#combos.push(combo)
    this.#combosByCondition.set(combo.conditionId, combo)
    this.#onTokens(combo.tokens)
  }

  /** Removes a combo whose block was reverted. */
  removeCombo(combo: Combo): void {
    this.#combos.splice(this.#combos.indexOf(combo), 1)
    this.#combosByCondition.delete(combo.conditionId)
    for (const token of combo.tokens) this.#tokens.delete(token.decimal)
  }

  eventById(id: string): MarketEvent | undefined {
    return this.#eventsById.get(id)
  }

  eventBySlug(slug: string): MarketEvent | undefined {
    return this.#eventsBySlug.get(slug)
  }

  marketById(id: string): Market | undefined {
    return this.#marketsById.get(id)
  }

  marketBySlug(slug: string): Market | undefined {
    return this.#marketsBySlug.get(slug)
  }

  marketByCondition(conditionId: string): Market | undefined {
    return this.#marketsByCondition.get(conditionId)
  }

  /** By the decimal id. Combos included. An unknown one is searched among tokens still to be derived. */
  token(decimal: string): Token | undefined {
    const known = this.#tokens.get(decimal)
    if (known !== undefined) return known
    this.deriveTokens(Number.POSITIVE_INFINITY)
    return this.#tokens.get(decimal)
  }

  /** Ids are derived on first use. This derives those of some more events ahead of need. */
  deriveTokens(eventsMax: number): void {
    const end = Math.min(this.#events.length, this.#derived + eventsMax)
    for (; this.#derived < end; this.#derived++) {
      for (const { tokens } of this.#events[this.#derived]?.markets ?? []) this.#onTokens(tokens)
    }
  }

  #add(event: MarketEvent): void {
    this.#events.push(event)
    this.#eventsById.set(event.id, event)
    this.#eventsBySlug.set(event.slug, event)
    for (const market of event.markets) {
      this.#marketsById.set(market.id, market)
      this.#marketsBySlug.set(market.slug, market)
      this.#marketsByCondition.set(market.conditionId, market)
    }
  }
}
