import { UpstreamError } from '../../core/upstream-error.js'
import { faultFields } from '../../lib/fault-fields.js'
import type { Log } from '../../lib/log.js'
import { backoffMs, type Timing } from '../../lib/timing.js'
import type { ChainlinkFeed } from './chainlink-feeds.js'
import type { PriceKind, PriceTick, Seconds } from './source.js'

/** Seconds of a feed that did not come. */
export type MissedSeconds = Seconds & { feed: ChainlinkFeed }

export type ChainlinkBackfillOptions = {
  /** Reports from that second on, the oldest first; empty: the host has none of it yet. */
  readPage: (feed: ChainlinkFeed, fromSec: number, signal: AbortSignal) => Promise<PriceTick[]>
  onTick: (tick: PriceTick) => void
  /** Seconds that could not be fetched. */
  onMissed: (missed: MissedSeconds) => void
  timing: Timing
  log: Log
}

/** This many seconds before the newest missed one a page begins. */
export const PAGE_REPORTS = 100
/** Seconds that are at most this old are read four pages at once, because readers wait for them. */
const RECENT_SEC = 3 * 60 * 60
const RECENT_PAGES_AT_ONCE = 4
/** Older ones leave time for other work of this process and of the host. */
const OLDER_PAGES_AT_ONCE = 2
const STRETCHES_MAX = 1_000
/** Seconds that are older than this are reported as missed without a request. */
const SECONDS_MAX = 24 * 60 * 60
/** How long the host may deliver nothing at all before seconds are given up. */
const SILENT_MS_MAX = 15 * 60_000
const BACKOFF = { baseMs: 1_000, maxMs: 60_000 }

type Stretch = Seconds & { addedMs: number }
/** What is missed of one feed. Busy: a page of it is being read, or is to be read again after a wait. */
type FeedQueue = { feed: ChainlinkFeed; stretches: Stretch[]; isBusy: boolean; skipsEmpty: boolean }

/**
 * Fetches missed seconds from Chainlink's reports of the past, always the newest of all feeds next:
 * so the feeds are filled side by side, and backwards, because callers request recent prices most.
 */
export class Backfill {
  readonly #options: ChainlinkBackfillOptions
  readonly #signal: AbortSignal
  readonly #queues = new Map<ChainlinkFeed, FeedQueue>()
  #pages = 0
  #newestSec = 0
  #servedMs = Number.NEGATIVE_INFINITY

  constructor(signal: AbortSignal, options: ChainlinkBackfillOptions) {
    this.#signal = signal
    this.#options = options
  }

  add({ feed, fromSec, toSec }: MissedSeconds): void {
    const { onMissed, timing } = this.#options
    const firstSec = Math.max(fromSec, toSec - SECONDS_MAX + 1)
    if (firstSec > fromSec) onMissed({ feed, fromSec, toSec: firstSec - 1 })
    this.#newestSec = Math.max(this.#newestSec, toSec)
    const queue = this.#queueOf(feed)
    if (queue.stretches.length >= STRETCHES_MAX) {
      onMissed({ feed, fromSec: firstSec, toSec })
      return
    }
    queue.stretches.push({ fromSec: firstSec, toSec, addedMs: timing.now() })
    // What is added at the same time is put into its order first.
    queueMicrotask(() => this.#readOn())
  }

  /** Whether seconds of this kind of price, of that one or later, are still to be fetched. */
  isPending(kind: PriceKind, sinceSec: number): boolean {
    return [...this.#queues.values()].some(
      ({ feed, stretches }) => feed.kind === kind && stretches.some(({ toSec }) => toSec >= sinceSec),
    )
  }

  #queueOf(feed: ChainlinkFeed): FeedQueue {
    const queue = this.#queues.get(feed) ?? {
      feed,
      stretches: [],
      isBusy: false,
      skipsEmpty: false,
    }
    this.#queues.set(feed, queue)
    return queue
  }

  #readOn(): void {
    while (!this.#signal.aborted) {
      const idle = [...this.#queues.values()].filter(
        ({ isBusy, stretches }) => !isBusy && stretches.length > 0,
      )
      const [next] = idle.sort((a, b) => rankOf(b) - rankOf(a))
      if (next === undefined) return
      const isRecent = newestOf(next).toSec > this.#newestSec - RECENT_SEC
      if (this.#pages >= (isRecent ? RECENT_PAGES_AT_ONCE : OLDER_PAGES_AT_ONCE)) return
      void this.#run(next)
    }
  }

  /** Reads a page until it has it, or gives up. */
  async #run(queue: FeedQueue): Promise<void> {
    queue.isBusy = true
    for (let failures = 1; ; failures++) {
      this.#pages += 1
      const error = await this.#fillPage(queue).catch((reason: unknown) => reason)
      this.#pages -= 1
      if (error === undefined || this.#signal.aborted || this.#giveUp(queue, error)) break
      // While this feed waits the others are read.
      this.#readOn()
      await this.#options.timing.sleep(backoffMs(BACKOFF, failures), this.#signal).catch(() => {})
      if (this.#signal.aborted) break
    }
    queue.isBusy = false
    this.#readOn()
  }

  /**
   * Reads one page and takes the seconds that it covers out of the queue: a second that the page leaves
   * out has no report. After a page with none of the requested seconds the next one begins at the
   * oldest missed second, and shows in one call how far the empty part reaches.
   */
  async #fillPage(queue: FeedQueue): Promise<void> {
    const { readPage, onTick, timing } = this.#options
    const newestSec = newestOf(queue).toSec
    const sinceSec = queue.skipsEmpty ? 0 : newestSec - PAGE_REPORTS + 1
    const fromSec = firstSecOf(queue.stretches, sinceSec)
    const ticks = await readPage(queue.feed, fromSec, this.#signal)
    this.#signal.throwIfAborted()
    const secs = ticks.map(({ timestampMs }) => timestampMs / 1_000)
    const lastSec = secs.at(-1) ?? 0
    // The socket has shown a later report already, so there must be one.
    if (lastSec < fromSec) throw new Error('the reports of the past lag behind the socket')
    this.#servedMs = timing.now()

    const { stretches } = queue
    ticks.forEach((tick, index) => {
      if (includes(stretches, secs[index] ?? 0)) onTick(tick)
    })
    queue.stretches = stretches.flatMap((stretch) => cut(stretch, fromSec, lastSec))
    queue.skipsEmpty = (secs[0] ?? 0) > newestSec
  }

  /** Whether the newest stretch was reported as missed; otherwise it is to be tried again. */
  #giveUp(queue: FeedQueue, error: unknown): boolean {
    const { onMissed, timing, log } = this.#options
    const newest = newestOf(queue)
    const sinceMs = Math.max(newest.addedMs, this.#servedMs)
    if (!isFinal(error) && timing.now() - sinceMs < SILENT_MS_MAX) return false
    log.warn({ upstream: 'chainlink', ...faultFields(error) }, 'missed seconds are given up')
    queue.stretches = queue.stretches.filter((stretch) => stretch !== newest)
    onMissed({ feed: queue.feed, fromSec: newest.fromSec, toSec: newest.toSec })
    return true
  }
}

const newestOf = ({ stretches }: FeedQueue): Stretch =>
  stretches.reduce((newest, each) => (each.toSec > newest.toSec ? each : newest))

/** Spot prices go three hours ahead of means: candles are made of them, and a start waits for candles. */
const rankOf = (queue: FeedQueue): number =>
  newestOf(queue).toSec + (queue.feed.kind === 'spot' ? RECENT_SEC : 0)

/** The first missed second from `sinceSec` on. */
const firstSecOf = (stretches: readonly Seconds[], sinceSec: number): number =>
  Math.min(
    ...stretches.filter(({ toSec }) => toSec >= sinceSec).map(({ fromSec }) => Math.max(fromSec, sinceSec)),
  )

const includes = (stretches: readonly Seconds[], sec: number): boolean =>
  stretches.some(({ fromSec, toSec }) => fromSec <= sec && sec <= toSec)

/** What is left of a stretch before and after the seconds that were read. */
function cut(stretch: Stretch, fromSec: number, toSec: number): Stretch[] {
  const before = { ...stretch, toSec: Math.min(stretch.toSec, fromSec - 1) }
  const after = { ...stretch, fromSec: Math.max(stretch.fromSec, toSec + 1) }
  return [before, after].filter((part) => part.fromSec <= part.toSec)
}

/** A signature is also refused while a clock is wrong, ours or theirs. */
const MAY_PASS = [401, 403]

const isFinal = (error: unknown): boolean =>
  error instanceof UpstreamError && !error.retryable && !MAY_PASS.includes(error.status ?? 0)
