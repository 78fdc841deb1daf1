import type { Timing } from '../lib/timing.js'
import type { ReplayRange } from './replay-range.js'

/** Items that are handed on before the client has to have taken them, and other work of the process goes on. */
const STEP = 40
/** The longest sleep: a step of time in the record must not hold a timer for days. */
const SLEEP_MS_MAX = 60_000

export type PlayerOptions<Item> = {
  range: ReplayRange
  timing: Timing
  /** What the record has from a time to the end of the range, in order, in pages. */
  open: (fromMs: number) => AsyncGenerator<readonly Item[]>
  /** When an item was published, in Unix milliseconds. */
  timeOf: (item: Item) => number
  play: (item: Item) => void
  /** Resolves when more may be played; `false`: the client has left. `items`: how many were played since. */
  untilReady: (items: number) => Promise<boolean>
  /** Everything was played. */
  onEnd: () => void
  onFailed: (error: unknown) => void
}

export type PlayerState = 'waiting' | 'playing' | 'paused' | 'ended'

/**
 * Plays a range of the record at its speed.
 *
 *   waiting   nothing is played yet. `start` -> playing, or paused where the client asked for that
 *   playing   an item is played when its time has come. `pause` -> paused; the last item and the end of the range -> ended
 *   paused    the time of the replay stands still. `resume` -> playing
 *   ended     for good, and so after `close`
 *
 * `seek` changes the time and not the state: what was read of the record is dropped, and it is read from the new time on. What the client has not read holds the replay: the time goes on
 * meanwhile, and the replay catches up afterwards.
 */
export class ReplayPlayer<Item> {
  readonly #options: PlayerOptions<Item>
  #state: PlayerState = 'waiting'
  /** The time of the replay at the moment `#setAt` of the clock: that is where it goes on from. */
  #setMs: number
  #setAt: number
  /** Counts the seeks: what was read before one is not played. */
  #seeks = 0
  #hasPlayed = false
  /** Aborts when state or time change, which ends a sleep. */
  #changed = new AbortController()

  constructor(options: PlayerOptions<Item>) {
    this.#options = options
    this.#setMs = options.range.fromMs
    this.#setAt = options.timing.now()
  }

  get state(): PlayerState {
    return this.#state
  }

  /** Something was played since the beginning or the last seek. */
  get hasPlayed(): boolean {
    return this.#hasPlayed
  }

  /** The time of the replay, within its range. */
  get nowMs(): number {
    const { timing, range } = this.#options
    if (this.#state !== 'playing' || range.speed === Number.POSITIVE_INFINITY) return this.#setMs
    const passedMs = (timing.now() - this.#setAt) * range.speed
    return Math.min(range.toMs, this.#setMs + Math.floor(passedMs))
  }

  start(): void {
    if (this.#state !== 'waiting') return
    this.#enter(this.#options.range.isPaused ? 'paused' : 'playing')
    void this.#run()
  }

  pause(): void {
    if (this.#state === 'playing') this.#enter('paused')
  }

  resume(): void {
    if (this.#state === 'paused') this.#enter('playing')
  }

  /** Goes to a time within the range. */
  seek(toMs: number): void {
    this.#seeks++
    this.#hasPlayed = false
    this.#enter(this.#state, toMs)
  }

  close(): void {
    this.#enter('ended')
  }

  #enter(state: PlayerState, setMs = this.nowMs): void {
    this.#setMs = setMs
    this.#setAt = this.#options.timing.now()
    this.#state = state
    this.#changed.abort()
    this.#changed = new AbortController()
  }

  /** A getter would be narrowed by the checks before it. */
  #is(state: PlayerState): boolean {
    return this.#state === state
  }

  async #run(): Promise<void> {
    try {
      while (!this.#is('ended')) {
        const isDone = await this.#playFrom(this.#setMs, this.#seeks)
        if (isDone && !this.#is('ended')) {
          this.#enter('ended')
          this.#options.onEnd()
        }
      }
    } catch (error) {
      if (this.#is('ended')) return
      this.#enter('ended')
      this.#options.onFailed(error)
    }
  }

  /** `true`: to the end. `false`: a seek came between, or the end of the replay. */
  async #playFrom(fromMs: number, seek: number): Promise<boolean> {
    const { open, timeOf, play, untilReady, range } = this.#options
    let items = 0
    for await (const page of open(fromMs)) {
      for (const item of page) {
        if (!(await this.#untilDue(timeOf(item), seek))) return false
        if (range.speed === Number.POSITIVE_INFINITY) this.#setMs = timeOf(item)
        this.#hasPlayed = true
        play(item)
        items++
        if (items < STEP) continue
        if (!(await untilReady(items))) this.close()
        items = 0
      }
      if (this.#is('ended') || seek !== this.#seeks) return false
    }
    if (!(await this.#untilDue(range.toMs, seek))) return false
    if (!(await untilReady(items))) this.close()
    return seek === this.#seeks
  }

  /** Waits for a time of the replay; `false`: it does not come, because the replay goes elsewhere or has ended. */
  async #untilDue(timeMs: number, seek: number): Promise<boolean> {
    for (;;) {
      if (this.#is('ended') || seek !== this.#seeks) return false
      const { signal } = this.#changed
      if (this.#is('paused')) await aborted(signal)
      else {
        const waitMs = this.#waitMs(timeMs)
        if (waitMs <= 0) return true
        const { timing } = this.#options
        await timing.sleep(Math.min(waitMs, SLEEP_MS_MAX), signal).catch((error) => {
          if (!signal.aborted) throw error
        })
      }
    }
  }

  #waitMs(timeMs: number): number {
    const { range, timing } = this.#options
    if (range.speed === Number.POSITIVE_INFINITY) return 0
    return (timeMs - this.#setMs) / range.speed - (timing.now() - this.#setAt)
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
