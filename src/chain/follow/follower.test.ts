import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ManualClock } from '../../../test/manual-clock.js'
import { until } from '../../../test/until.js'
import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { createLog } from '../../lib/log.js'
import { expectSame, type FollowWorld, follow, openWorld } from './test-follow.js'

let world: FollowWorld
beforeAll(async () => {
  world = await openWorld()
})
afterEach(() => {
  world.faults.set({ upstream: '*', mode: 'off' })
  world.lies.lie = undefined
})
afterAll(() => world.close())

/** A start block that needs a catch-up of some blocks. */
const farBelowHead = () => world.universe.chain.head.number - REORG_BLOCKS_MAX - 40

describe('an empty sink', () => {
  test('is filled up to the head, and then block by block', async () => {
    const { chain } = world.universe
    const followed = follow(world, { startBlock: chain.firstNumber })
    const { sink, status, arrive } = followed
    await arrive()
    const far = sink.batches.filter(({ isNearHead }) => !isNearHead)
    expect(far.at(-1)?.toBlock).toBe(chain.head.number - REORG_BLOCKS_MAX)
    const before = sink.batches.length
    for (let count = 1; count <= 5; count++) {
      world.makeBlock()
      await arrive()
    }
    expect(sink.batches.slice(before)).toHaveLength(5)
    await expectSame(world, followed.sink)
    expect(status).toMatchObject({
      phase: 'live',
      head: { block: chain.head.number },
      cursor: { block: chain.head.number, timeSec: chain.head.timestampSec },
      lagSec: 0,
      problem: undefined,
    })
    expect(await followed.metric('auspex_chain_cursor_block')).toBe(chain.head.number)
    expect(await followed.metric('auspex_chain_blocks_total')).toBe(chain.head.number - chain.firstNumber + 1)
    expect(await followed.metric('auspex_chain_logs_total')).toBe(sink.logs.length)
  })

  test.each(['range-too-large', 'too-many-results'] as const)(
    'is filled by a node that gives little at a time: %s',
    async (mode) => {
      world.faults.set({ upstream: 'polygon', mode })
      const followed = follow(world, { startBlock: farBelowHead() })
      await followed.arrive()
      await expectSame(world, followed.sink)
    },
  )

  test('is filled by a node that puts no time into logs', async () => {
    world.lies.lie = ({ method }, answer) => {
      if (method !== 'eth_getLogs' || !Array.isArray(answer.result)) return answer
      return { result: answer.result.map(({ blockTimestamp: _, ...log }) => log) }
    }
    const followed = follow(world, { startBlock: farBelowHead() })
    await followed.arrive()
    world.lies.lie = undefined
    await expectSame(world, followed.sink)
  })

  test('begins at the start block, also within reach of reorganisations', async () => {
    const startBlock = world.universe.chain.head.number - 10
    const { sink, arrive } = follow(world, { startBlock })
    await arrive()
    expect(sink.batches[0]).toMatchObject({ fromBlock: startBlock, isNearHead: true })
  })
})

describe('a sink with a cursor', () => {
  test('is continued after any pause', async () => {
    const first = follow(world)
    await first.arrive()
    const { sink } = first
    for (const blocks of [0, 1, 20]) {
      await first.stop()
      for (let count = 0; count < blocks; count++) world.makeBlock()
      const next = follow(world, { sink })
      await next.arrive()
      await next.stop()
    }
    await expectSame(world, first.sink)
  })

  test('is continued after a reorganisation during the pause', async () => {
    const first = follow(world)
    await first.arrive()
    await first.stop()
    world.universe.reorg(7)
    const { head } = world.universe.chain
    const next = follow(world, { sink: first.sink })
    await next.arrive()
    expect(first.sink.reverts).toEqual([{ from: head.number, to: head.number - 7 }])
    expect(await next.metric('auspex_chain_reorgs_total')).toBe(1)
    await expectSame(world, first.sink)
  })

  test('is rewound when a catch-up finds a reorganisation', async () => {
    const first = follow(world)
    await first.arrive()
    await first.stop()
    world.universe.reorg(9)
    for (let count = 0; count < REORG_BLOCKS_MAX + 20; count++) world.makeBlock()
    await follow(world, { sink: first.sink }).arrive()
    expect(first.sink.reverts).toMatchObject([{ to: expect.any(Number) }])
    await expectSame(world, first.sink)
  })

  test('of another chain stops the follower with instructions, and continues on the right chain', async () => {
    const first = follow(world)
    await first.arrive()
    await first.stop()
    const other = await openWorld({ seed: 12 })
    onTestFinished(other.close)
    while (other.universe.chain.head.number <= world.universe.chain.head.number) other.makeBlock()
    const { sink } = first
    const { cursor } = sink
    const lost = follow(other, { sink })
    await until(() => lost.status.phase === 'stopped')
    expect(lost.status.problem).toMatch(/another chain.*another database/)
    expect(sink.cursor).toEqual(cursor)
    await lost.stop()
    const found = follow(world, { sink })
    await found.arrive()
    expect(found.status.problem).toBeUndefined()
  })

  test('above the head of a node that was reset stops the follower, with one line in the log', async () => {
    const before = await openWorld()
    const reset = await openWorld({ seed: 13, historyMs: 50_000 })
    onTestFinished(before.close)
    onTestFinished(reset.close)
    const first = follow(before)
    await first.arrive()
    await first.stop()
    const { sink } = first
    expect(reset.universe.chain.head.number).toBeLessThan(sink.cursor?.block ?? 0)
    let checks = 0
    reset.lies.lie = ({ method }, answer) => {
      if (method === 'eth_chainId') checks += 1
      return answer
    }
    const lines: string[] = []
    const log = createLog('info', { write: (line) => lines.push(line) })
    const clock = new ManualClock()
    const lost = follow(reset, { sink, log, clock })
    await until(() => checks >= 3)
    expect(lost.status).toMatchObject({
      phase: 'stopped',
      problem: expect.stringMatching(/another chain.*block \d+ is 0x\w+ at the node and 0x/),
    })
    expect(lines).toEqual([expect.stringMatching(/another chain.*chain is not followed/)])
  })
})

test('a node of another network stops the follower until the node is replaced', async () => {
  world.lies.lie = ({ method }, answer) => (method === 'eth_chainId' ? { result: '0x1' } : answer)
  const { sink, status, arrive } = follow(world)
  await until(() => status.phase === 'stopped')
  expect(status.problem).toMatch(/chain 1, Polygon is 137/)
  expect(sink.cursor).toBeUndefined()
  world.lies.lie = undefined
  await arrive()
})

test('an error of the sink ends the run, and an aborted run books no more', async () => {
  const { sink, running, status, stop } = follow(world)
  sink.append = () => Promise.reject(new Error('the disk is full'))
  await expect(running).rejects.toThrow('the disk is full')
  // The phase must not look like that of a process that waits for the lease.
  expect(status.phase).toBe('catching_up')
  const second = follow(world)
  await second.arrive()
  await stop().catch(() => undefined)
  await second.stop()
  const { cursor } = second.sink
  world.makeBlock()
  expect(second.sink.cursor).toEqual(cursor)
  expect(second.status.phase).toBe('idle')
})

describe('the node announces', () => {
  test('a head that it does not have: what it has is booked, and the rest reported', async () => {
    const { chain } = world.universe
    const clock = new ManualClock()
    const real = chain.head.number
    world.lies.lie = ({ method, params }, answer) => {
      if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return answer
      return { result: { ...(answer.result as object), number: '0x7fffffff' } }
    }
    const { sink, status, arrive } = follow(world, { hasSocket: false, clock })
    await until(() => sink.cursor?.block === real && status.head?.block === 0x7fffffff)
    expect(sink.batches.every(({ isNearHead }) => isNearHead)).toBe(true)
    expect(status.phase).toBe('catching_up')
    await until(() => {
      clock.advance(31_000)
      return status.problem !== undefined
    })
    expect(status.problem).toMatch(`block ${real + 1} is not there`)
    world.lies.lie = undefined
    await arrive()
    expect(status.problem).toBeUndefined()
  })

  test('nothing new for a minute: a problem while it lasts', async () => {
    const clock = new ManualClock()
    const { status, arrive } = follow(world, { clock })
    await arrive()
    clock.advance(70_000)
    expect(status.problem).toMatch('no new block for 70 s')
    world.makeBlock()
    await arrive()
    expect(status.problem).toBeUndefined()
  })
})
