import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

function check(anchors: readonly BlockId[]) {
  const booked = { findAnchors: async () => anchors }
  const { number } = world.universe.chain.head
  return checkNodeChain(polygon, booked, number, new AbortController().signal)
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

  test('is refused when its blocks differ from all anchors', async () => {
    const { firstNumber, head } = world.universe.chain
    const anchors = [wrong(blockId(head.number)), wrong(blockId(firstNumber))]
    await expect(check(anchors)).rejects.toThrow(WrongNodeError)
    await expect(check(anchors)).rejects.toThrow(/another chain.*block \d+ is 0x\w+ at the node/)
  })
})
