import type { Log } from '../../lib/log.js'
import { backoffMs, type Timing } from '../../lib/timing.js'
import { UpstreamError } from '../transport/errors.js'
import type { ChainlinkFeed } from './chainlink-feeds.js'
import type { PriceTick } from './source.js'

/** Seconds of a feed that did not come, the first and the last included. */
export type MissedSeconds = { feed: ChainlinkFeed; fromSec: number; toSec: number }

export type BackfillOptions = {
  readPage: (feed: ChainlinkFeed, fromSec: number, signal: AbortSignal) => Promise<PriceTick[]>
  onTick: (tick: PriceTick) => void
  /** What could not be filled. */
  onMissed: (missed: MissedSeconds) => void
  timing: Timing
  log: Log
}

const WAITING_MAX = 1_000
/** Further back than this nobody waits for a second any more. */
const SECONDS_MAX = 24 * 60 * 60
/** How long the host may give nothing at all before seconds are given up. */
const PATIENCE_MS = 15 * 60_000
const BACKOFF = { baseMs: 1_000, maxMs: 60_000 }

type Waiting = MissedSeconds & { addedMs: number }

/** Fetches missed seconds from the reports of the past, one stretch after the other. */
export class Backfill {
  readonly #options: BackfillOptions
  readonly #signal: AbortSignal
  readonly #waiting: Waiting[] = []
  #isRunning = false
  #servedMs = Number.NEGATIVE_INFINITY

  constructor(signal: AbortSignal, options: BackfillOptions) {
    this.#signal = signal
    this.#options = options
  }

  add({ feed, fromSec, toSec }: MissedSeconds): void {
    const firstSec = Math.max(fromSec, toSec - SECONDS_MAX + 1)
    if (firstSec > fromSec) this.#options.onMissed({ feed, fromSec, toSec: firstSec - 1 })
    if (this.#waiting.length >= WAITING_MAX) {
      this.#options.onMissed({ feed, fromSec: firstSec, toSec })
      return
    }
    const addedMs = this.#options.timing.now()
    this.#waiting.push({ feed, fromSec: firstSec, toSec, addedMs })
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await this.#fill(next).catch(() => undefined)
      if (this.#signal.aborted) return
    }
    this.#isRunning = false
  }

  /** Rejects only when the signal aborts. */
  async #fill(missed: Waiting): Promise<void> {
    const { onMissed, timing, log } = this.#options
    for (let failures = 0; missed.fromSec <= missed.toSec; ) {
      try {
        await this.#fillPage(missed)
        failures = 0
      } catch (error) {
        this.#signal.throwIfAborted()
        failures += 1
        const sinceMs = Math.max(missed.addedMs, this.#servedMs)
        if (isHopeless(error) || timing.now() - sinceMs >= PATIENCE_MS) {
          log.warn({ upstream: 'chainlink', err: error }, 'missed seconds are given up')
          onMissed({ feed: missed.feed, fromSec: missed.fromSec, toSec: missed.toSec })
          return
        }
        await timing.sleep(backoffMs(BACKOFF, failures), this.#signal)
      }
    }
  }

  /**
   * Delivers one page and moves on behind it. It may hold seconds of stretches that wait, too: those
   * need no page of their own. A second that the page leaves out never was.
   */
  async #fillPage(missed: Waiting): Promise<void> {
    const { readPage, onTick, timing } = this.#options
    const firstSec = missed.fromSec
    const ticks = await readPage(missed.feed, firstSec, this.#signal)
    this.#signal.throwIfAborted()
    const lastSec = (ticks.at(-1)?.timestampMs ?? 0) / 1_000
    // The socket has shown a later report already, so there must be one.
    if (lastSec < firstSec) throw new Error('the reports of the past lag behind the socket')
    this.#servedMs = timing.now()

    const stretches = [missed, ...this.#waiting.filter(({ feed }) => feed === missed.feed)]
    const isMissed = (sec: number) =>
      stretches.some(({ fromSec, toSec }) => fromSec <= sec && sec <= toSec)
    for (const tick of ticks) if (isMissed(tick.timestampMs / 1_000)) onTick(tick)
    for (const stretch of stretches)
      if (stretch.fromSec >= firstSec) stretch.fromSec = Math.max(stretch.fromSec, lastSec + 1)
  }
}

/** A signature is also refused while a clock is wrong, ours or theirs. */
const MAY_PASS = [401, 403]

const isHopeless = (error: unknown): boolean =>
  error instanceof UpstreamError && !error.retryable && !MAY_PASS.includes(error.status ?? 0)
