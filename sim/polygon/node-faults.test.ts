import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { hex, openTestNode, type TestNode } from './test-node.js'

let node: TestNode
beforeAll(async () => {
  node = await openTestNode()
})
afterAll(() => node.close())
beforeEach(() => node.faults.set({ upstream: '*', mode: 'off' }))

type Log = { blockNumber: string; blockHash: string; logIndex: string }
type Header = { number: string; hash: string; parentHash: string }

const turnOn = (order: Omit<Parameters<TestNode['faults']['set']>[0], 'upstream'>) =>
  node.faults.set({ upstream: 'polygon', ...order })
const hashAt = (number: number) => {
  const block = node.universe.chain.block(number)
  return block && node.universe.chain.hashOf(block)
}
const readLast = (blocks: number): Promise<Log[]> => {
  const { number } = node.universe.chain.head
  return node.rpc('eth_getLogs', { fromBlock: hex(number - blocks + 1), toBlock: hex(number) })
}
const positionsOf = (logs: Log[]) => logs.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`)
const blocksOf = (logs: Log[]) => new Set(logs.map(({ blockNumber }) => blockNumber))

describe('logs of the last blocks', () => {
  test('missing-logs: every other block has none, and its receipts have them', async () => {
    const all = await readLast(128)
    turnOn({ mode: 'missing-logs' })
    const some = await readLast(128)
    const [left, right] = [blocksOf(some), blocksOf(all)]
    expect(left.size).toBe(Math.ceil(right.size / 2))
    expect(some).toEqual(all.filter(({ blockNumber }) => left.has(blockNumber)))

    const block = node.findBlock(1)
    turnOn({ mode: 'missing-logs', rate: 1 })
    expect(await node.rpc('eth_getLogs', { blockHash: hashAt(block.number) })).toEqual([])
    const receipts = await node.rpc('eth_getBlockReceipts', hex(block.number))
    expect(receipts[0].logs.length).toBeGreaterThan(0)
  })

  test('doubled-logs: each log of a block comes twice', async () => {
    const all = positionsOf(await readLast(128))
    turnOn({ mode: 'doubled-logs', rate: 1 })
    expect(positionsOf(await readLast(128)).sort()).toEqual([...all, ...all].sort())
  })

  test('contradicting-logs: logs name another block than the header', async () => {
    turnOn({ mode: 'contradicting-logs', rate: 1 })
    const logs = await readLast(128)
    expect(logs.length).toBeGreaterThan(0)
    expect(logs.filter(({ blockNumber, blockHash }) => hashAt(Number(blockNumber)) === blockHash)).toEqual([])
  })

  test.each(['missing-logs', 'doubled-logs', 'contradicting-logs'] as const)(
    '%s leaves older blocks as they are',
    async (mode) => {
      const { firstNumber } = node.universe.chain
      const ask = () =>
        node.rpc('eth_getLogs', { fromBlock: hex(firstNumber), toBlock: hex(firstNumber + 99) })
      const before = await ask()
      turnOn({ mode, rate: 1 })
      expect(await ask()).toEqual(before)
    },
  )
})

describe('head-back', () => {
  test('an older block is the head now and then, and those above it are there', async () => {
    const { number } = node.universe.chain.head
    turnOn({ mode: 'head-back', blocks: 5, rate: 1 })
    expect(await node.rpc('eth_blockNumber')).toBe(hex(number - 5))
    expect(await node.rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      hash: hashAt(number - 5),
    })
    expect(await node.rpc('eth_getBlockByNumber', hex(number), false)).toMatchObject({ hash: hashAt(number) })
    turnOn({ mode: 'head-back' })
    const shown = [await node.rpc('eth_blockNumber'), await node.rpc('eth_blockNumber')]
    expect(shown.sort()).toEqual([hex(number - 3), hex(number)].sort())
  })

  test('an older head is announced after a new one', async () => {
    const socket = new WebSocket(node.host.wsUrl)
    const numbers: number[] = []
    socket.on('message', (data) => {
      const { params } = JSON.parse(data.toString())
      if (params !== undefined) numbers.push(Number(params.result.number))
    })
    await once(socket, 'open')
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    await once(socket, 'message')
    turnOn({ mode: 'head-back', rate: 1 })
    node.universe.advance(node.universe.nowMs + 3_000)
    await expect.poll(() => numbers.length).toBeGreaterThan(1)
    expect(numbers[1]).toBe((numbers[0] ?? 0) - 3)
    socket.terminate()
  })
})

describe('two-nodes', () => {
  const latest = (): Promise<Header> => node.rpc('eth_getBlockByNumber', 'latest', false)

  test('requests are answered by one that lags behind, too', async () => {
    const { number } = node.universe.chain.head
    turnOn({ mode: 'two-nodes', blocks: 7 })
    const heads: Header[] = []
    for (let count = 0; count < 20; count++) heads.push(await latest())
    expect(new Set(heads.map((head) => Number(head.number)))).toEqual(new Set([number - 7, number]))
    turnOn({ mode: 'two-nodes', blocks: 7, rate: 1 })
    expect(await node.rpc('eth_getBlockByNumber', hex(number - 6), false)).toBeNull()
    expect(await node.rpc('eth_getLogs', { blockHash: hashAt(number) })).toMatchObject({ code: -32_000 })
  })

  test('it has the old branch for some time after a reorganisation, and then the new one', async () => {
    const { chain } = node.universe
    const { number } = chain.head
    const old = [number, number - 1, number - 2].map(hashAt)
    turnOn({ mode: 'two-nodes', blocks: 4, rate: 1 })
    node.universe.reorg(2)
    const before = await latest()
    expect(before).toMatchObject({ number: hex(number), hash: old[0], parentHash: old[1] })
    expect(await node.rpc('eth_getBlockByHash', old[1], false)).toMatchObject({ parentHash: old[2] })
    expect(await node.rpc('eth_getBlockByHash', hashAt(number), false)).toBeNull()

    node.universe.advance(node.universe.nowMs + 10_000)
    const after = await latest()
    expect(after).toMatchObject({ number: hex(chain.head.number - 4), hash: hashAt(chain.head.number - 4) })
    expect(await node.rpc('eth_getBlockByHash', old[0], false)).toBeNull()
  })
})

test('reordered: the answers of a batch come in the opposite order', async () => {
  const batch = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] }))
  turnOn({ mode: 'reordered' })
  const answers: { id: number }[] = await node.post(batch)
  expect(answers.map(({ id }) => id)).toEqual([3, 2, 1])
})
