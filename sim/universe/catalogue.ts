import { COINS } from './coins.js'
import type { Combo, Market, MarketEvent, Series, Tag, Token, TokenPair, Window } from './market.js'
import type { Prices } from './prices.js'
import { hash32 } from './random.js'
import { TAGS, windowTags } from './tags.js'
import { buildTopicEvent } from './topic-event.js'
import { TOPICS } from './topic-list.js'
import { endsWithin, type Topic } from './topics.js'
import { buildWindowEvent, windowCreatedMs } from './window-event.js'
import { INTERVALS, windowAt, windowSeries } from './windows.js'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
/** Matters that end sooner than this after the beginning of the universe are left out. */
const LIFE_MS_MIN = 60 * MINUTE_MS
const LONG_LEAD_DAYS = 365

export type CatalogueParts = { seed: number; startMs: number; v1StartMs: number; prices: Prices }

/** A series of windows, its next window, and when that one comes up. */
type Rotation = { series: Series; next: Window; createdMs: number }

/** Every event, market and token, by every name under which somebody may ask for it. */
export class Catalogue {
  readonly tags: readonly Tag[] = TAGS
  readonly series: readonly Series[]
  readonly #parts: CatalogueParts
  readonly #rotations: Rotation[]
  /** When the next window of any series comes up. */
  #nextWindowMs = 0
  readonly #topicSeries = new Map<string, Series>()
  /** Instances of topics that are planned but not yet created, the next one last. */
  #planned: MarketEvent[] = []
  #plannedToMs: number
  #ordinal = 0
  /** Created, the newest last; those that the present has not reached yet come after `#published`. */
  readonly #events: MarketEvent[] = []
  readonly #published: MarketEvent[] = []
  readonly #combos: Combo[] = []
  readonly #combosByCondition = new Set<string>()
  readonly #eventsById = new Map<string, MarketEvent>()
  readonly #eventsBySlug = new Map<string, MarketEvent>()
  readonly #marketsById = new Map<string, Market>()
  readonly #marketsBySlug = new Map<string, Market>()
  readonly #marketsByCondition = new Map<string, Market>()
  readonly #tokens = new Map<string, Token>()
  readonly #onTokens = (tokens: TokenPair) => {
    for (const token of tokens) this.#tokens.set(token.decimal, token)
  }
  #tokensRegistered = 0

  constructor(parts: CatalogueParts) {
    this.#parts = parts
    this.#plannedToMs = parts.startMs
    this.#rotations = COINS.flatMap((facts) =>
      INTERVALS.map(({ interval }) => {
        const { coin } = facts
        const series = windowSeries(facts, interval, windowTags(coin, interval), parts.v1StartMs)
        const runningMs = windowAt(coin, interval, parts.startMs - 1).endMs
        return this.#rotate(series, windowAt(coin, interval, runningMs))
      }),
    )
    TOPICS.forEach((topic, index) => {
      if (topic.series !== undefined)
        this.#topicSeries.set(topic.series, topicSeries(topic, index, parts))
    })
    this.series = [...this.#rotations.map(({ series }) => series), ...this.#topicSeries.values()]
  }

  /** Creates what is due up to that moment, and returns it, the oldest first. */
  extendTo(toMs: number): MarketEvent[] {
    const created = [...this.#createWindows(toMs), ...this.#createTopics(toMs)]
    created.sort((a, b) => a.createdMs - b.createdMs || Number(a.id) - Number(b.id))
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
    }
    return this.#published.slice(from)
  }

  /** Everything created by now, the newest last. */
  events(): readonly MarketEvent[] {
    return this.#published
  }

  combos(): readonly Combo[] {
    return this.#combos
  }

  hasCombo(conditionId: string): boolean {
    return this.#combosByCondition.has(conditionId)
  }

  addCombo(combo: Combo): void {
    this.#combos.push(combo)
    this.#combosByCondition.add(combo.conditionId)
    this.#onTokens(combo.tokens)
  }

  /** For a combo whose block was taken back. */
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

  /** By the decimal id. Combos included. */
  token(decimal: string): Token | undefined {
    return this.#tokens.get(decimal) ?? this.#derive(decimal)
  }

  /** Ids are derived when somebody needs them, so a question for an unknown one first derives what is left. */
  #derive(decimal: string): Token | undefined {
    for (; this.#tokensRegistered < this.#events.length; this.#tokensRegistered++) {
      for (const { tokens } of this.#events[this.#tokensRegistered]?.markets ?? []) {
        this.#onTokens(tokens)
      }
    }
    return this.#tokens.get(decimal)
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

  #rotate(series: Series, next: Window): Rotation {
    const { seed, startMs } = this.#parts
    return { series, next, createdMs: windowCreatedMs(seed, next, startMs) }
  }

  #createWindows(toMs: number): MarketEvent[] {
    const created: MarketEvent[] = []
    if (toMs < this.#nextWindowMs) return created
    for (const [index, first] of this.#rotations.entries()) {
      let rotation = first
      while (rotation.createdMs <= toMs) {
        const { series, next, createdMs } = rotation
        created.push(buildWindowEvent(this.#parts.seed, next, series, createdMs, this.#onTokens))
        rotation = this.#rotate(series, windowAt(next.coin, next.interval, next.endMs))
        this.#rotations[index] = rotation
      }
    }
    this.#nextWindowMs = Math.min(...this.#rotations.map(({ createdMs }) => createdMs))
    return created
  }

  #createTopics(toMs: number): MarketEvent[] {
    this.#plan(toMs)
    const created: MarketEvent[] = []
    for (;;) {
      const next = this.#planned.at(-1)
      if (next === undefined || next.createdMs > toMs) return created
      created.push(next)
      this.#planned.pop()
    }
  }

  /** Looks a day ahead for topics that come up, so that the calendar is read once a day. */
  #plan(toMs: number): void {
    if (toMs < this.#plannedToMs && this.#ordinal > 0) return
    const first = this.#ordinal === 0
    const fromMs = this.#plannedToMs
    this.#plannedToMs = Math.max(toMs, fromMs) + DAY_MS
    for (const topic of TOPICS) {
      const leadMs = topic.schedule.leadDays * DAY_MS
      const endsFromMs = first ? this.#parts.startMs + LIFE_MS_MIN : fromMs + leadMs
      for (const endMs of endsWithin(topic, endsFromMs, this.#plannedToMs + leadMs)) {
        this.#planned.push(this.#instance(topic, endMs))
      }
    }
    this.#planned.sort((a, b) => b.createdMs - a.createdMs || Number(b.id) - Number(a.id))
  }

  #instance(topic: Topic, endMs: number): MarketEvent {
    const { seed, startMs, v1StartMs } = this.#parts
    const ordinal = ++this.#ordinal
    const spreadMs = hash32(seed, ordinal, 81) % (20 * MINUTE_MS)
    // What began before the universe's history comes up in its first minutes, or in the old era.
    const createdMs =
      topic.schedule.leadDays >= LONG_LEAD_DAYS
        ? v1StartMs + (spreadMs % (2 * MINUTE_MS))
        : Math.max(endMs - topic.schedule.leadDays * DAY_MS, startMs + spreadMs)
    const series = topic.series === undefined ? undefined : this.#topicSeries.get(topic.series)
    const times = { createdMs, endMs }
    return buildTopicEvent(this.#parts, topic, times, ordinal, series, this.#onTokens)
  }
}

function topicSeries(topic: Topic, index: number, { v1StartMs }: CatalogueParts): Series {
  const slug = topic.series ?? ''
  const recurrence = ['daily', 'weekly', 'monthly'].find((word) => slug.endsWith(word)) ?? 'monthly'
  return {
    id: slug === 'btc-multi-strikes-weekly' ? '45' : String(10_300 + index),
    slug,
    title: slug.replaceAll('-', ' '),
    recurrence,
    tags: TAGS.filter((tag) => topic.tags.includes(tag.slug)),
    createdMs: v1StartMs,
  }
}
