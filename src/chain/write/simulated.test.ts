import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Universe } from '../../../sim/universe/universe.js'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { hashTables } from '../../../test/table-hashes.js'
import { endOfBlock } from '../../core/seq.js'
import type { Entry } from '../../ledger/entry.js'
import { attributeBatch } from '../attribute/attribute-batch.js'
import { simulatedLogs } from '../attribute/test-simulated-logs.js'
import { eachEntries } from '../facts/entries.js'
import { IdRegistry } from '../ids/id-registry.js'
import { deleteFactsFrom } from './fact-writer.js'
import { splitBlocks, writeTestBatch } from './test-batch.js'

const START_MS = Date.UTC(2026, 10, 3)

const universe = new Universe({ seed: 21, startMs: START_MS, intensity: 0.2 })
universe.advance(START_MS + 40 * 60_000)
const logs = simulatedLogs(universe)
const firstBlock = logs[0]?.at.blockNumber ?? 0
const lastBlock = logs.at(-1)?.at.blockNumber ?? 0

const sliceOf = (from: number, to: number) =>
  attributeBatch({
    logs: logs.filter(({ at }) => at.blockNumber >= from && at.blockNumber <= to),
    blocks: [],
  })

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.sql.begin((tx) => deleteFactsFrom(tx, firstBlock)))

test('the facts of a simulated chain come back as the entries that were booked', async () => {
  const entries = await writeTestBatch(database.sql, new IdRegistry(), sliceOf(firstBlock, lastBlock))
  expect(new Set(entries.map(({ kind }) => kind)).size).toBeGreaterThan(4)
  const read: Entry[] = []
  const range = { fromSeq: 0, toSeq: endOfBlock(lastBlock) }
  for await (const chunk of eachEntries(database.sql, range)) read.push(...chunk)
  expect(read).toEqual(entries)
})

test('and leave the same rows in batches of any size', async () => {
  await writeTestBatch(database.sql, new IdRegistry(), sliceOf(firstBlock, lastBlock))
  const whole = await hashTables(database.sql)
  await database.sql.begin((tx) => deleteFactsFrom(tx, firstBlock))
  const names = new IdRegistry({ walletsMax: 100, tokensMax: 50 })
  for (const [from, to] of splitBlocks(firstBlock, lastBlock, [200, 31, 170, 77])) {
    await writeTestBatch(database.sql, names, sliceOf(from, to))
  }
  expect(await hashTables(database.sql)).toEqual(whole)
})
