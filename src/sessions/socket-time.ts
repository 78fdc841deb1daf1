import { nextUtcDay, utcDay } from '../core/unix-time.js'
import type { SessionKind } from './socket-queries.js'

const DAY_MS = 24 * 60 * 60_000

/** Time that passed on a connection and is not written yet. */
export type OwedTime = { accountId: number; day: string; kind: SessionKind; ms: number }

type SocketTimeOptions = {
  accountId: number
  kind: SessionKind
  /** What the plan allows a day. */
  allowedMs: number
  /** What the account had used on the day of `nowMs`. */
  usedMs: number
  nowMs: number
}

/** The time of one connection whose plan allows this much of it per UTC day. */
export class SocketTime {
  readonly #options: SocketTimeOptions
  #day: string
  #usedMs: number
  #countedToMs: number

  constructor(options: SocketTimeOptions) {
    this.#options = options
    this.#day = utcDay(options.nowMs)
    this.#usedMs = options.usedMs
    this.#countedToMs = options.nowMs
  }

  /** What is left of the day's allowance; at midnight it is whole again. */
  leftMs(nowMs: number): number {
    const { allowedMs } = this.#options
    const isNewDay = utcDay(nowMs) !== this.#day
    const usedMs = isNewDay ? 0 : this.#usedMs
    const countedToMs = isNewDay ? nextUtcDay(nowMs) - DAY_MS : this.#countedToMs
    return allowedMs - usedMs - (nowMs - countedToMs)
  }

  /** The time since the last call, by UTC day. */
  take(nowMs: number): OwedTime[] {
    const { accountId, kind } = this.#options
    const owed: OwedTime[] = []
    while (this.#countedToMs < nowMs) {
      const toMs = Math.min(nowMs, nextUtcDay(this.#countedToMs))
      const day = utcDay(this.#countedToMs)
      const ms = toMs - this.#countedToMs
      this.#usedMs = (day === this.#day ? this.#usedMs : 0) + ms
      this.#day = day
      this.#countedToMs = toMs
      owed.push({ accountId, day, kind, ms })
    }
    return owed
  }
}
