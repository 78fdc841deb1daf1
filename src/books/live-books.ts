import type { BookChange, LiveBook } from './live-book.js'

/** Live order books of the tokens that are followed, by decimal id. */
export class LiveBooks {
  readonly #listeners = new Set<(changes: readonly BookChange[]) => void>()

  /**
   * Counts one more reader of each token; the books of new ones load. Returns the tokens that are not
   * followed, and must not be released, because this process follows all it can.
   */
  follow(_tokenIds: readonly string[]): readonly string[] {
    return []
  }

  /** Counts one reader less of each token. A book without a reader is kept for a short while. */
  release(_tokenIds: readonly string[]): void {}

  /** Follows the tokens of all open markets, also of those that open later. */
  followAll(): void {}

  releaseAll(): void {}

  /** The tokens that `followAll` follows at this moment. */
  get allTokens(): ReadonlySet<string> {
    return new Set()
  }

  /** `undefined`: it is not followed. */
  get(_tokenId: string): LiveBook | undefined {
    return undefined
  }

  /** Resolves when each of these books was loaded, or when the time is over. Tokens that the exchange does not know count as loaded, and are empty. */
  async untilLoaded(_tokenIds: readonly string[], _timeoutMs: number): Promise<void> {}

  /** The listener is called with the changes of one upstream frame, right after they were applied. Returns what removes it. */
  subscribe(listener: (changes: readonly BookChange[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends all connections to the exchange. */
  close(): void {}
}
