import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { TestDatabase } from '../../../test/database.js'
import { until } from '../../../test/until.js'
import { createPool } from '../../store/connection.js'
import { showOnlyFrom } from '../follow/test-faulty-node.js'
import { type FollowWorld, fastTiming } from '../follow/test-follow.js'
import { lockState } from '../write/state.js'
import { compareContents, readContents } from './test-contents.js'
import { backfill, bookFrom, cloneDatabase, middleOf, openLongWorld } from './test-world.js'

let world: FollowWorld
/** What a service has booked that began in the middle. */
let half: TestDatabase
/** What one has booked that began at the start. */
let whole: Record<string, string[]>
let first: number
let middle: number

beforeAll(async () => {
  world = await openLongWorld()
  first = world.universe.chain.firstNumber
  middle = middleOf(world)
  const [upper, all] = await Promise.all([bookFrom(world, middle), bookFrom(world, first)])
  half = upper
  whole = await readContents(all.sql)
  await half.sql.end({ timeout: 1 })
  await all.drop()
})
afterAll(async () => {
  await half.drop()
  await world.close()
})

const differences = async ({ sql }: TestDatabase) => compareContents(await readContents(sql), whole)

/** Aborts when this was written this often. */
function interruptAfter(writes: number) {
  const controller = new AbortController()
  let left = writes
  const write = () => {
    left -= 1
    if (left === 0) controller.abort(new Error('interrupted'))
  }
  return { signal: controller.signal, out: { isTTY: true, write } }
}

describe('a backfill', () => {
  test('goes on where it was interrupted', async () => {
    const database = await cloneDatabase(half)
    let attempts = 0
    for (let writes = 2; ; writes++) {
      attempts++
      const result = await backfill(world, database, interruptAfter(writes)).catch((error) => {
        expect(error).toEqual(new Error('interrupted'))
      })
      if (result !== undefined) break
    }
    expect(attempts).toBeGreaterThan(2)
    expect(await differences(database)).toEqual({})
  })

  test('reads what is missing, and what is here not again', async () => {
    const database = await cloneDatabase(half)
    const lower = await backfill(world, database, { fromBlock: first, toBlock: first + 99 })
    expect(lower).toMatchObject({ blocks: 100, ledgerFrom: { before: middle, now: middle } })
    const range = { fromBlock: first + 100, toBlock: middle - 1 }
    expect(lower.possibleFrom).toBe(middle)
    expect(lower.holeBelow).toEqual(range)

    const rest = await backfill(world, database)
    expect(rest).toMatchObject({ blocks: middle - first - 100, ledgerFrom: { now: first } })
    expect(rest.holeBelow).toBeUndefined()
    expect(await differences(database)).toEqual({})

    const again = await backfill(world, database, { polygon: undefined })
    expect(again).toMatchObject({ blocks: 0, fills: 0, ledgerFrom: { before: first, now: first } })
    expect(await differences(database)).toEqual({})
  })

  test('with --facts-only leaves the ledger, and takes the facts in when it is run again', async () => {
    const database = await cloneDatabase(half)
    const before = await readContents(database.sql)
    const facts = await backfill(world, database, { factsOnly: true })
    expect(facts.ledgerFrom).toEqual({ before: middle, now: middle })
    expect(facts.possibleFrom).toBe(first)
    const { positions, pnl, wallet_totals } = await readContents(database.sql)
    expect(positions).toEqual(before.positions)
    expect(pnl).toEqual(before.pnl)
    expect(wallet_totals).toEqual(before.wallet_totals)

    const again = await backfill(world, database, { polygon: undefined })
    expect(again).toMatchObject({ blocks: 0, ledgerFrom: { before: middle, now: first } })
    expect(await differences(database)).toEqual({})
  })

  test('is the only one on its database', async () => {
    const database = await cloneDatabase(half)
    const both = [backfill(world, database), backfill(world, database)]
    const outcomes = await Promise.allSettled(both)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused.map(({ reason }) => reason.message)).toEqual([
      'Another backfill is running on this database: one at a time.',
    ])
    expect(await differences(database)).toEqual({})
  })

  test('waits for readers of the old ledger, and lets the head go on meanwhile', async () => {
    const database = await cloneDatabase(half)
    const reader = createPool(database.target, 1)
    onTestFinished(() => reader.end({ timeout: 1 }))
    let release = (): void => undefined
    const reading = reader.begin(async (tx) => {
      await tx`select from positions limit 1`
      await new Promise<void>((resolve) => {
        release = resolve
      })
    })
    const written: string[] = []
    const out = { isTTY: true, write: (text: string) => written.push(text) }
    const running = backfill(world, database, { out })
    running.catch(() => undefined)
    await until(() => written.some((text) => text.includes('waiting for readers')))
    await database.sql.begin((tx) => lockState(tx))
    release()
    await Promise.all([reading, running])
    expect(await differences(database)).toEqual({})
  })

  test('rides out faults of the node', async () => {
    const database = await cloneDatabase(half)
    let calls = 0
    world.lies.lie = (call, answer) => {
      calls += 1
      if (call.method !== 'eth_getLogs' || calls % 3 !== 0) return answer
      return { error: { code: -32000, message: 'header not found' } }
    }
    onTestFinished(() => {
      world.lies.lie = undefined
    })
    await backfill(world, database, { factsOnly: true })
    expect(calls).toBeGreaterThan(5)
    world.lies.lie = undefined
    await backfill(world, database)
    expect(await differences(database)).toEqual({})
  })

  test('ends at once when the node has no blocks that old, and says which it has', async () => {
    const database = await cloneDatabase(half)
    const firstBlock = first + 40
    world.lies.lie = showOnlyFrom(firstBlock)
    onTestFinished(() => {
      world.lies.lie = undefined
    })
    let sleeps = 0
    const sleep = async () => {
      sleeps += 1
    }
    const reading = backfill(world, database, { timing: { ...fastTiming, sleep } })
    await expect(reading).rejects.toThrow(
      `the node does not have block ${first}: it has the blocks ${firstBlock} to ${world.universe.chain.head.number}.\n` +
        `Read from block ${firstBlock} on (--from ${firstBlock}), or set a node that has older blocks (AUSPEX_POLYGON_URL or --polygon-url).`,
    )
    expect(sleeps).toBe(0)
    const rest = await backfill(world, database, { fromBlock: firstBlock, factsOnly: true })
    expect(rest.blocks).toBe(middle - firstBlock)
  })

  test('refuses a node of another chain', async () => {
    const database = await cloneDatabase(half)
    const other = await openLongWorld({ seed: 6 })
    onTestFinished(other.close)
    const reading = backfill(other, database, { fromBlock: first })
    await expect(reading).rejects.toThrow(/node cannot be used: the node has another chain/)
    const rows = await database.sql`select from coverage where from_block < ${middle}`
    expect(rows.length).toBe(0)
  })

  test('does not join blocks that do not follow each other', async () => {
    const database = await cloneDatabase(half)
    await database.sql`
      insert into recent_blocks values (${middle}, 0, '\\x00', '\\x01')
      on conflict (number) do update set parent_hash = excluded.parent_hash`
    const toBlock = middle - 1
    const timing = { ...fastTiming, sleep: async () => undefined }
    const reading = backfill(world, database, { fromBlock: middle - 5, toBlock, timing })
    await expect(reading).rejects.toThrow(`block ${toBlock} is not the parent of the block after`)
    const rows = await database.sql`select from coverage where from_block < ${middle}`
    expect(rows.length).toBe(0)
  })
})
