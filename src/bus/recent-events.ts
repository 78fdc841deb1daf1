import type { BusEvent } from './event.js'

export type RecentLimits = {
  /** Younger events are removed only when one of the two limits below is exceeded. */
  keepMs: number
  bytesMax: number
  countMax: number
}

/** The emptied front of the list is cut off when it is this long, and longer than the rest. */
const EMPTY_SLOTS_MAX = 1024

/** The buffer of the last events, in the order of their seq. */
export class RecentEvents {
  readonly #limits: RecentLimits
  /** The slot of a removed event is cleared at once, so that its memory is free. */
  #slots: (BusEvent | undefined)[] = []
  /** Index of the oldest event. */
  #first = 0
  #bytes = 0
  readonly #countsByType = new Map<string, number>()
  #dropped = 0

  constructor(limits: RecentLimits) {
    this.#limits = limits
  }

  add(event: BusEvent): void {
    this.#slots.push(event)
    this.#bytes += event.bytes
    this.#count(event, 1)
  }

  /** Removes events that are too old, then the oldest until the rest is within the limits. */
  trim(nowMs: number): void {
    const { keepMs, bytesMax, countMax } = this.#limits
    for (let oldest = this.oldest; oldest !== undefined; oldest = this.oldest) {
      const isOld = oldest.publishedMs < nowMs - keepMs
      if (!isOld && this.#bytes <= bytesMax && this.count <= countMax) break
      if (!isOld) this.#dropped++
      this.#remove(oldest)
    }
    if (this.#first < EMPTY_SLOTS_MAX || this.#first < this.count) return
    this.#slots = this.#slots.slice(this.#first)
    this.#first = 0
  }

  /** Oldest first. */
  after(seq: number, countMax = Number.POSITIVE_INFINITY): BusEvent[] {
    const start = this.#indexAfter(seq)
    return this.#from(start, start + countMax, () => true)
  }

  /** The last ones with a lower seq, oldest first. */
  before(seq: number, countMax: number): BusEvent[] {
    const end = this.#indexAfter(seq - 1)
    return this.#from(Math.max(this.#first, end - countMax), end, () => true)
  }

  /** Compares every event: they are not in the order of their timestamps. */
  since(timestampMs: number): BusEvent[] {
    return this.#from(this.#first, this.#slots.length, (event) => event.timestampMs > timestampMs)
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

  countOf(type: string): number {
    return this.#countsByType.get(type) ?? 0
  }

  /** How many events were removed before `keepMs` was over. */
  get dropped(): number {
    return this.#dropped
  }

  #from(start: number, end: number, isWanted: (event: BusEvent) => boolean): BusEvent[] {
    const events: BusEvent[] = []
    for (let index = start; index < Math.min(end, this.#slots.length); index++) {
      const event = this.#slots[index]
      if (event !== undefined && isWanted(event)) events.push(event)
    }
    return events
  }

  /** Index of the first event with a higher seq. */
  #indexAfter(seq: number): number {
    let low = this.#first
    let high = this.#slots.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#slots[middle]?.seq ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  #remove(oldest: BusEvent): void {
    this.#slots[this.#first] = undefined
    this.#first++
    this.#bytes -= oldest.bytes
    this.#count(oldest, -1)
  }

  #count({ type }: BusEvent, change: 1 | -1): void {
    this.#countsByType.set(type, this.countOf(type) + change)
  }
}
