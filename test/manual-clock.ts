import type { Clock } from '../src/core/clock.js'

/** Time that passes when the test says so. */
export class ManualClock implements Clock {
  #nowMs: number

  constructor(startMs = Date.UTC(2026, 10, 15, 12)) {
    this.#nowMs = startMs
  }

  now(): number {
    return this.#nowMs
  }

  advance(ms: number): void {
    this.#nowMs += ms
  }

  set(ms: number): void {
    this.#nowMs = ms
  }
}
