import type { Head } from './parse.js'

/** Blocks whose heads were not all seen. Both ends are included. */
export type HeadGap = { fromBlock: number; toBlock: number }

/** Deeper than any reorganisation that the chain still allows. */
const KEPT_MAX = 256

/**
 * Follows the heads that a node announces and notices what it did not announce. A head at or below
 * the last one replaces what was there.
 */
export class HeadTrack {
  readonly #hashes = new Map<number, string>()
  #last: number | undefined
  #interrupted = false

  get isInterrupted(): boolean {
    return this.#interrupted
  }

  /** Something was lost: of the last block and of the next one not everything may have come. */
  interrupt(): void {
    this.#interrupted = true
  }

  /** `undefined`: the head came before. Otherwise what is missing between it and the ones before. */
  accept(head: Head): { gap: HeadGap | undefined } | undefined {
    if (this.#hashes.get(head.number) === head.hash) return undefined
    const gap = this.#last === undefined ? undefined : this.#gapBefore(head, this.#last)
    this.#remember(head)
    this.#interrupted = false
    return { gap }
  }

  #gapBefore({ number, parentHash }: Head, last: number): HeadGap | undefined {
    const known = this.#hashes.get(number - 1)
    // Its parent is another block than the one we saw: we missed how that one was replaced.
    const isReplaced = known !== undefined && known !== parentHash
    if (this.#interrupted)
      return { fromBlock: Math.min(last, isReplaced ? number - 1 : number), toBlock: number }
    if (last + 1 < number) return { fromBlock: last + 1, toBlock: number - 1 }
    return isReplaced ? { fromBlock: number - 1, toBlock: number - 1 } : undefined
  }

  /** What was above it is no longer there. */
  #remember({ number, hash }: Head): void {
    for (const known of this.#hashes.keys())
      if (known > number || known <= number - KEPT_MAX) this.#hashes.delete(known)
    this.#hashes.set(number, hash)
    this.#last = number
  }
}
