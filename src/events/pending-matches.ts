/**
 * Remembers which matches were published, so that each transaction gives one settlement and one
 * confirmation for each block that it is in. A reorganisation may move a transaction to another
 * block: it is then confirmed again, with the time of its first detection. A block that a second
 * reorganisation brings back confirms nothing twice.
 */
export class PendingMatches {
  /** Times of detection, oldest first. */
  readonly #pending = new Map<string, number>()
  readonly #settled = new Map<string, Settled>()
  /** Confirmations of blocks that are not committed yet. */
  readonly #staged = new Map<string, Settled>()
  #forgotten = 0

  /** False: it was published before. */
  add(txHash: string, nowMs: number): boolean {
    this.#forget(nowMs)
    if (this.#pending.has(txHash) || this.#settled.has(txHash)) return false
    this.#pending.set(txHash, nowMs)
    return true
  }

  /**
   * `undefined`: this block has confirmed it before. `isNew`: nothing was published about it yet. It
   * counts as confirmed when `commit` is called.
   */
  confirm(txHash: string, blockHash: string, nowMs: number) {
    const before = this.#staged.get(txHash) ?? this.#settled.get(txHash)
    if (before?.blockHashes.includes(blockHash)) return undefined
    const detectedMs = before?.detectedMs ?? this.#pending.get(txHash)
    const isNew = before === undefined && detectedMs === undefined
    const blockHashes = [...(before?.blockHashes ?? []), blockHash]
    this.#staged.set(txHash, { detectedMs, settledMs: nowMs, blockHashes })
    return { detectedMs, isNew }
  }

  /** The blocks of the last confirmations are booked. */
  commit(nowMs: number): void {
    this.#forget(nowMs)
    for (const [txHash, settled] of this.#staged) {
      this.#pending.delete(txHash)
      this.#settled.delete(txHash)
      this.#settled.set(txHash, settled)
    }
    this.#staged.clear()
  }

  /** The blocks of the last confirmations were rolled back. */
  rollback(): void {
    this.#staged.clear()
  }

  /** Matches that wait for a block. */
  get count(): number {
    return this.#pending.size
  }

  /** Matches that were in no block within PENDING_MS_MAX. */
  get forgotten(): number {
    return this.#forgotten
  }

  /** Both maps have their oldest entries first. */
  #forget(nowMs: number): void {
    for (const [txHash, detectedMs] of this.#pending) {
      if (detectedMs >= nowMs - PENDING_MS_MAX && this.#pending.size <= COUNT_MAX) break
      this.#pending.delete(txHash)
      this.#forgotten++
    }
    for (const [txHash, { settledMs }] of this.#settled) {
      if (settledMs >= nowMs - SETTLED_MS_MAX && this.#settled.size <= COUNT_MAX) break
      this.#settled.delete(txHash)
    }
  }
}

type Settled = { detectedMs: number | undefined; settledMs: number; blockHashes: string[] }

const PENDING_MS_MAX = 10 * 60_000
/** Longer than the deepest reorganisation reaches back. */
const SETTLED_MS_MAX = 15 * 60_000
const COUNT_MAX = 100_000
