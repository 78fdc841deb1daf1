import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADDRESS } from '../contracts/addresses.js'
import { TOPIC } from '../contracts/topics.js'
import { hex, openTestNode, type TestNode } from './test-node.js'

let node: TestNode
let first: number
let last: number
beforeAll(async () => {
  node = await openTestNode({ rangeBlocksMax: 200, logsMax: 20_000 })
  last = node.universe.chain.head.number
  first = last - 99
})
afterAll(() => node.close())

type Log = { address: string; topics: string[]; blockNumber: string; logIndex: string }
const getLogs = (filter: object) => node.rpc('eth_getLogs', filter)
const range = () => ({ fromBlock: hex(first), toBlock: hex(last) })

describe('eth_getLogs', () => {
  test('a range is its blocks one after the other, each by its hash too', async () => {
    const whole: Log[] = await getLogs(range())
    const parts: Log[] = []
    for (let number = first; number <= last; number += 1) {
      const block = node.universe.chain.block(number)
      if (block === undefined) throw new Error(`block ${number} is missing`)
      parts.push(...(await getLogs({ blockHash: node.universe.chain.hashOf(block) })))
    }
    expect(whole.length).toBeGreaterThan(50)
    expect(whole).toEqual(parts)
  })

  test('filters pick from the whole what they describe', async () => {
    const whole: Log[] = await getLogs(range())
    const filtered = await getLogs({
      ...range(),
      address: [ADDRESS.ctf, ADDRESS.exchangeV2],
      topics: [[TOPIC.transferSingle, TOPIC.orderFilledV2]],
    })
    expect(filtered.length).toBeGreaterThan(0)
    expect(filtered).toEqual(
      whole.filter(
        ({ address, topics: [event = ''] }) =>
          [ADDRESS.ctf, ADDRESS.exchangeV2].some((each) => each === address) &&
          [TOPIC.transferSingle, TOPIC.orderFilledV2].some((each) => each === event),
      ),
    )
    const [some] = filtered
    const same = await getLogs({ ...range(), topics: [null, null, some.topics[2]] })
    expect(same).toEqual(whole.filter(({ topics }) => topics[2] === some.topics[2]))
  })

  test('without bounds it is the head alone, and a range ends at the head', async () => {
    const head = await getLogs({ fromBlock: hex(last), toBlock: hex(last) })
    expect(await getLogs({})).toEqual(head)
    expect(await getLogs({ fromBlock: hex(last), toBlock: hex(last + 50) })).toEqual(head)
  })

  test('before the first block there is nothing', async () => {
    expect(await getLogs({ fromBlock: '0x0', toBlock: '0x1' })).toEqual([])
  })

  test.each([
    ['a range that is too large', -32701, 'exceed maximum block range: 200', -300, 0],
    ['a range that runs backwards', -32000, 'invalid block range params', 0, -1],
    ['a range beyond the head', -32000, 'invalid block range', 1, 2],
  ])('%s: %i', async (_what, code, message, from, to) => {
    const error = await getLogs({ fromBlock: hex(last + from), toBlock: hex(last + to) })
    expect(error).toEqual({ code, message })
  })

  test('an unknown block, and a block together with a range', async () => {
    const blockHash = `0x${'9'.repeat(64)}`
    expect(await getLogs({ blockHash })).toEqual({ code: -32000, message: 'unknown block' })
    expect(await getLogs({ blockHash, toBlock: '0x1' })).toMatchObject({ code: -32602 })
  })

  test('too many results name a range that works', async () => {
    const small = await openTestNode({ rangeBlocksMax: 200, logsMax: 40 })
    const error = await small.rpc('eth_getLogs', range())
    expect(error).toMatchObject({ code: -32005, data: { from: hex(first), limit: 40 } })
    expect(error.message).toMatch(/^query returned more than 40 results\. Try with this block range/)
    const better = await small.rpc('eth_getLogs', { fromBlock: hex(first), toBlock: error.data.to })
    expect(better.length).toBeLessThanOrEqual(40)
    await small.close()
  })
})

describe('faults', () => {
  test('range-too-large: ten blocks still come', async () => {
    node.faults.set({ upstream: 'polygon', mode: 'range-too-large' })
    const error = await getLogs(range())
    expect(error).toMatchObject({ code: -32600 })
    expect(error.message).toContain(`[${hex(first)}, ${hex(first + 9)}]`)
    expect(await getLogs({ fromBlock: hex(first), toBlock: hex(first + 9) })).toBeInstanceOf(Array)
    node.faults.set({ upstream: 'polygon', mode: 'off' })
    expect(await getLogs(range())).toBeInstanceOf(Array)
  })

  test('too-many-results: one block still comes', async () => {
    node.faults.set({ upstream: 'polygon', mode: 'too-many-results' })
    const error = await getLogs(range())
    expect(error).toMatchObject({ code: -32005, data: { to: hex(first + 49) } })
    expect(await getLogs({ fromBlock: hex(first), toBlock: hex(first) })).toBeInstanceOf(Array)
    node.faults.set({ upstream: 'polygon', mode: 'off' })
  })
})
