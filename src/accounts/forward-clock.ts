import type { Clock } from '../core/clock.js'

type ForwardClockOptions = {
  clock: Clock
  /** Machines correct their clocks by a little all the time; a step back of more than this counts as set back. */
  stepBackMsMax: number
  /** Forgets what was counted: by times to come it would stay for as long as the clock was ahead. */
  onSetBack: () => void
}

/** The time that windows count by. It stands still while the clock makes up for a small step back. */
export class ForwardClock implements Clock {
  readonly #options: ForwardClockOptions
  #latestMs = 0

  constructor(options: ForwardClockOptions) {
    this.#options = options
  }

  now(): number {
    const { clock, stepBackMsMax, onSetBack } = this.#options
    const nowMs = clock.now()
    if (nowMs < this.#latestMs - stepBackMsMax) onSetBack()
    else if (nowMs < this.#latestMs) return this.#latestMs
    this.#latestMs = nowMs
    return nowMs
  }
}
