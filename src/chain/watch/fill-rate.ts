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
  /** Fills by block, ascending. */
  readonly #fills = new Map<number, number>()

  add(block: number, fills: number): void {
    this.#fills.set(block, fills)
    for (const old of this.#fills.keys()) {
      if (old > block - FILL_RATE_BLOCKS) break
      this.#fills.delete(old)
    }
  }

  /** A reorganisation took back every block above this one. */
  cut(toBlock: number): void {
    for (const block of this.#fills.keys()) if (block > toBlock) this.#fills.delete(block)
  }

  /** `undefined`: as usual, or not seen for long enough to tell. */
  get fall(): { usual: number; recent: number } | undefined {
    const fills = [...this.#fills.values()]
    const usual = fills.slice(0, -RECENT_BLOCKS)
    const usualFills = sum(usual)
    if (usualFills < USUAL_FILLS_MIN) return undefined
    const perBlock = {
      usual: usualFills / usual.length,
      recent: sum(fills.slice(-RECENT_BLOCKS)) / RECENT_BLOCKS,
    }
    return perBlock.recent < perBlock.usual * FALLEN_SHARE ? perBlock : undefined
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0)
