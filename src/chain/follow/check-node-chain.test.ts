import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import type { BlockId } from './block-sink.js'
import { checkNodeChain, WrongNodeError } from './check-node-chain.js'
import { type FollowWorld, openClient, openWorld } from './test-follow.js'

let world: FollowWorld
let polygon: ReturnType<typeof openClient>
beforeAll(async () => {
  world = await openWorld()
  polygon = openClient(world.host)
})
afterAll(async () => {
  await polygon.close()
  await world.close()
})

const blockId = (number: number): BlockId => {
  const block = world.universe.chain.block(number)
  if (block === undefined) throw new Error(`block ${number} is not there`)
  return { block: number, hash: world.universe.chain.hashOf(block) }
}

const wrong = ({ block }: BlockId): BlockId => ({ block, hash: `0x${'ab'.repeat(32)}` })

function check(anchors: readonly BlockId[], cursorBlock = world.universe.chain.head.number) {
  const cursor = { block: cursorBlock, hash: '0x', timeSec: 0 }
  const booked = { cursor, findAnchors: async () => anchors }
  return checkNodeChain(
    polygon,
    booked,
    world.universe.chain.head.number,
    new AbortController().signal,
  )
}

describe('a node', () => {
  test('is accepted when it has an anchor, also beside one whose stored hash is wrong', async () => {
    const { firstNumber, head } = world.universe.chain
    const [first, last] = [blockId(firstNumber), blockId(head.number)]
    await check([])
    await check([last, first])
    await check([wrong(last), first])
    await check([last, wrong(first)])
  })

  test('is accepted when it lacks the anchors: some nodes drop old blocks', async () => {
    await check([{ block: 5, hash: '0x' }])
  })

  test('is refused when it has other blocks in the place of all anchors', async () => {
    const { firstNumber, head } = world.universe.chain
    const anchors = [wrong(blockId(head.number)), wrong(blockId(firstNumber))]
    await expect(check(anchors)).rejects.toThrow(WrongNodeError)
    await expect(check(anchors)).rejects.toThrow(/another chain.*block \d+ is 0x\w+ at the node/)
  })

  test('is refused while it is further below the cursor than a reorganisation reaches', async () => {
    const { head } = world.universe.chain
    await check([], head.number + REORG_BLOCKS_MAX)
    await expect(check([], head.number + REORG_BLOCKS_MAX + 1)).rejects.toThrow(
      /the node is at block \d+, and block \d+ is booked\. Wait until/,
    )
  })
})
