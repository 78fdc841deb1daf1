import { COINS } from './coins.js'
import type { OnTokens } from './event-builder.js'
import { GameCalendar } from './games/game-calendar.js'
import type { MarketEvent, Series, Window } from './market.js'
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
const FIRST_DAY_MS = Date.UTC(2026, 0, 1)

export type CalendarParts = {
  seed: number
  startMs: number
  /** When the history ends; absent: never. */
  presentMs?: number | undefined
  v1StartMs: number
  prices: Prices
  /** Whether games are played. */
  hasGames?: boolean | undefined
}

/** A series of windows, its next window, and when that one comes up. */
type Rotation = { series: Series; next: Window; createdMs: number }

/** Which events come up when: the windows of the coins one after the other, topics by their schedules, games day by day. */
export class Calendar {
  readonly series: readonly Series[]
  readonly #parts: CalendarParts
  readonly #onTokens: OnTokens
  readonly #rotations: Rotation[]
  /** When the next window of any series comes up. */
  #nextWindowMs = 0
  readonly #games: GameCalendar | undefined
  readonly #topicSeries = new Map<string, Series>()
  /** Instances of topics that are planned but not yet created, the next one last. */
  #planned: MarketEvent[] = []
  /** `undefined`: nothing is planned yet. */
  #plannedToMs: number | undefined

  constructor(parts: CalendarParts, onTokens: OnTokens) {
    this.#parts = parts
    this.#onTokens = onTokens
    this.#rotations = COINS.flatMap((facts) =>
      INTERVALS.map(({ interval }) => {
        const { coin } = facts
        const series = windowSeries(facts, interval, windowTags(coin, interval), parts.v1StartMs)
        const runningMs = windowAt(coin, interval, parts.startMs - 1).endMs
        return this.#rotate(series, windowAt(coin, interval, runningMs))
      }),
    )
    TOPICS.forEach((topic, index) => {
      if (topic.series !== undefined) this.#topicSeries.set(topic.series, topicSeries(topic, index, parts))
    })
    this.#games = parts.hasGames ? new GameCalendar(parts, onTokens) : undefined
    this.series = [
      ...this.#rotations.map(({ series }) => series),
      ...this.#topicSeries.values(),
      ...(this.#games?.series ?? []),
    ]
  }

  /** What comes up until that moment and was not returned before, the oldest first. */
  take(toMs: number): MarketEvent[] {
    const games = this.#games?.take(toMs) ?? []
    const events = [...this.#takeWindows(toMs), ...this.#takeTopics(toMs), ...games]
    return events.sort((a, b) => a.createdMs - b.createdMs || Number(a.id) - Number(b.id))
  }

  #rotate(series: Series, next: Window): Rotation {
    return { series, next, createdMs: windowCreatedMs(this.#parts, next) }
  }

  #takeWindows(toMs: number): MarketEvent[] {
    const created: MarketEvent[] = []
    if (toMs < this.#nextWindowMs) return created
    for (const [index, first] of this.#rotations.entries()) {
      let rotation = first
      while (rotation.createdMs <= toMs) {
        const { series, next, createdMs } = rotation
        created.push(buildWindowEvent(this.#parts, next, series, createdMs, this.#onTokens))
        rotation = this.#rotate(series, windowAt(next.coin, next.interval, next.endMs))
        this.#rotations[index] = rotation
      }
    }
    this.#nextWindowMs = Math.min(...this.#rotations.map(({ createdMs }) => createdMs))
    return created
  }

  #takeTopics(toMs: number): MarketEvent[] {
    this.#plan(toMs)
    const created: MarketEvent[] = []
    for (;;) {
      const next = this.#planned.at(-1)
      if (next === undefined || next.createdMs > toMs) return created
      created.push(next)
      this.#planned.pop()
    }
  }

  /** Looks a day ahead for topics that come up, so that their schedules are read once a day. */
  #plan(toMs: number): void {
    const fromMs = this.#plannedToMs
    if (fromMs !== undefined && toMs < fromMs) return
    const { startMs } = this.#parts
    const untilMs = Math.max(toMs, fromMs ?? startMs) + DAY_MS
    this.#plannedToMs = untilMs
    for (const [index, topic] of TOPICS.entries()) {
      const leadMs = topic.schedule.leadDays * DAY_MS
      const endsFromMs = fromMs === undefined ? startMs + LIFE_MS_MIN : fromMs + leadMs
      for (const endMs of endsWithin(topic, endsFromMs, untilMs + leadMs)) {
        this.#planned.push(this.#instance(topic, index, endMs))
      }
    }
    this.#planned.sort((a, b) => b.createdMs - a.createdMs || Number(b.id) - Number(a.id))
  }

  #instance(topic: Topic, index: number, endMs: number): MarketEvent {
    const { seed, startMs, v1StartMs } = this.#parts
    // A topic ends at most once a day.
    const ordinal = Math.floor((endMs - FIRST_DAY_MS) / DAY_MS) * TOPICS.length + index
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

function topicSeries(topic: Topic, index: number, { v1StartMs }: CalendarParts): Series {
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
