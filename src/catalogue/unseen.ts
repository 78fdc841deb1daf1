import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'

/** Hex text of 32 bytes, by what they are. */
export type Keys = { tokens: string[]; conditions: string[] }

type Kind = keyof Keys

export type UnseenLimits = {
  /** Keys that wait or are being looked up. What comes on top is dropped: it will be asked for again. */
  waitingMax: number
  /** Keys that are remembered as not to be found. */
  absentMax: number
}

/** How long something that was not found is not looked for again, by how often that happened. */
const ABSENT_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000]

/** Tokens and conditions that somebody asked for and memory does not have. */
export class Unseen {
  readonly #clock: Clock
  readonly #limits: UnseenLimits
  readonly #waiting = new Map<string, Kind>()
  readonly #underWay = new Set<string>()
  readonly #absent: LRUCache<string, { times: number; untilMs: number }>
  #wake: () => void = () => undefined
  #dropped = 0

  constructor(clock: Clock, limits: UnseenLimits) {
    this.#clock = clock
    this.#limits = limits
    this.#absent = new LRUCache({ max: limits.absentMax })
  }

  get waiting(): number {
    return this.#waiting.size + this.#underWay.size
  }

  get absent(): number {
    return this.#absent.size
  }

  get dropped(): number {
    return this.#dropped
  }

  add(kind: Kind, key: string): void {
    if (this.#waiting.has(key) || this.#underWay.has(key)) return
    const absent = this.#absent.get(key)
    if (absent !== undefined && this.#clock.now() < absent.untilMs) return
    if (this.waiting >= this.#limits.waitingMax) {
      this.#dropped++
      return
    }
    this.#waiting.set(key, kind)
    this.#wake()
  }

  /** The longest waiting ones. They are under way until `settle` or `putBack`. */
  take(max: number): Keys {
    const keys: Keys = { tokens: [], conditions: [] }
    for (const [key, kind] of this.#waiting) {
      if (keys.tokens.length + keys.conditions.length >= max) break
      keys[kind].push(key)
      this.#waiting.delete(key)
      this.#underWay.add(key)
    }
    return keys
  }

  settle(key: string, isFound: boolean): void {
    this.#underWay.delete(key)
    if (isFound) {
      this.#absent.delete(key)
      return
    }
    const times = this.#absent.peek(key)?.times ?? 0
    const delayMs = ABSENT_MS[times] ?? ABSENT_MS.at(-1) ?? 0
    this.#absent.set(key, { times: times + 1, untilMs: this.#clock.now() + delayMs })
  }

  /** For those that could not be looked up now. */
  putBack({ tokens, conditions }: Keys): void {
    for (const key of tokens) this.#return('tokens', key)
    for (const key of conditions) this.#return('conditions', key)
  }

  /** Resolves as soon as something waits, or when the signal aborts. */
  async some(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size > 0 || signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#wake = () => {
        signal.removeEventListener('abort', this.#wake)
        this.#wake = () => undefined
        resolve()
      }
      signal.addEventListener('abort', this.#wake)
    })
  }

  #return(kind: Kind, key: string): void {
    if (this.#underWay.delete(key)) this.#waiting.set(key, kind)
  }
}
