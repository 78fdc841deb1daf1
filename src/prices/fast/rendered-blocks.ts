// Fast: ticks become JSON by hand, once for each block, and are kept as bytes. With the rest of this
// folder 100,000 ticks take 0.03 of the time of a row for each tick and `JSON.stringify`
// (`npm run bench ticks`). Plain twin: `showTicks` in ../ticks/test-tick-app.ts.

import { LRUCache } from 'lru-cache'
import type { PriceKind } from '../../upstreams/prices/source.js'
import type { TickState } from '../archive/queries.js'
import { type CoinSymbol, feedOf, MEAN_SECONDS, streamId, TICK_SOURCES, type TickSource } from '../streams.js'
import { BLOCK_SEC, type TickBlock } from './tick-block.js'

/** The ticks of five minutes as JSON, each with a comma before it. */
export type RenderedBlock = {
  bytes: Buffer
  /** Where each tick begins, and at last where all end. */
  starts: Uint32Array
  /** How many ticks come before each second, and at last how many there are. */
  ticksBefore: Uint16Array
}

/** In the order of time; of the same second in the order of the sources. `byStream`: by their ids. */
export function renderBlock(
  symbol: CoinSymbol,
  kind: PriceKind,
  block: number,
  byStream: ReadonlyMap<number, TickBlock>,
): RenderedBlock {
  const writers = TICK_SOURCES.flatMap((source) => {
    const ticks = byStream.get(streamId({ symbol, kind, source }))
    return ticks === undefined ? [] : { ticks, write: createWriter(symbol, kind, source) }
  })
  const startSec = block * BLOCK_SEC
  const starts: number[] = []
  const ticksBefore = new Uint16Array(BLOCK_SEC + 1)
  let text = ''
  for (let slot = 0; slot < BLOCK_SEC; slot++) {
    ticksBefore[slot] = starts.length
    for (const { ticks, write } of writers) {
      const price = ticks.priceAt(slot)
      if (Number.isNaN(price)) continue
      starts.push(text.length)
      text += write(startSec + slot, price, ticks.bidAt(slot), ticks.askAt(slot))
    }
  }
  ticksBefore[BLOCK_SEC] = starts.length
  starts.push(text.length)
  // Nothing in a tick is outside ASCII: a character is a byte.
  return { bytes: Buffer.from(text, 'latin1'), starts: Uint32Array.from(starts), ticksBefore }
}

/** Written by hand: what is the same in every tick of a stream is put together once. */
function createWriter(symbol: CoinSymbol, kind: PriceKind, source: TickSource) {
  const feed = `"feed":"${feedOf(symbol)}"`
  const sequence = TICK_SOURCES.indexOf(source)
  const seconds = MEAN_SECONDS[kind]
  const mean = seconds === undefined ? '' : `,"is_twap":true,"twap_window_seconds":${seconds}`
  const afterId = `000-${sequence}","type":"price_feed",${feed},"timestamp":`
  const afterMs = `000,"source":"${source}"${mean},"data":{${feed},"price":`
  const end = `${mean}}}`
  return (sec: number, price: number, bid: number, ask: number): string =>
    `,{"id":"${sec}${afterId}${sec},"timestamp_ms":${sec}${afterMs}${price},"bid":${bid},"ask":${ask},"timestamp":${sec}${end}`
}

const ENTRY_OVERHEAD_BYTES = 400
/** For this long the state of the archive is not read again. */
const TRUST_MS = 1_000

/**
 * Caches rendered blocks, within a bound of memory. Ranges of ticks overlap, and blocks that are over
 * hardly ever change: most of a large answer is bytes from this cache.
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

  /** The state of the archive as last read; `undefined`: that is too long ago. */
  stateAt(nowMs: number): TickState | undefined {
    const leftMs = this.#trustedUntilMs - nowMs
    // More than that is left when the clock was set back.
    return leftMs > 0 && leftMs <= TRUST_MS ? this.#state : undefined
  }

  /** To be called with every state that is read: late ticks change blocks and move the revision. */
  follow({ packedUntil, revision }: TickState, nowMs: number): void {
    if (revision < this.#state.revision) return
    if (revision > this.#state.revision) this.#blocks.clear()
    this.#state = { packedUntil, revision }
    this.#trustedUntilMs = nowMs + TRUST_MS
  }

  get(key: string): RenderedBlock | undefined {
    return this.#blocks.get(key)
  }

  /** `revision`: that of the archive before the block was read. */
  set(key: string, rendered: RenderedBlock, revision: number): void {
    if (revision === this.#state.revision) this.#blocks.set(key, rendered)
  }
}

const sizeOf = ({ bytes, starts, ticksBefore }: RenderedBlock, key: string): number =>
  bytes.length + starts.byteLength + ticksBefore.byteLength + key.length + ENTRY_OVERHEAD_BYTES
