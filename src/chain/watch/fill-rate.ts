/** A quarter of an hour is compared with the three hours before it. */
const RECENT_BLOCKS = 450
const USUAL_BLOCKS = 5_400
/** With fewer fills than this in the earlier blocks the comparison means nothing. */
const USUAL_FILLS_MIN = 500
const FALLEN_SHARE = 0.2

/** How many blocks the comparison needs. */
export const FILL_RATE_BLOCKS = RECENT_BLOCKS + USUAL_BLOCKS

/**
 * Compares the recent fills per block with those before. When trades move to exchange contracts
 * that the table of contracts lacks, only the number of fills shows it.
 */
export class FillRate {
  /** Fills of the blocks that had any, ascending: a catch-up reads no blocks without logs. */
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

  /** Forgets the blocks above this one, which a reorganisation reverted. */
  revert(toBlock: number): void {
    this.#head = toBlock
    for (const block of this.#fills.keys()) if (block > toBlock) this.#fills.delete(block)
  }

  /** `undefined`: no fall, or too few fills for a comparison. */
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
