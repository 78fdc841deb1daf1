import type { Price } from './archive/latest.js'

/**
 * The newest of the last ticks of these streams. Of the same second the later stream has it: sources
 * are in the order of `TICK_SOURCES`, and the oracle's own word counts more than one passed on.
 */
export function newestTick(
  latest: ReadonlyMap<number, Price>,
  streams: readonly number[],
): Price | undefined {
  let newest: Price | undefined
  for (const stream of streams) {
    const tick = latest.get(stream)
    if (tick !== undefined && tick.sec >= (newest?.sec ?? 0)) newest = tick
  }
  return newest
}
