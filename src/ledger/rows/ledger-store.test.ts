import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import type { Sql } from '../../store/connection.js'
import type { Entry, FillEntry, TransferEntry } from '../entry.js'
import { fold } from '../fold.js'
import { LedgerStore } from './ledger-store.js'
import { LEDGER_TABLES } from './tables.js'
import { makeBlocks, OUTCOMES, type TestBlock } from './test-random-blocks.js'
import { revertLedger } from './undo-journal.js'

const TABLES = [
  'positions',
  'wallet_totals',
  'combo_totals',
  'minute_candles',
  'hour_candles',
  'token_totals',
  'builder_totals',
  'builder_days',
  'builder_wallets',
  'supplies',
  'reserves',
  'last_prices',
  'pnl',
]
const FIRST_BLOCK = 1_000

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql`create table pnl_of_all_time partition of pnl default`
})
beforeEach(empty)
afterAll(() => database.drop())

async function empty(): Promise<void> {
  await database.sql`truncate ${database.sql(TABLES)}, undo`
  await database.sql`update undo_floor set block = 0`
}

/** Every table as text, in the order of its rows. */
async function readTables(): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const name of TABLES) {
    const [row] = await database.sql<{ rows: string | null }[]>`
      select string_agg(t::text, E'\n' order by t::text) as rows from ${database.sql(name)} t`
    contents[name] = row?.rows ?? ''
  }
  return contents
}

type BookOptions = { isJournalled?: boolean; announcesIds?: boolean }

async function foldBlocks(tx: Sql, store: LedgerStore, blocks: TestBlock[], options: BookOptions) {
  const { isJournalled = true, announcesIds = true } = options
  if (announcesIds) {
    for (const id of blocks.flatMap(({ newWallets }) => newWallets)) store.addNewWallet(id)
    for (const id of blocks.flatMap(({ newTokens }) => newTokens)) store.addNewToken(id)
  }
  await store.load(
    tx,
    blocks.flatMap(({ entries }) => entries),
  )
  for (const { number, entries } of blocks) {
    store.startBlock(number, isJournalled)
    for (const entry of entries) fold(store, entry)
  }
  await store.write(tx)
}

const book = (store: LedgerStore, blocks: TestBlock[], options: BookOptions = {}) =>
  database.sql.begin((tx) => foldBlocks(tx, store, blocks, options))

let rewinds = 0n
const rewind = (toBlock: number) => database.sql.begin((tx) => revertLedger(tx, toBlock, ++rewinds))

/** In batches of these sizes, over and over. */
async function bookInBatches(store: LedgerStore, blocks: TestBlock[], sizes: number[], options: BookOptions) {
  for (let start = 0, batch = 0; start < blocks.length; batch++) {
    const size = sizes[batch % sizes.length] ?? 1
    await book(store, blocks.slice(start, start + size), options)
    start += size
  }
}

describe('the tables of the ledger', () => {
  test('are the same however blocks are batched, journalled and kept in memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, 2, 16, 64, 1_000),
        fc.boolean(),
        fc.boolean(),
        async (seed, sizes, positionsMax, isJournalled, announcesIds) => {
          const blocks = makeBlocks(seed, FIRST_BLOCK, 24)
          await empty()
          await book(new LedgerStore(OUTCOMES), blocks, {
            isJournalled: false,
            announcesIds: false,
          })
          const expected = await readTables()

          await empty()
          const store = new LedgerStore(OUTCOMES, { positionsMax })
          await bookInBatches(store, blocks, sizes, { isJournalled, announcesIds })
          expect(await readTables()).toEqual(expected)
        },
      ),
      { numRuns: 15 },
    )
  })

  test('are the same when a batch has thousands of rows', async () => {
    const blocks = makeBlocks(2, FIRST_BLOCK, 40, { wallets: 600, entriesMax: 260 })
    await bookInBatches(new LedgerStore(OUTCOMES), blocks, [2], {})
    const expected = await readTables()

    await empty()
    await bookInBatches(new LedgerStore(OUTCOMES), blocks, [20], {})
    expect(await readTables()).toEqual(expected)
  })

  test('are after a rewind what they were after that block', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.nat(12)), {
          minLength: 3,
          maxLength: 6,
        }),
        fc.constantFrom(0, 16, 1_000),
        async (seed, moves, positionsMax) => {
          const blocks = makeBlocks(seed, FIRST_BLOCK, 24)
          const after = await readAfterEach(blocks)

          await empty()
          const store = new LedgerStore(OUTCOMES, { positionsMax })
          let booked = 0
          for (const [forward, back] of moves) {
            await book(store, blocks.slice(booked, booked + forward))
            booked = Math.min(blocks.length, booked + forward)
            expect(await readTables()).toEqual(after[booked])
            if (back === 0) continue
            booked = Math.max(0, booked - back)
            await rewind(FIRST_BLOCK + booked - 1)
            store.forget()
            expect(await readTables()).toEqual(after[booked])
          }
        },
      ),
      { numRuns: 6 },
    )
  })

  /** What the tables hold after the first, second … block; at 0: before any. */
  async function readAfterEach(blocks: TestBlock[]): Promise<Record<string, string>[]> {
    await empty()
    const after = [await readTables()]
    const store = new LedgerStore(OUTCOMES)
    for (const block of blocks) {
      await book(store, [block], { isJournalled: false })
      after.push(await readTables())
    }
    return after
  }

  test('have nothing of a transaction that was rolled back', async () => {
    const blocks = makeBlocks(3, FIRST_BLOCK, 20)
    const store = new LedgerStore(OUTCOMES)
    await book(store, blocks.slice(0, 8))
    const failed = database.sql.begin(async (tx) => {
      await foldBlocks(tx, store, makeBlocks(4, FIRST_BLOCK + 8, 5), {})
      throw new Error('the connection broke')
    })
    await expect(failed).rejects.toThrow('the connection broke')
    store.forget()
    expect(store.residentRows).toBe(0)
    await book(store, blocks.slice(8))
    const actual = await readTables()

    await empty()
    await book(new LedgerStore(OUTCOMES), blocks)
    expect(actual).toEqual(await readTables())
  })

  test('have nothing of entries that were folded and never written', async () => {
    const blocks = makeBlocks(5, FIRST_BLOCK, 10)
    const store = new LedgerStore(OUTCOMES)
    const entries = blocks.flatMap((block) => block.entries)
    await store.load(database.sql, entries)
    store.startBlock(FIRST_BLOCK, true)
    for (const entry of entries) fold(store, entry)
    store.refuse(1, 'column_full')
    store.forget()
    await book(store, [])
    expect(Object.values(await readTables()).join('')).toBe('')
    expect(await database.sql`select from undo`).toHaveLength(0)
    expect(store.takeRefusals()).toEqual([])
  })
})

describe('the journal', () => {
  test('reaches back 256 blocks and forgets what is older', async () => {
    const blocks = makeBlocks(11, FIRST_BLOCK, 300)
    expect(blocks[43]?.entries).not.toEqual([])
    const store = new LedgerStore(OUTCOMES)
    await bookInBatches(store, blocks.slice(0, 44), [1], { isJournalled: true })
    const expected = await readTables()
    await bookInBatches(store, blocks.slice(44), [1, 31], { isJournalled: true })

    const [{ lowest } = { lowest: 0 }] = await database.sql`select min(block) as lowest from undo`
    expect(lowest).toBeGreaterThan(FIRST_BLOCK + 43)
    await expect(rewind(FIRST_BLOCK + 42)).rejects.toThrow('cannot go back')
    await rewind(FIRST_BLOCK + 43)
    expect(await readTables()).toEqual(expected)
  })

  test('does not reach beyond a block that was booked without it', async () => {
    const blocks = makeBlocks(7, FIRST_BLOCK, 12)
    const store = new LedgerStore(OUTCOMES)
    await book(store, blocks.slice(0, 4))
    await book(store, blocks.slice(4, 8), { isJournalled: false })
    const expected = await readTables()
    await book(store, blocks.slice(8))

    await expect(rewind(FIRST_BLOCK + 6)).rejects.toThrow('cannot go back')
    await rewind(FIRST_BLOCK + 7)
    expect(await readTables()).toEqual(expected)
    await expect(rewind(FIRST_BLOCK + 6)).rejects.toThrow('cannot go back')
  })

  test('is written with the block and nothing else', async () => {
    const store = new LedgerStore(OUTCOMES)
    await book(store, [makeBlock(FIRST_BLOCK, [makeFill(10, 1)])])
    await book(store, [makeBlock(FIRST_BLOCK + 1, [makeFill(10, 1), makeFill(10, 1)])])
    const rows = await database.sql`
      select block, key, image is null as was_absent
        from undo where state = 'positions' order by block, key`
    expect(rows.map(({ block, key, wasAbsent }) => [block - FIRST_BLOCK, key.join(), wasAbsent])).toEqual([
      [0, '1,1', true],
      [0, '10,1', true],
      [1, '1,1', false],
      [1, '10,1', false],
    ])
  })
})

describe('the row caches', () => {
  const offline = {
    unsafe: () => Promise.reject(new Error('queried the database')),
  } as unknown as Sql

  test('stay within their bound between batches, however large these are', async () => {
    const blocks = makeBlocks(8, FIRST_BLOCK, 60)
    const store = new LedgerStore(OUTCOMES, { positionsMax: 64 })
    const shares = Object.values(LEDGER_TABLES).reduce((sum, { share }) => sum + share, 0)
    for (let start = 0; start < blocks.length; start += 12) {
      await book(store, blocks.slice(start, start + 12))
      expect(store.residentRows).toBeLessThanOrEqual(64 * shares)
    }
  })

  test('have the rows that were just written', async () => {
    const blocks = makeBlocks(9, FIRST_BLOCK, 20)
    const store = new LedgerStore(OUTCOMES)
    await book(store, blocks, { announcesIds: false })
    const entries = blocks.flatMap((block) => block.entries)
    await expect(store.load(offline, entries)).resolves.toBeUndefined()
  })

  test('do not query rows of new wallets and tokens', async () => {
    const store = new LedgerStore(OUTCOMES)
    await expect(store.load(offline, [makeFill(10, 15)])).rejects.toThrow('queried')
    store.forget()
    store.addNewToken(15)
    store.addNewWallet(10)
    await expect(store.load(offline, [makeFill(10, 15)])).resolves.toBeUndefined()
    expect(store.rows.positions.open(11, 15)).toMatchObject({ wallet: 11, token: 15, balance: 0n })
  })

  test('do not query candles of later minutes than those of the last batch', async () => {
    const store = new LedgerStore(OUTCOMES)
    const taken: FillEntry = { ...makeFill(10, 1), isTaker: true, builder: 7 }
    await book(store, [makeBlock(FIRST_BLOCK, [taken])])
    const later = { ...taken, timeSec: taken.timeSec + 3600 }
    await expect(store.load(offline, [later])).resolves.toBeUndefined()
    const earlier = { ...taken, timeSec: taken.timeSec - 60 }
    await expect(store.load(offline, [earlier])).rejects.toThrow('queried')
  })

  test('query rows of a new token again after eviction, and no others', async () => {
    const store = new LedgerStore(OUTCOMES, { positionsMax: 2 })
    store.addNewToken(15)
    await book(store, [makeBlock(FIRST_BLOCK, [makeTransfer(10, 11, 15)])])
    await book(store, [makeBlock(FIRST_BLOCK + 1, [makeTransfer(12, 13, 15)])])
    await expect(store.load(offline, [makeTransfer(14, 16, 15)])).resolves.toBeUndefined()
    await expect(store.load(offline, [makeTransfer(10, 16, 15)])).rejects.toThrow('queried')
  })

  test('throw at the use of a row that was not loaded', async () => {
    const store = new LedgerStore(OUTCOMES)
    expect(() => store.rows.positions.open(10, 1)).toThrow('positions 10/1 is used and was not loaded')
    expect(() => store.rows.walletTotals.open(10)).toThrow('not loaded')
  })

  test('refuse to write changes that belong to no block', async () => {
    const store = new LedgerStore(OUTCOMES)
    store.addNewWallet(10)
    store.rows.walletTotals.open(10).fills++
    await expect(store.write(database.sql)).rejects.toThrow('changes belong to a block')
  })

  test('return refused entries once', () => {
    const store = new LedgerStore(OUTCOMES)
    store.refuse(5, 'column_full')
    expect(store.takeRefusals()).toEqual([{ seq: 5, reason: 'column_full' }])
    expect(store.takeRefusals()).toEqual([])
  })
})

let lastSeq = 0
const makeBlock = (number: number, entries: Entry[]): TestBlock => ({
  number,
  entries,
  newWallets: [],
  newTokens: [],
})

function makeFill(wallet: number, token: number): FillEntry {
  lastSeq++
  return {
    kind: 'fill',
    seq: lastSeq,
    timeSec: 1_763_164_800,
    wallet,
    exchange: 1,
    token,
    isBuy: true,
    isTaker: false,
    usd: 5n,
    shares: 10n,
    fee: 0n,
    isFeeInShares: false,
    builder: 0,
  }
}

function makeTransfer(from: number, to: number, token: number): TransferEntry {
  lastSeq++
  const origin = { seq: lastSeq, timeSec: 1_763_164_800 }
  return { kind: 'transfer', ...origin, from, to, token, amount: 1n, bearsCost: true }
}
