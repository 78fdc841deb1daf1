import type { BusEvent } from './event.js'

export type RecentLimits = {
  /** Younger events are only given up for the two bounds below. */
  keepMs: number
  bytesMax: number
  countMax: number
}

/** The forgotten front of the list is cut off when it is this long, and longer than the rest. */
const FORGOTTEN_MAX = 1024

/** The last events, in order and without a gap between their ids. */
export class RecentEvents {
  readonly #limits: RecentLimits
  /** What is forgotten is overwritten at once, so that it does not stay in memory. */
  #slots: (BusEvent | undefined)[] = []
  /** Index of the oldest that is kept. */
  #first = 0
  #bytes = 0
  #settlements = 0
  #dropped = 0

  constructor(limits: RecentLimits) {
    this.#limits = limits
  }

  add(event: BusEvent): void {
    this.#slots.push(event)
    this.#bytes += event.bytes
    if (event.type === 'settlement') this.#settlements++
  }

  /** Forgets what is too old, and then the oldest until the rest fits. */
  trim(nowMs: number): void {
    const { keepMs, bytesMax, countMax } = this.#limits
    for (let oldest = this.oldest; oldest !== undefined; oldest = this.oldest) {
      const isOld = oldest.publishedMs < nowMs - keepMs
      if (!isOld && this.#bytes <= bytesMax && this.count <= countMax) break
      if (!isOld) this.#dropped++
      this.#forget(oldest)
    }
    if (this.#first < FORGOTTEN_MAX || this.#first < this.count) return
    this.#slots = this.#slots.slice(this.#first)
    this.#first = 0
  }

  /** Oldest first. */
  after(id: number): BusEvent[] {
    const oldestId = this.oldest?.id ?? 0
    return this.#from(this.#first + Math.max(0, id + 1 - oldestId), () => true)
  }

  /** Looks at all of them: they are not in the order of their timestamps. */
  since(timestampMs: number): BusEvent[] {
    return this.#from(this.#first, (event) => event.timestampMs > timestampMs)
  }

  get oldest(): BusEvent | undefined {
    return this.#slots[this.#first]
  }

  get count(): number {
    return this.#slots.length - this.#first
  }

  get bytes(): number {
    return this.#bytes
  }

  get settlements(): number {
    return this.#settlements
  }

  /** How many had to go before their time. */
  get dropped(): number {
    return this.#dropped
  }

  #from(start: number, isWanted: (event: BusEvent) => boolean): BusEvent[] {
    const events: BusEvent[] = []
    for (let index = start; index < this.#slots.length; index++) {
      const event = this.#slots[index]
      if (event !== undefined && isWanted(event)) events.push(event)
    }
    return events
  }

  #forget(oldest: BusEvent): void {
    this.#slots[this.#first] = undefined
    this.#first++
    this.#bytes -= oldest.bytes
    if (oldest.type === 'settlement') this.#settlements--
  }
}
