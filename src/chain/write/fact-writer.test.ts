import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { hashTables } from '../../../test/table-hashes.js'
import { seqOf } from '../../core/seq.js'
import type { Entry } from '../../ledger/entry.js'
import { eachEntries, walletEntries } from '../facts/entries.js'
import { createBatchFacts } from '../facts/registry.js'
import { IdRegistry } from '../ids/id-registry.js'
import { deleteFactsFrom, writeFacts } from './fact-writer.js'
import { address, EXCHANGE, FIRST_BLOCK, splitBlocks, testBatch, word, writeTestBatch } from './test-batch.js'

const LAST_BLOCK = FIRST_BLOCK + 50
const RANGE = { fromSeq: 0, toSeq: seqOf(LAST_BLOCK + 1, 0) - 1 }

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const empty = () => database.sql.begin((tx) => deleteFactsFrom(tx, FIRST_BLOCK))
beforeEach(empty)

async function collect(chunks: AsyncGenerator<Entry[]>): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const chunk of chunks) entries.push(...chunk)
  return entries
}

const wallet = async (name: string): Promise<number> => {
  const [row] = await database.sql<{ id: number }[]>`
    select id from wallets where address = decode(${name.slice(2)}, 'hex')`
  return row?.id ?? Number.NaN
}

describe('a batch that was written', () => {
  test('is read back as the entries that it was booked with', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        await empty()
        const facts = testBatch(FIRST_BLOCK, LAST_BLOCK, seed)
        const entries = await writeTestBatch(database.sql, new IdRegistry(), facts)
        expect(await collect(eachEntries(database.sql, RANGE))).toEqual(entries)
        expect(await collect(eachEntries(database.sql, RANGE, 6))).toEqual(entries)
      }),
      { numRuns: 5 },
    )
  })

  test('gives each wallet what touches it, on whatever side and in the same order', async () => {
    const facts = testBatch(FIRST_BLOCK, LAST_BLOCK)
    const entries = await writeTestBatch(database.sql, new IdRegistry(), facts)
    for (const name of [EXCHANGE, `0x${'0'.repeat(40)}`, address(0), address(7), address(20)]) {
      const id = await wallet(name)
      const touching = entries.filter((entry) => {
        if (entry.kind === 'supply') return false
        if (entry.kind === 'transfer') return entry.from === id || entry.to === id
        if (entry.kind === 'fill' && entry.exchange === id) return true
        const isCore = (entry.kind === 'split' || entry.kind === 'redemption') && entry.isCore
        return entry.wallet === id || (isCore && id === 0)
      })
      expect(touching.length).toBeGreaterThan(2)
      expect(await collect(walletEntries(database.sql, [id]))).toEqual(touching)
      expect(await collect(walletEntries(database.sql, [id], RANGE, 6))).toEqual(touching)
    }
  })

  test('leaves the same rows however it was cut into batches, and whatever memory holds', async () => {
    await writeTestBatch(database.sql, new IdRegistry(), testBatch(FIRST_BLOCK, LAST_BLOCK))
    const whole = await hashTables(database.sql)
    const batches = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(batches, fc.boolean(), async (sizes, isForgetful) => {
        await empty()
        const names = new IdRegistry(isForgetful ? { walletsMax: 1, tokensMax: 1 } : {})
        for (const [from, to] of splitBlocks(FIRST_BLOCK, LAST_BLOCK, sizes)) {
          await writeTestBatch(database.sql, names, testBatch(from, to))
        }
        expect(await hashTables(database.sql)).toEqual(whole)
      }),
      { numRuns: 5 },
    )
  })

  test('leaves the same rows after a transaction that failed at its end', async () => {
    const first = testBatch(FIRST_BLOCK, FIRST_BLOCK + 20)
    const second = testBatch(FIRST_BLOCK + 21, LAST_BLOCK)
    await writeTestBatch(database.sql, new IdRegistry(), first)
    await writeTestBatch(database.sql, new IdRegistry(), second)
    const undisturbed = await hashTables(database.sql)

    await empty()
    const names = new IdRegistry()
    await writeTestBatch(database.sql, names, first)
    const killed = database.sql.begin(async (tx) => {
      await names.resolve(tx, second, { journal: true })
      await writeFacts(tx, second, names)
      throw new Error('killed')
    })
    await expect(killed).rejects.toThrow('killed')
    names.forget()
    await writeTestBatch(database.sql, names, second)
    expect(await hashTables(database.sql)).toEqual(undisturbed)
  })

  test('leaves no trace of blocks without facts', async () => {
    const facts = testBatch(FIRST_BLOCK, FIRST_BLOCK)
    const end = { number: LAST_BLOCK, hash: word(1), parentHash: word(0), timeSec: 1 }
    facts.blocks.push(end)
    await writeTestBatch(database.sql, new IdRegistry(), facts)
    expect(await database.sql`select number from blocks`).toEqual([{ number: FIRST_BLOCK }])
  })

  test('keeps logs that are not hex apart, and a log that is refused twice once', async () => {
    const log = { seq: seqOf(FIRST_BLOCK, 1), txHash: word(0), contract: address(1), topics: [] }
    const facts = createBatchFacts()
    facts.rawLogs.push(
      { ...log, kind: 'unknown', data: '0xzz' },
      { ...log, seq: log.seq + 1, kind: 'unknown', topics: ['0x1'], data: '0x' },
      { ...log, seq: log.seq + 2, kind: 'unknown', topics: [word(5)], data: '0x' },
    )
    const refused = { ...log, data: 'a\0b', reason: 'undecodable', detail: 'first' } as const
    facts.quarantine.push(refused, { ...refused, detail: 'second' })
    await writeTestBatch(database.sql, new IdRegistry(), facts)
    expect(await database.sql`select topics, data from raw_logs`).toEqual([
      { topics: [Buffer.from(word(5).slice(2), 'hex')], data: Buffer.alloc(0) },
    ])
    expect(await database.sql`select detail, topics, data from quarantine order by seq`).toEqual([
      { detail: 'first', topics: '', data: 'a\ufffdb' },
      { detail: 'not hex', topics: '0x1', data: '0x' },
    ])
  })
})
