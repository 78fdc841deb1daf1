import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { REORG_DEPTH_MAX } from '../sim/universe/universe.js'
import { changeLogs, type RawLog, showOnlyUpTo } from '../src/chain/follow/test-faulty-node.js'
import { type FollowWorld, openWorld } from '../src/chain/follow/test-follow.js'
import { ChainWatch } from '../src/chain/watch/chain-watch.js'
import { areDigestsRight } from '../src/chain/write/fact-digests.js'
import { REORG_BLOCKS_MAX } from '../src/core/blocks.js'
import { createTestDatabase, type TestDatabase } from './database.js'
import { auditAll, hashUndisturbed, ingest } from './ingest.js'
import { hashTables } from './table-hashes.js'
import { until } from './until.js'

/** More than a lagging node lags. */
const NEAR_BLOCKS = 60

let world: FollowWorld
let database: TestDatabase
/** Where a service begins: some blocks are to be caught up with, or all are near the head, which takes less time. */
let starts: { far: number; near: number }
let startBlock: number
beforeAll(async () => {
  world = await openWorld({ seed: 61 })
  const { number } = world.universe.chain.head
  starts = { far: number - REORG_BLOCKS_MAX - 100, near: number - NEAR_BLOCKS }
})
beforeEach(async () => {
  startBlock = starts.near
  database = await createTestDatabase()
  onTestFinished(() => database.drop())
})
afterEach(() => {
  world.lies.lie = undefined
})
afterAll(() => world.close())

const follow = (changes: Parameters<typeof ingest>[2] = {}) =>
  ingest(world, database, { startBlock, ...changes })

let honest: { of: string; tables: Record<string, string> } | undefined

/** The database is what an honest node would have made it, apart from the quarantine. */
async function expectRight(): Promise<void> {
  world.lies.lie = undefined
  const { chain } = world.universe
  const of = `${startBlock} ${chain.hashOf(chain.head)}`
  if (honest?.of !== of) honest = { of, tables: await hashUndisturbed(world, { startBlock }) }
  const { quarantine: _, fact_digests: __, ...tables } = await hashTables(database.sql)
  expect(honest.tables).toMatchObject(tables)
  // A digest also covers what was put aside.
  const range = { fromBlock: startBlock, toBlock: chain.head.number }
  expect(await areDigestsRight(database.sql, range)).toBe(true)
}

const reversed = (logs: RawLog[]) => logs.toReversed()
const takenBack = (logs: RawLog[]) =>
  logs.flatMap((log) => {
    const logIndex = `0x${(Number(log.logIndex) + 0x8000).toString(16)}`
    return [log, { ...log, logIndex, removed: true }]
  })
const twice = (logs: RawLog[]) => [...logs, ...logs]
const twoVersions = (logs: RawLog[]) => [...logs, ...logs.map((log) => ({ ...log, data: '0x' }))]

describe('nothing else is booked from a node that', () => {
  test.each([
    ['gives logs in any order', reversed],
    ['gives logs that were taken back', takenBack],
  ])('%s', async (_what, change) => {
    startBlock = starts.far
    world.lies.lie = changeLogs(change)
    await (await follow()).arrive()
    await expectRight()
  })

  test.each([
    ['gives every log twice', twice],
    ['gives two versions of a log', twoVersions],
  ])('%s now and then: it is asked again', async (_what, change) => {
    startBlock = starts.far
    let answers = 0
    world.lies.lie = changeLogs((logs) => (++answers % 3 === 0 ? change(logs) : logs))
    const { arrive, metric } = await follow()
    await arrive()
    expect(await metric('auspex_chain_faults_total')).toBeGreaterThan(0)
    await expectRight()
  })

  test('lies about its head', async () => {
    const { number } = world.universe.chain.head
    world.lies.lie = ({ method, params }, answer) =>
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? { result: { ...(answer.result as object), number: '0x7fffffff' } }
        : answer
    const { sink, status, arrive } = await follow({ hasSocket: false })
    await until(() => sink.cursor?.block === number && status.head?.block === 0x7fffffff)
    world.lies.lie = undefined
    await arrive()
    await expectRight()
  })

  test('lags behind others: a head that goes backwards is no reorganisation', async () => {
    const { sink, status, arrive, metric } = await follow({ hasSocket: false })
    await arrive()
    const { number } = world.universe.chain.head
    for (const behind of [3, 40, 1]) {
      world.lies.lie = showOnlyUpTo(world.universe, number - behind)
      await until(() => status.head?.block === number - behind)
      expect(sink.cursor?.block).toBe(number)
    }
    world.lies.lie = undefined
    await arrive()
    expect(await metric('auspex_chain_reorgs_total')).toBe(0)
    await expectRight()
  })
})

test('a node with one fault after another, and reorganisations of up to 128 blocks: the books are right', async () => {
  onTestFinished(() => world.faults.set({ upstream: 'polygon', mode: 'off' }))
  // The deepest reorganisation must not reach below it.
  startBlock = starts.far
  const { arrive, metric } = await follow()
  await arrive()
  for (const [mode, depth] of NODE_FAULTS) {
    world.faults.set({ upstream: 'polygon', mode, rate: 0.4 })
    for (let count = 0; count < 8; count++) world.makeBlock()
    world.universe.reorg(depth)
    for (let count = 0; count < 8; count++) world.makeBlock()
    await arrive()
    world.faults.set({ upstream: 'polygon', mode: 'off' })
  }
  // Shallow ones may replace nothing that was booked.
  expect(await metric('auspex_chain_reorgs_total')).toBeGreaterThanOrEqual(3)
  expect(await auditAll(database)).toEqual([])
  await expectRight()
})

const NODE_FAULTS = [
  ['missing-logs', 5],
  ['doubled-logs', 33],
  ['contradicting-logs', 2],
  ['head-back', REORG_DEPTH_MAX],
  ['two-nodes', 70],
  ['reordered', 1],
  ['duplicate', 12],
] as const

describe('logs that their blocks do not have', () => {
  const invented = { address: '0xc417fd8e9661c0d2120b64a04bb3278c17e99db1', logIndex: '0xffff' }

  test('are put aside, counted and shown, and gone with their blocks', async () => {
    const watch = new ChainWatch(new Registry())
    const { arrive } = await follow({ listeners: [watch] })
    await arrive()
    world.lies.lie = changeLogs((logs) => [
      ...logs,
      ...logs.slice(0, 1).map((log) => ({ ...log, ...invented })),
    ])
    for (let count = 0; count < REORG_DEPTH_MAX / 2; count++) world.makeBlock()
    await arrive()
    const rows = await selectQuarantine()
    expect(rows.length).toBeGreaterThan(0)
    expect(new Set(rows.map(({ reason }) => reason))).toEqual(new Set(['not_in_receipts']))
    expect(watch.quarantined).toBe(rows.length)
    expect(watch.warnings).toEqual([expect.stringMatching(`${rows.length} logs could not be booked`)])
    expect(await auditAll(database)).toEqual([])
    await expectRight()

    world.universe.reorg(REORG_DEPTH_MAX / 2)
    await arrive()
    expect(await selectQuarantine()).toEqual([])
    expect(watch.quarantined).toBe(0)
  })

  test('are told apart by the receipts from logs that a node left out', async () => {
    const { arrive, metric } = await follow()
    await arrive()
    world.lies.lie = changeLogs(() => [])
    const { settledActs } = world.universe
    const before = settledActs.matches.length
    while (settledActs.matches.length === before) world.makeBlock()
    await arrive()
    expect(await metric('auspex_chain_receipt_checks_total')).toBeGreaterThan(0)
    await expectRight()
  })
})

const selectQuarantine = () => database.sql<{ seq: bigint; reason: string }[]>`
  select seq, reason from quarantine order by seq`
