import { LRUCache } from 'lru-cache'
import type { TickState } from '../archive/queries.js'
import type { RenderedBlock } from './render-block.js'

const ENTRY_OVERHEAD_BYTES = 400
/** So long the archive is taken to be as it was when it was last asked. */
const TRUST_MS = 1_000

/**
 * Blocks that were rendered before, within a bound of memory. Ranges of ticks overlap, and blocks that
 * are over hardly ever change: most of a large answer is bytes that lie here.
 */
export class RenderedBlocks {
  readonly #blocks: LRUCache<string, RenderedBlock>
  #state: TickState = { packedUntil: 0, revision: 0 }
  #trustedUntilMs = Number.NEGATIVE_INFINITY

  constructor(bytesMax: number) {
    this.#blocks = new LRUCache({ maxSize: bytesMax, sizeCalculation: sizeOf })
  }

  get bytes(): number {
    return this.#blocks.calculatedSize
  }

  /** What the archive said a moment ago; `undefined`: that is too long ago. */
  stateAt(nowMs: number): TickState | undefined {
    const leftMs = this.#trustedUntilMs - nowMs
    // More than that is left when the clock was set back.
    return leftMs > 0 && leftMs <= TRUST_MS ? this.#state : undefined
  }

  /** To be told what the archive says: late ticks change blocks. */
  follow({ packedUntil, revision }: TickState, nowMs: number): void {
    if (revision < this.#state.revision) return
    if (revision > this.#state.revision) this.#blocks.clear()
    this.#state = { packedUntil, revision }
    this.#trustedUntilMs = nowMs + TRUST_MS
  }

  get(key: string): RenderedBlock | undefined {
    return this.#blocks.get(key)
  }

  /** `revision`: what the archive said before the block was read. */
  set(key: string, rendered: RenderedBlock, revision: number): void {
    if (revision === this.#state.revision) this.#blocks.set(key, rendered)
  }
}

const sizeOf = ({ bytes, starts, ticksBefore }: RenderedBlock, key: string): number =>
  bytes.length + starts.byteLength + ticksBefore.byteLength + key.length + ENTRY_OVERHEAD_BYTES
