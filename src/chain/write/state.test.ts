import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import {
  addCoverage,
  deleteCoverageFrom,
  lockState,
  moveCursor,
  readState,
  selectAnchors,
  selectHoles,
  startLedger,
} from './state.js'
import { word } from './test-batch.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe('the state of the chain', () => {
  test('starts with nothing, moves, and starts over with another epoch', async () => {
    const { sql } = database
    const nothing = { ledgerFrom: undefined, cursor: undefined, epoch: 0 }
    expect(await readState(sql)).toEqual(nothing)
    await startLedger(sql, 100, undefined)
    const cursor = { block: 105, hash: word(7), timeSec: 1_700_000_000 }
    await moveCursor(sql, cursor)
    expect(await readState(sql)).toEqual({ ledgerFrom: 100, cursor, epoch: 1 })
    await startLedger(sql, 50, undefined)
    expect(await readState(sql)).toEqual({ ledgerFrom: 50, cursor: undefined, epoch: 2 })
  })

  test('is held by one transaction at a time', async () => {
    const { sql } = database
    await sql.begin(async (tx) => {
      await lockState(tx)
      const second = sql.begin(async (other) => {
        await other`set local lock_timeout = 1`
        await lockState(other)
      })
      await expect(second).rejects.toThrow('lock timeout')
    })
    await sql.begin(lockState)
  })
})

test('anchors are the first booked block and the last one with facts that is settled', async () => {
  const { sql } = database
  await startLedger(sql, 1_000, { number: 1_000, hash: word(1), parentHash: undefined, timeSec: 5 })
  await sql`insert into blocks (number, time, hash) values
    (1100, 6, ${Buffer.alloc(32, 2)}), (1200, 7, ${Buffer.alloc(32, 3)})`
  const numbersAt = async (head: number) => (await selectAnchors(sql, head)).map(({ block }) => block)
  expect(await numbersAt(999)).toEqual([])
  expect(await selectAnchors(sql, 1_000)).toEqual([{ block: 1_000, hash: word(1) }])
  expect(await numbersAt(1_355)).toEqual([1_000])
  expect(await numbersAt(1_356)).toEqual([1_100, 1_000])
  expect(await numbersAt(1_456)).toEqual([1_200, 1_000])
})

describe('coverage', () => {
  const range = fc
    .tuple(fc.nat(40), fc.nat(8))
    .map(([fromBlock, length]) => ({ fromBlock, toBlock: fromBlock + length }))
  const step = fc.oneof(
    { weight: 4, arbitrary: range.map((added) => ({ added })) },
    fc.nat(45).map((fromBlock) => ({ fromBlock })),
  )

  test('is the set of the blocks that were added and not deleted, in ranges that do not meet', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { sql } = database
        await sql`delete from coverage`
        const blocks = new Set<number>()
        for (const each of steps) {
          if ('added' in each) {
            await addCoverage(sql, each.added)
            for (const block of blocksOf(each.added)) blocks.add(block)
          } else {
            await deleteCoverageFrom(sql, each.fromBlock)
            for (const block of blocks) if (block >= each.fromBlock) blocks.delete(block)
          }
        }
        const ranges = await sql<BlockRange[]>`
          select from_block, to_block from coverage order by from_block`
        expect(ranges.flatMap(blocksOf)).toEqual([...blocks].sort((a, b) => a - b))
        for (const [index, { toBlock }] of ranges.entries())
          expect(ranges[index + 1]?.fromBlock ?? Number.POSITIVE_INFINITY).toBeGreaterThan(toBlock + 1)

        const whole = { fromBlock: 3, toBlock: 44 }
        const holes = await selectHoles(sql, whole)
        expect(holes.flatMap(blocksOf)).toEqual(blocksOf(whole).filter((block) => !blocks.has(block)))
      }),
      { numRuns: 30 },
    )
  })
})

const blocksOf = ({ fromBlock, toBlock }: BlockRange): number[] =>
  Array.from({ length: toBlock - fromBlock + 1 }, (_, index) => fromBlock + index)
