import { EncodedBlocks } from '../../sim/polygon/encoded-blocks.js'
import type { Block } from '../../sim/universe/block.js'
import type { Chain } from '../../sim/universe/chain.js'
import { Universe } from '../../sim/universe/universe.js'
import { KNOWN_TOPICS, WATCHED } from '../../src/upstreams/polygon/filter.js'

/** `logs`: the watched ones, as a node shows them. */
export type UniverseBlock = { chain: Chain; block: Block; hash: string; logs: string[] }

const STEP_MS = 10_000
const ADDRESSES = new Set(WATCHED.address)
const TOPICS = new Set(KNOWN_TOPICS)

/** The blocks of a simulated world, without the half hour of old contracts that every universe begins with. */
export function* eachUniverseBlock(
  options: { seed: number; startMs: number; intensity: number },
  endMs: number,
): Generator<UniverseBlock, undefined> {
  const universe = new Universe(options)
  const { chain } = universe
  const encoded = new EncodedBlocks(chain)
  universe.advance(options.startMs - 1)
  let next = chain.head.number + 1
  for (let nowMs = options.startMs + STEP_MS; nowMs <= endMs; nowMs += STEP_MS) {
    universe.advance(nowMs)
    for (; next <= chain.head.number; next++) {
      const block = chain.block(next)
      if (block === undefined) continue
      const { hash, transactions } = encoded.get(block)
      const logs = transactions
        .flatMap((transaction) => transaction.logs)
        .filter(({ body }) => ADDRESSES.has(body.address) && TOPICS.has(body.topics[0] ?? ''))
        .map((log) => log.show())
      yield { chain, block, hash, logs }
    }
  }
}
