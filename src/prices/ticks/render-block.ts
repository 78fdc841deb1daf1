import type { PriceKind } from '../../upstreams/prices/source.js'
import { BLOCK_SEC, type TickBlock } from '../archive/tick-block.js'
import { type CoinSymbol, feedOf, MEAN_SECONDS, TICK_SOURCES, type TickSource } from '../streams.js'

/** What one source told in five minutes. */
export type SourceTicks = { source: TickSource; ticks: TickBlock }

/** The ticks of five minutes as JSON, each with a comma before it. */
export type RenderedBlock = {
  bytes: Buffer
  /** Where each tick begins, and at last where all end. */
  starts: Uint32Array
  /** How many ticks come before each second, and at last how many there are. */
  ticksBefore: Uint16Array
}

/** In the order of time; of the same second in the order of the sources. */
export function renderBlock(
  symbol: CoinSymbol,
  kind: PriceKind,
  block: number,
  parts: readonly SourceTicks[],
): RenderedBlock {
  const writers = parts
    .toSorted((a, b) => TICK_SOURCES.indexOf(a.source) - TICK_SOURCES.indexOf(b.source))
    .map(({ source, ticks }) => ({ ticks, write: createWriter(symbol, kind, source) }))
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
