import { expect, onTestFinished, test } from 'vitest'
import { ADDRESS } from '../../../sim/contracts/addresses.js'
import type { LogBody } from '../../../sim/contracts/log.js'
import { Universe } from '../../../sim/universe/universe.js'
import { createTestDatabase } from '../../../test/database.js'
import { hashTables } from '../../../test/table-hashes.js'
import { createPool } from '../../store/connection.js'
import { ZERO_WORD } from '../../upstreams/polygon/abi.js'
import { ZERO_ADDRESS } from '../attribute/roles.js'
import { toChainLogs } from '../attribute/test-chain-logs.js'
import { encodeLog, marketMakerCreation, SPLIT, transferBatch } from '../attribute/test-encode-log.js'
import type { BatchFacts } from '../facts/registry.js'
import type { BookedRange } from '../follow/block-sink.js'
import { BlockWriter, OvertakenError } from './block-writer.js'
import { simulatedBatches } from './test-simulated-batches.js'

const START_MS = Date.UTC(2026, 10, 3)

const universe = new Universe({ seed: 5, startMs: START_MS, intensity: 3 })
universe.advance(START_MS + 20 * 60_000)
const { chain } = universe
const batchOf = simulatedBatches(universe)
/** So late that many tokens are older than the line. */
const FROM = chain.firstNumber + Math.floor((chain.head.number - chain.firstNumber) / 2)
const TO = chain.head.number

async function openWriter(positionsMax = 250_000) {
  const database = await createTestDatabase()
  const pool = createPool(database.target, 2)
  onTestFinished(async () => {
    await pool.end({ timeout: 1 })
    await database.drop()
  })
  const line = await BlockWriter.open({ pool, limits: { positionsMax } })
  return { line, pool, sql: database.sql }
}

const JOURNALLED = 6
const USER_FLAG = 4

/** The last blocks are booked one by one, as they come. */
async function bookAll(size: number, positionsMax?: number) {
  const opened = await openWriter(positionsMax)
  const { line } = opened
  for (let from = FROM; from <= TO - JOURNALLED; from += size) {
    await line.append([batchOf(from, Math.min(from + size - 1, TO - JOURNALLED), false)])
  }
  for (let block = TO - JOURNALLED + 1; block <= TO; block++) {
    await line.append([batchOf(block, block, true)])
  }
  return opened
}

test('a line that begins in the middle leaves the same rows in batches of any size', async () => {
  const { sql } = await bookAll(TO)
  const whole = await hashTables(sql)
  const late = await sql`select from tokens where stated_in > since >> 20`
  expect(late.length).toBeGreaterThan(0)
  expect(await hashTables((await bookAll(9, 10)).sql)).toEqual(whole)
})

function* batchesOf(size: number) {
  for (let from = FROM; from <= TO - JOURNALLED; from += size) {
    yield batchOf(from, Math.min(from + size - 1, TO - JOURNALLED), false)
  }
}

test('batches that are booked together leave the same rows, and are reported one by one', async () => {
  const whole = await openWriter()
  await whole.line.append(batchesOf(TO))
  const { line, sql } = await openWriter()
  const booked: BookedRange[] = []
  await line.append(batchesOf(9), (each) => booked.push(each))
  expect(await hashTables(sql)).toEqual(await hashTables(whole.sql))
  expect(booked.map(({ fromBlock, logs }) => [fromBlock, logs])).toEqual(
    [...batchesOf(9)].map(({ fromBlock, logs }) => [fromBlock, logs.length]),
  )
})

test('what came before a batch that cannot be had is booked', async () => {
  const { line, sql } = await openWriter()
  function* broken() {
    yield batchOf(FROM, FROM + 5, false)
    yield batchOf(FROM + 6, FROM + 9, false)
    throw new Error('the node is gone')
  }
  await expect(line.append(broken())).rejects.toThrow('the node is gone')
  expect(line.cursor?.block).toBe(FROM + 9)
  const [row] = await sql<{ toBlock: number }[]>`select to_block from coverage`
  expect(row).toEqual({ toBlock: FROM + 9 })
  await line.append([batchOf(FROM + 10, FROM + 12, false)])
  expect(line.cursor?.block).toBe(FROM + 12)
})

test('listeners are not notified of a transaction that is rolled back', async () => {
  const { pool, sql } = await openWriter()
  const notified: number[] = []
  const listener = {
    onBooked: ({ blocks }: BatchFacts) => {
      const last = blocks.at(-1)?.number ?? 0
      return () => void notified.push(last)
    },
    onReverted: () => undefined,
  }
  const line = await BlockWriter.open({ pool, listeners: [listener] })
  await line.append([batchOf(FROM, FROM + 5, false)])
  await sql`update chain_state set block_hash = decode(repeat('00', 32), 'hex')`
  await expect(line.append([batchOf(FROM + 6, FROM + 9, false)])).rejects.toThrow(OvertakenError)
  expect(notified).toEqual([FROM + 5])
})

test('a line that was overtaken books nothing', async () => {
  const { line, pool, sql } = await openWriter()
  await line.append([batchOf(FROM, FROM + 5, false)])
  const other = await BlockWriter.open({ pool })
  await other.append([batchOf(FROM + 6, FROM + 10, false)])
  const before = await hashTables(sql)
  await expect(line.append([batchOf(FROM + 6, FROM + 10, false)])).rejects.toThrow(OvertakenError)
  await expect(line.revert(FROM + 5)).rejects.toThrow()
  expect(await hashTables(sql)).toEqual(before)
})

test('a market maker is known in every later batch, of a new ledger too', async () => {
  const { line, sql } = await openWriter()
  const [maker, condition] = [`0x${'f0'.repeat(20)}`, `0x${'c0'.repeat(32)}`]
  const creation = marketMakerCreation(maker, `0x${'e0'.repeat(20)}`, condition)
  const mint = transferBatch(ADDRESS.ctf, maker, ZERO_ADDRESS, maker, [1n, 2n], [9n, 9n])
  const split = encodeLog(ADDRESS.ctf, SPLIT, {
    stakeholder: maker,
    collateralToken: ADDRESS.usdce,
    parentCollectionId: ZERO_WORD,
    conditionId: condition,
    partition: [1n, 2n],
    amount: 9n,
  })
  const bodies = new Map<number, LogBody[]>([
    [FROM + 1, [creation]],
    [FROM + 11, [mint, split]],
  ])
  function* blocks() {
    for (let block = FROM; block <= FROM + 11; block++) {
      const { blocks, ...batch } = batchOf(block, block, true)
      const [{ hash = '', timeSec = 0 } = {}] = blocks
      const ofBlock = { blockNumber: block, blockHash: hash, timestampSec: timeSec }
      const placed = toChainLogs(bodies.get(block) ?? [])
      yield {
        ...batch,
        blocks,
        logs: placed.map((log) => ({ ...log, at: { ...log.at, ...ofBlock } })),
      }
    }
  }
  await line.append(blocks())
  expect(await sql`select flags & ${USER_FLAG} as by_user from splits`).toEqual([{ byUser: 0 }])
})
