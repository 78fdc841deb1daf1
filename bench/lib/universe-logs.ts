import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { EncodedBlocks } from '../../sim/polygon/encoded-blocks.js'
import type { Block } from '../../sim/universe/block.js'
import { Universe } from '../../sim/universe/universe.js'
import { KNOWN_TOPICS, WATCHED } from '../../src/upstreams/polygon/filter.js'

// A process of its own, so that a simulated world takes no memory from the process that is measured. For each
// line of its input, a number of bytes, it prints this much of the chain, a block to a line, and an
// empty line. In between it sleeps.

const START_MS = Date.UTC(2026, 10, 14, 12)
const INTENSITY = Number(process.argv[2])
/** A world remembers all that happened in it: after half a day the next one goes on. */
const ERA_MS = 12 * 3_600_000
/** Wallets come back with their seed; markets are always new. */
const SEEDS = 4
const STEP_MS = 10_000

const ADDRESSES = new Set(WATCHED.address)
const TOPICS = new Set(KNOWN_TOPICS)

const blocks = eachBlock()
for await (const line of createInterface(process.stdin)) {
  await print(Number(line))
}

async function print(bytes: number): Promise<void> {
  for (let printed = 0; printed < bytes; ) {
    const { value: text } = blocks.next()
    if (text === undefined) break
    printed += text.length
    if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain')
  }
  process.stdout.write('\n')
}

function* eachBlock(): Generator<string, undefined> {
  for (let era = 0; ; era++) yield* eachBlockOf(1 + (era % SEEDS), START_MS + era * ERA_MS)
}

/** Without the half hour of old contracts that every universe begins with. */
function* eachBlockOf(seed: number, startMs: number): Generator<string> {
  const universe = new Universe({ seed, startMs, intensity: INTENSITY })
  const encoded = new EncodedBlocks(universe.chain)
  universe.advance(startMs - 1)
  let next = universe.chain.head.number + 1
  for (let nowMs = startMs + STEP_MS; nowMs <= startMs + ERA_MS; nowMs += STEP_MS) {
    universe.advance(nowMs)
    for (; next <= universe.chain.head.number; next++) {
      const block = universe.chain.block(next)
      if (block !== undefined) yield showBlock(universe, encoded, block)
    }
  }
}

function showBlock({ chain }: Universe, encoded: EncodedBlocks, block: Block): string {
  const logs = encoded
    .get(block)
    .transactions.flatMap((transaction) => transaction.logs)
    .filter(({ body }) => ADDRESSES.has(body.address) && TOPICS.has(body.topics[0] ?? ''))
    .map((log) => log.show())
  const head = { hash: chain.hashOf(block), timeSec: block.timestampSec }
  return `{"head":${JSON.stringify(head)},"logs":[${logs.join()}]}`
}
