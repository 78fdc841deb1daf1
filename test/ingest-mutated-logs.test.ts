import { expect, onTestFinished, test } from 'vitest'
import { Universe } from '../sim/universe/universe.js'
import { simulatedLogs } from '../src/chain/attribute/test-simulated-logs.js'
import type { Batch } from '../src/chain/read/batch.js'
import { BlockWriter } from '../src/chain/write/block-writer.js'
import { createPool } from '../src/store/connection.js'
import type { ChainLog } from '../src/upstreams/polygon/log.js'
import { createTestDatabase } from './database.js'
import { auditAll } from './ingest.js'
import { randomFrom } from './random.js'
import { hashTables } from './table-hashes.js'

const START_MS = Date.UTC(2026, 10, 3)
const FAR_BLOCKS = 300
const FAR_BATCHES = 3
const NEAR_BLOCKS = 10
const NEAR_BATCHES = 8

const universe = new Universe({ seed: 71, startMs: START_MS })
universe.advance(START_MS + 5 * 60_000)
const { chain } = universe
const logs = simulatedLogs(universe)

const LIES = ['collateral of claims', 'holdings', 'matches', 'fees', 'results', 'derived ids']

const DIGITS = 64
/** Numbers that mean something somewhere, or nothing anywhere. */
const WORDS = [0n, 1n, 2n, 64n, 10n ** 6n, 2n ** 53n - 1n, 2n ** 63n, 2n ** 255n, 2n ** 256n - 1n].map(
  (value) => value.toString(16).padStart(DIGITS, '0'),
)

/** One log in six has another word somewhere in its data or its topics. */
function mutate(log: ChainLog, below: (bound: number) => number): ChainLog {
  if (below(6) > 0) return log
  const { data, topics } = log
  const word = WORDS[below(WORDS.length)] ?? ''
  const words = Math.floor((data.length - 2) / DIGITS)
  const place = below(words + topics.length - 1)
  if (place >= words) return { ...log, topics: topics.with(place - words + 1, `0x${word}`) }
  const at = 2 + place * DIGITS
  return { ...log, data: data.slice(0, at) + word + data.slice(at + DIGITS) }
}

function batchOf(given: readonly ChainLog[], fromBlock: number, toBlock: number): Batch {
  const isNearHead = toBlock - fromBlock < NEAR_BLOCKS
  const blocks = []
  for (let number = isNearHead ? fromBlock : toBlock; number <= toBlock; number++) {
    const block = chain.block(number)
    if (block === undefined) throw new Error(`there is no block ${number}`)
    const [hash, parentHash] = [chain.hashOf(block), chain.parentHashOf(block)]
    blocks.push({ number, hash, parentHash, timeSec: block.timestampSec })
  }
  const ofBatch = given.filter(({ at }) => at.blockNumber >= fromBlock && at.blockNumber <= toBlock)
  return { fromBlock, toBlock, logs: ofBatch, blocks, isNearHead }
}

test.each([1, 2, 3, 4])('wrong numbers in logs stop nothing, and the books add up (%i)', async (seed) => {
  const database = await createTestDatabase()
  const pool = createPool(database.target, 2)
  onTestFinished(async () => {
    await pool.end({ timeout: 1 })
    await database.drop()
  })
  const below = randomFrom(seed)
  const mutated = logs.map((log) => mutate(log, below))
  const line = await BlockWriter.open({ pool })
  let next = chain.firstNumber
  const book = async (batches: number, size: number) => {
    for (let count = 0; count < batches; count++, next += size)
      await line.append([batchOf(mutated, next, next + size - 1)])
  }
  await book(FAR_BATCHES, FAR_BLOCKS)
  await book(1, NEAR_BLOCKS)
  const middle = next - 1
  const before = await hashTables(database.sql)
  await book(NEAR_BATCHES, NEAR_BLOCKS)
  expect((await database.sql`select from quarantine`).length).toBeGreaterThan(100)
  expect((await database.sql`select from fills`).length).toBeGreaterThan(100)
  // Logs that lie make collateral that was never paid in, wallets that give what they never had,
  // and matches, fees, results and ids that contradict each other.
  expect(await auditAll(database, LIES)).toEqual([])

  await line.revert(middle)
  expect(await hashTables(database.sql)).toEqual(before)
})
