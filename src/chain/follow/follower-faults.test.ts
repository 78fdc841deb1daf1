import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { REORG_DEPTH_MAX } from '../../../sim/universe/universe.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { until } from '../../../test/until.js'
import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { EXCHANGES } from '../../upstreams/polygon/contracts.js'
import { changeLogs, type RawLog, showOnlyFrom, showOnlyUpTo } from './test-faulty-node.js'
import { expectSame, type FollowWorld, follow, openWorld } from './test-follow.js'
import { MemorySink } from './test-sink.js'

let world: FollowWorld
/** A sink at the head, which the tests continue. */
let sink: MemorySink
beforeAll(async () => {
  world = await openWorld({ seed: 21 })
  sink = new MemorySink()
})
afterEach(() => {
  world.faults.set({ upstream: '*', mode: 'off' })
  world.lies.lie = undefined
})
afterAll(() => world.close())

async function followOn(options: Parameters<typeof follow>[1] = {}) {
  const startBlock = world.universe.chain.head.number - 2 * REORG_DEPTH_MAX
  const followed = follow(world, { sink, startBlock, ...options })
  await followed.arrive()
  return followed
}

describe('reorganisations', () => {
  test('of every depth, at any moment, leave what the chain has', async () => {
    const { arrive } = await followOn()
    const depths = fc.integer({ min: 1, max: REORG_DEPTH_MAX })
    const steps = fc.record({ depth: depths, blocks: fc.nat(3), waits: fc.boolean() })
    for (const { depth, blocks, waits } of fc.sample(steps, { numRuns: 16, seed: 5 })) {
      world.universe.reorg(depth)
      if (waits) await arrive()
      for (let count = 0; count < blocks; count++) world.makeBlock()
    }
    await arrive()
    await expectSame(world, sink)
    expect(Math.max(...sink.reverts.map(({ from, to }) => from - to))).toBeGreaterThan(16)
  })

  test('without a socket are found, too', async () => {
    const { arrive, metric } = await followOn({ hasSocket: false })
    for (const depth of [1, 5, 33]) {
      world.universe.reorg(depth)
      await arrive()
    }
    expect(await metric('auspex_chain_reorgs_total')).toBe(3)
    expect(await metric('auspex_chain_reorg_depth_blocks')).toBeGreaterThan(0)
    await expectSame(world, sink)
  })
})

describe('a sink stays whole and moves on while', () => {
  test.each(['missed-heads', 'duplicate', 'skew', 'stale', 'silent', 'half-open'] as const)(
    'the node has the fault: %s',
    async (mode) => {
      const { arrive } = await followOn()
      world.faults.set({ upstream: 'polygon', mode, ...(mode === 'stale' && { rate: 0.5 }) })
      for (let count = 0; count < 8; count++) {
        world.makeBlock()
        if (count % 3 === 2) world.universe.reorg(2)
        if (mode !== 'half-open') await arrive()
      }
      world.faults.set({ upstream: 'polygon', mode: 'off' })
      await arrive()
      await expectSame(world, sink)
    },
  )

  test.each(['missing-logs', 'doubled-logs', 'contradicting-logs', 'head-back', 'reordered'] as const)(
    'the node has the fault: %s, through reorganisations of up to 128 blocks',
    async (mode) => {
      const { arrive } = await followOn()
      world.faults.set({ upstream: 'polygon', mode, blocks: 5 })
      for (const depth of [2, 128, 7, 40]) {
        for (let count = 0; count < 6; count++) world.makeBlock()
        world.universe.reorg(depth)
        world.makeBlock()
        await arrive()
      }
      await makeTrades()
      await arrive()
      world.faults.set({ upstream: 'polygon', mode: 'off' })
      await arrive()
      await expectSame(world, sink)
    },
  )

  test.each(['429', '500', 'garbage', 'truncated', 'drop'] as const)(
    'every other answer is hit by: %s',
    async (mode) => {
      const { arrive } = await followOn()
      world.faults.set({ upstream: 'polygon', mode, rate: 0.5 })
      for (let count = 0; count < 30; count++) world.makeBlock()
      await arrive()
      world.faults.set({ upstream: 'polygon', mode: 'off' })
      await expectSame(world, sink)
    },
  )

  test('there is no socket at all', async () => {
    const { arrive } = await followOn({ hasSocket: false })
    for (let count = 0; count < 3; count++) {
      world.makeBlock()
      await arrive()
    }
    await expectSame(world, sink)
  })
})

describe('a node behind a load balancer', () => {
  test('that disagrees with another about the head and about reorganisations leaves what the chain has', async () => {
    const { arrive } = await followOn()
    const blocks = 4
    for (const depth of [2, 128, 40]) {
      world.faults.set({ upstream: 'polygon', mode: 'two-nodes', blocks, rate: 0.4 })
      world.makeBlock()
      world.universe.reorg(depth)
      // Until then the other node has the old branch, and the follower cannot know which one lasts.
      for (let count = 0; count < 2 * blocks; count++) world.makeBlock()
      await arrive()
      // The truth is read from one node.
      world.faults.set({ upstream: 'polygon', mode: 'off' })
      await expectSame(world, sink)
    }
  })

  test('that lags is no reorganisation', async () => {
    const { arrive, status } = await followOn({ hasSocket: false })
    const reverts = sink.reverts.length
    const { chain } = world.universe
    const behind = chain.head.number - 3
    world.lies.lie = showOnlyUpTo(world.universe, behind)
    await until(() => status.head?.block === behind)
    expect(sink.cursor?.block).toBe(chain.head.number)
    world.lies.lie = undefined
    world.makeBlock()
    await arrive()
    expect(sink.reverts).toHaveLength(reverts)
  })

  test('that is far behind is waited for, and is a problem when it stays so', async () => {
    const clock = new ManualClock()
    const { arrive, status } = await followOn({ hasSocket: false, clock })
    const { number } = world.universe.chain.head
    const showUpTo = async (block: number) => {
      world.lies.lie = showOnlyUpTo(world.universe, block)
      await until(() => status.head?.block === block)
    }
    await showUpTo(number - REORG_BLOCKS_MAX - 2)
    await showUpTo(number - REORG_BLOCKS_MAX - 1)
    expect(status).toMatchObject({ phase: 'live', problem: undefined })
    clock.advance(30_000)
    await showUpTo(number - REORG_BLOCKS_MAX - 2)
    await until(() => status.phase === 'stopped')
    expect(status.problem).toMatch(/the node is at block \d+, and block \d+ is booked. Wait until/)
    world.lies.lie = undefined
    world.makeBlock()
    await arrive()
    expect(status.problem).toBeUndefined()
  })

  test('that shows another chain is followed once that chain is as high as the booked one', async () => {
    const { arrive, status } = await followOn({ hasSocket: false })
    const { cursor } = sink
    world.universe.reorg(6)
    const { chain } = world.universe
    for (const missing of [5, 3, 1]) {
      world.lies.lie = showOnlyUpTo(world.universe, chain.head.number - missing)
      await until(() => status.head?.block === chain.head.number - missing)
      expect(sink.cursor).toEqual(cursor)
    }
    world.lies.lie = undefined
    await arrive()
    await expectSame(world, sink)
  })

  test('that lacks an announced block gets the request again', async () => {
    const { arrive, status } = await followOn()
    let refusals = 0
    world.lies.lie = ({ method }, answer) => {
      if (method !== 'eth_getLogs' || refusals >= 3) return answer
      refusals += 1
      return { error: { code: -32_000, message: 'unknown block' } }
    }
    world.makeBlock()
    await arrive()
    expect(refusals).toBe(3)
    expect(status.problem).toBeUndefined()
    await expectSame(world, sink)
  })
})

describe('a node that lacks old blocks', () => {
  const pruned = { error: { code: 4444, message: 'pruned history unavailable' } }
  const unknown = { error: { code: -32_000, message: 'header not found' } }

  test.each([
    ['answers null, far below the head', { result: null }, 600],
    ['answers null, near the head', { result: null }, 100],
    ['refuses', pruned, 600],
    ['answers like one that lags', unknown, 600],
  ])('and %s: the follower stops with what to set', async (_title, says, depth) => {
    const { head } = world.universe.chain
    const startBlock = head.number - depth
    const firstBlock = startBlock + 40
    world.lies.lie = showOnlyFrom(firstBlock, says)
    const { sink, status } = follow(world, { startBlock })
    await until(() => status.phase === 'stopped')
    expect(status.problem).toBe(
      `the node does not have block ${startBlock}: it has the blocks ${firstBlock} to ${head.number}. ` +
        `Set AUSPEX_FROM_BLOCK to ${firstBlock} or later, or set a node that has older blocks`,
    )
    expect(sink.cursor).toBeUndefined()
  })

  test('that a booked ledger needs: the follower goes on when the node has them again', async () => {
    const { arrive, status, sink } = await followOn()
    const next = (sink.cursor?.block ?? 0) + 1
    world.lies.lie = showOnlyFrom(next + 20)
    for (let count = 0; count < 60; count++) world.makeBlock()
    await until(() => status.phase === 'stopped')
    expect(status.problem).toMatch(
      /^the node does not have block \d+: it has the blocks \d+ to \d+\. Set a node that has older blocks/,
    )
    world.lies.lie = undefined
    await arrive()
    await expectSame(world, sink)
  })
})

describe('logs that the header of their block contradicts', () => {
  test('because they are missing are taken from the receipts', async () => {
    const { arrive, metric } = await followOn()
    world.lies.lie = changeLogs(() => [])
    await makeTrades()
    await arrive()
    world.lies.lie = undefined
    expect(await metric('auspex_chain_receipt_checks_total')).toBeGreaterThan(0)
    await expectSame(world, sink)
  })

  test('because one exchange is missing are taken from the receipts', async () => {
    const { arrive } = await followOn()
    const isOther = ({ address }: RawLog) => !EXCHANGES.has(address)
    world.lies.lie = changeLogs((logs) => logs.filter(isOther))
    await makeTrades()
    await arrive()
    world.lies.lie = undefined
    await expectSame(world, sink)
  })

  test('that no contract emitted are handed to the sink as refused', async () => {
    const invented = { address: '0xc417fd8e9661c0d2120b64a04bb3278c17e99db1', logIndex: '0xffff' }
    const { arrive, metric } = await followOn()
    world.lies.lie = changeLogs((logs) => [
      ...logs,
      ...logs.slice(0, 1).map((log) => ({ ...log, ...invented })),
    ])
    await makeTrades()
    await arrive()
    world.lies.lie = undefined
    const { refused } = sink
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.every(({ at }) => at.address === invented.address)).toBe(true)
    expect(await metric('auspex_chain_refused_logs_total')).toBe(refused.length)
    sink.refused = []
    await expectSame(world, sink)
  })

  test('are judged by the header alone when the node gives no receipts', async () => {
    const { arrive } = await followOn()
    const invented = { address: '0xc417fd8e9661c0d2120b64a04bb3278c17e99db1', logIndex: '0xffff' }
    const change = changeLogs((logs) => [
      ...logs,
      ...logs.slice(0, 1).map((log) => ({ ...log, ...invented })),
    ])
    world.lies.lie = (call, answer) =>
      call.method === 'eth_getBlockReceipts'
        ? { error: { code: -32_601, message: 'the method does not exist' } }
        : change(call, answer)
    await makeTrades()
    await arrive()
    world.lies.lie = undefined
    expect(sink.refused.length).toBeGreaterThan(0)
    sink.refused = []
    await expectSame(world, sink)
  })

  test('cost one request for receipts when the bloom is wrong about them', async () => {
    const { arrive, metric } = await followOn({ hasSocket: false })
    world.lies.lie = ({ method }, answer) => {
      if (method !== 'eth_getBlockByNumber' || answer.result == null) return answer
      return { result: { ...answer.result, logsBloom: `0x${'f'.repeat(512)}` } }
    }
    const { settledActs } = world.universe
    // A full bloom tells nothing where there are fills.
    const before = settledActs.matches.length
    do {
      world.makeBlock()
      await arrive()
    } while (
      settledActs.matches.length > before &&
      settledActs.matches.at(-1)?.block === world.universe.chain.head
    )
    world.lies.lie = undefined
    expect(await metric('auspex_chain_receipt_checks_total', { result: 'agreed' })).toBe(1)
    expect(await metric('auspex_chain_receipt_checks_total')).toBe(1)
    await expectSame(world, sink)
  })
})

/** Makes blocks until one has a fill. */
async function makeTrades(): Promise<void> {
  const { settledActs } = world.universe
  const before = settledActs.matches.length
  while (settledActs.matches.length === before) world.makeBlock()
}
