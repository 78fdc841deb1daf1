/** The last quarter of an hour, against the hours before it. */
const RECENT_BLOCKS = 450
const USUAL_BLOCKS = 5_400
/** Fewer fills than this in the usual time say nothing about the recent one. */
const USUAL_FILLS_MIN = 500
const FALLEN_SHARE = 0.2

/** How far back it looks. */
export const FILL_RATE_BLOCKS = RECENT_BLOCKS + USUAL_BLOCKS

/**
 * Fills per block, lately and usually. A new generation of exchanges takes the trades away from the
 * contracts that we know, and nothing else than their number shows it.
 */
export class FillRate {
  /** Fills of the blocks that had any, ascending: who is far behind the head sees no others. */
  readonly #fills = new Map<number, number>()
  #head = 0

  add(block: number, fills: number): void {
    this.#head = block
    if (fills > 0) this.#fills.set(block, fills)
    for (const old of this.#fills.keys()) {
      if (old > block - FILL_RATE_BLOCKS) break
      this.#fills.delete(old)
    }
  }

  /** A reorganisation took back every block above this one. */
  cut(toBlock: number): void {
    this.#head = toBlock
    for (const block of this.#fills.keys()) if (block > toBlock) this.#fills.delete(block)
  }

  /** `undefined`: as usual, or not seen for long enough to tell. */
  get fall(): { usual: number; recent: number } | undefined {
    const recentFrom = this.#head - RECENT_BLOCKS + 1
    const [first = recentFrom] = this.#fills.keys()
    let usualFills = 0
    let recentFills = 0
    for (const [block, fills] of this.#fills) {
      if (block < recentFrom) usualFills += fills
      else recentFills += fills
    }
    if (usualFills < USUAL_FILLS_MIN) return undefined
    const usual = usualFills / (recentFrom - first)
    const recent = recentFills / RECENT_BLOCKS
    return recent < usual * FALLEN_SHARE ? { usual, recent } : undefined
  }
}
