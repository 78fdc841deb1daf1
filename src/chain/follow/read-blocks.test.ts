import { afterAll, beforeAll, expect, test } from 'vitest'
import { askBlock } from '../../upstreams/polygon/requests.js'
import { readBlocks } from './read-blocks.js'
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

const { signal } = new AbortController()

async function readHead() {
  const [outcome] = await polygon.batch([askBlock(world.universe.chain.head.number)], signal)
  if (outcome?.ok !== true || outcome.value === undefined) throw new Error('no head')
  // As an announcement of a new head has it.
  const { txCount, ...announced } = outcome.value
  return announced
}

test('the transactions of an announced head are counted along with its logs', async () => {
  const announced = await readHead()
  const { number, transactions } = world.universe.chain.head
  const range = { fromBlock: number, toBlock: number }
  const [block] = await readBlocks(polygon, range, { announced, signal })
  expect(block?.head.txCount).toBe(transactions.length)
})

test('headers that were requested have the count already', async () => {
  const announced = await readHead()
  const { number } = announced
  const range = { fromBlock: number - 2, toBlock: number }
  const blocks = await readBlocks(polygon, range, { announced, signal })
  const { chain } = world.universe
  expect(blocks.map(({ head }) => head.txCount)).toEqual(
    [number - 2, number - 1, number].map((each) => chain.block(each)?.transactions.length),
  )
})
