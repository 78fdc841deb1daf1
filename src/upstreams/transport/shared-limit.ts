import { SlidingWindow } from '../../lib/sliding-window.js'

/** The account that a call is made for; `undefined`: it is background work of our own. */
export type Payer = number | undefined

/** Those who send no key pay together. No account has this id. */
export const KEYLESS_PAYER = 0

const weightOf = (payer: Payer): number => (payer === undefined ? 3 : 1)

/** For each call that is free, a payer of weight 1 has this many at most. */
const USED_PER_FREE = 2

/** `requestedAtMs`: when it last wanted a call, whether or not it got one. */
type Account = { window: SlidingWindow; requestedAtMs: number }

/**
 * A limit that payers share: this many calls in any window. A payer takes a call while
 *
 * - it has less than its part of all calls, by the weights of the payers who asked within the window;
 * - it has fewer calls than twice those that are free, times its weight. So a third stays free beside
 *   an account that is alone, and another one that comes does not wait until the first one's are over.
 *
 * Background work that is alone takes everything, because no caller waits for it.
 */
export class SharedLimit {
  readonly #calls: number
  readonly #windowMs: number
  readonly #all: SlidingWindow
  readonly #payers = new Map<Payer, Account>()

  constructor(calls: number, windowMs: number) {
    this.#calls = calls
    this.#windowMs = windowMs
    this.#all = new SlidingWindow(windowMs)
  }

  /** To be called when a payer wants a call: from then on its part is kept for it. */
  ask(payer: Payer, nowMs: number): void {
    this.#forgetIdle(nowMs)
    const known = this.#payers.get(payer)
    if (known !== undefined) known.requestedAtMs = nowMs
    else this.#payers.set(payer, { window: new SlidingWindow(this.#windowMs), requestedAtMs: nowMs })
  }

  mayTake(payer: Payer, nowMs: number): boolean {
    const free = this.#calls - this.#all.count(nowMs)
    if (free <= 0) return false
    if (payer === undefined && this.#payers.size === 1) return true
    const used = this.usedBy(payer, nowMs)
    const weight = weightOf(payer)
    return used < USED_PER_FREE * weight * free && used * this.#weights() < this.#calls * weight
  }

  /** Counts a call of a payer, after `ask`. */
  add(payer: Payer, nowMs: number): void {
    this.#all.add(nowMs)
    this.#payers.get(payer)?.window.add(nowMs)
  }

  usedBy(payer: Payer, nowMs: number): number {
    return this.#payers.get(payer)?.window.count(nowMs) ?? 0
  }

  /** When the next call leaves the window. */
  changesAt(nowMs: number): number {
    return this.#all.freeAt(this.#all.count(nowMs), nowMs)
  }

  /**
   * Why a payer may take nothing now, and for how long at least; `undefined`: it may. `isOwn`: it has
   * what would be its part if one more account came.
   */
  refusal(payer: Payer, nowMs: number): { isOwn: boolean; waitMs: number } | undefined {
    if (this.mayTake(payer, nowMs)) return undefined
    const used = this.usedBy(payer, nowMs)
    const isOwn = used * (this.#weights() + 1) >= this.#calls
    const own = isOwn ? this.#payers.get(payer) : undefined
    const freeAtMs = own === undefined ? this.changesAt(nowMs) : own.window.freeAt(used, nowMs)
    return { isOwn, waitMs: freeAtMs - nowMs }
  }

  #weights(): number {
    let sum = 0
    for (const payer of this.#payers.keys()) sum += weightOf(payer)
    return sum
  }

  /** A payer without calls in the window who has asked for none is no longer counted. */
  #forgetIdle(nowMs: number): void {
    for (const [payer, { window, requestedAtMs }] of this.#payers) {
      if (window.count(nowMs) === 0 && requestedAtMs <= nowMs - this.#windowMs) this.#payers.delete(payer)
    }
  }
}
