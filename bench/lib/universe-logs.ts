import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { eachUniverseBlock, type UniverseBlock } from './universe-blocks.js'

// A process of its own, so that a simulated world takes no memory from the process that is measured. For each
// line of its input, a number of bytes, it prints this much of the chain, a block to a line, and an
// empty line. In between it sleeps.

const START_MS = Date.UTC(2026, 10, 14, 12)
const INTENSITY = Number(process.argv[2])
/** A world remembers all that happened in it: after half a day the next one goes on. */
const ERA_MS = 12 * 3_600_000
/** Wallets come back with their seed; markets are always new. */
const SEEDS = 4

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
  for (let era = 0; ; era++) {
    const startMs = START_MS + era * ERA_MS
    const options = { seed: 1 + (era % SEEDS), startMs, intensity: INTENSITY }
    for (const each of eachUniverseBlock(options, startMs + ERA_MS)) yield showBlock(each)
  }
}

function showBlock({ hash, block, logs }: UniverseBlock): string {
  const head = { hash, timeSec: block.timestampSec }
  return `{"head":${JSON.stringify(head)},"logs":[${logs.join()}]}`
}
