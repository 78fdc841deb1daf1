import type { Upstreams } from '../../src/upstreams/upstreams.js'
import type { Seen } from './readers.js'

/** Seconds that may still be on their way. */
const ON_ITS_WAY_SEC = 30

/** What the upstreams still serve and our readers do not have. */
export async function findLosses(upstreams: Upstreams, seen: Seen, startedMs: number): Promise<string[]> {
  return [...(await lostBlocks(upstreams, seen)), ...lostSeconds(seen, startedMs)]
}

async function lostBlocks({ polygon }: Upstreams, { blocks }: Seen): Promise<string[]> {
  const losses: string[] = []
  const newest = Math.max(...blocks.keys())
  for (let number = Math.min(...blocks.keys()); number <= newest; number++) {
    const hash = (await polygon?.getBlock(number))?.hash
    if (blocks.get(number) !== hash) losses.push(`block ${number} is not the one that we have`)
  }
  return losses
}

function lostSeconds({ btcSeconds }: Seen, startedMs: number): string[] {
  const from = Math.min(...btcSeconds)
  const to = Math.floor(Date.now() / 1000) - ON_ITS_WAY_SEC
  const lost: number[] = []
  for (let sec = from; sec <= to; sec++) if (!btcSeconds.has(sec)) lost.push(sec)
  const late = from - startedMs / 1000 > ON_ITS_WAY_SEC
  return [
    ...(lost.length > 0 ? [`${lost.length} seconds of Bitcoin never came, first ${lost[0]}`] : []),
    ...(late ? [`the first price came ${Math.round(from - startedMs / 1000)} s after the start`] : []),
  ]
}
