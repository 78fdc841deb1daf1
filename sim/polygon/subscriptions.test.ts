import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ADDRESS } from '../contracts/addresses.js'
import type { Block, Transaction } from '../universe/block.js'
import { hex, openTestNode, type TestNode } from './test-node.js'

let node: TestNode
beforeAll(async () => {
  node = await openTestNode()
})
afterAll(() => node.close())
beforeEach(() => node.faults.set({ upstream: '*', mode: 'off' }))

const SECOND_MS = 1_000
const advance = (seconds: number) => node.universe.advance(node.universe.nowMs + seconds * SECOND_MS)

/** Blocks that become the head, reverted ones and pending transactions, while `run` runs. */
function observe(run: () => void) {
  const blocks: Block[] = []
  const removed: Block[] = []
  const pending: Transaction[] = []
  const stops = [
    node.universe.on('block', (block) => blocks.push(block)),
    node.universe.on('reorg', (some) => removed.push(...some)),
    node.universe.on('pending', (tx) => pending.push(tx)),
  ]
  run()
  for (const stop of stops) stop()
  return { blocks, removed, pending }
}

/** A client of the socket. `results(id, n)` waits for n notifications of a subscription. */
async function dial() {
  const socket = new WebSocket(node.host.wsUrl)
  await once(socket, 'open')
  const answers = new Map<number, unknown>()
  const notices = new Map<string, unknown[]>()
  socket.on('message', (data) => {
    const { id, result, error, params } = JSON.parse(data.toString())
    if (params === undefined) answers.set(id, error ?? result)
    else notices.set(params.subscription, [...(notices.get(params.subscription) ?? []), params.result])
    socket.emit('seen')
  })
  let lastId = 0
  const call = async (method: string, ...params: unknown[]) => {
    lastId += 1
    const id = lastId
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    while (!answers.has(id)) await once(socket, 'seen')
    return answers.get(id)
  }
  const subscribe = async (...params: unknown[]) => String(await call('eth_subscribe', ...params))
  /** All notifications that were sent before now. */
  const results = async (id: string) => {
    await call('eth_chainId')
    return notices.get(id) ?? []
  }
  return { socket, call, subscribe, results, close: () => socket.terminate() }
}

const logsOf = async (block: Block, filter: object = {}) =>
  node.rpc('eth_getLogs', { blockHash: node.universe.chain.hashOf(block), ...filter })

const allLogs = async (blocks: readonly Block[], filter: object = {}) =>
  (await Promise.all(blocks.map((block) => logsOf(block, filter)))).flat()

describe('subscriptions', () => {
  test('ordinary methods work on the socket too', async () => {
    const client = await dial()
    expect(await client.call('eth_chainId')).toBe('0x89')
    client.close()
  })

  test('newHeads: every header, equal to that of the block', async () => {
    const client = await dial()
    const id = await client.subscribe('newHeads')
    expect(id).toMatch(/^0x[0-9a-f]{32}$/)
    const { blocks } = observe(() => advance(20))
    const heads = await client.results(id)
    expect(heads).toHaveLength(blocks.length)
    for (const [index, block] of blocks.entries()) {
      expect(await node.rpc('eth_getBlockByNumber', hex(block.number), false)).toMatchObject(
        heads[index] as object,
      )
    }
    client.close()
  })

  test('logs: what eth_getLogs gives for the same blocks and the same filter', async () => {
    const client = await dial()
    const filter = { address: ADDRESS.ctf }
    const [all, some] = [await client.subscribe('logs'), await client.subscribe('logs', filter)]
    const { blocks } = observe(() => advance(60))
    const expected = await allLogs(blocks)
    expect(expected.length).toBeGreaterThan(0)
    expect(await client.results(all)).toEqual(expected)
    expect(await client.results(some)).toEqual(await allLogs(blocks, filter))
    client.close()
  })

  test('newPendingTransactions: hashes, or whole bodies, before the block', async () => {
    const client = await dial()
    const hashes = await client.subscribe('newPendingTransactions')
    const bodies = await client.subscribe('newPendingTransactions', true)
    const { pending } = observe(() => advance(60))
    expect(pending.length).toBeGreaterThan(0)
    expect(await client.results(hashes)).toEqual(pending.map(({ hash }) => hash))
    const full = (await client.results(bodies)) as {
      hash: string
      blockHash: null
      input: string
    }[]
    expect(full.map(({ hash }) => hash)).toEqual(pending.map(({ hash }) => hash))
    expect(full[0]).toMatchObject({ blockHash: null, blockNumber: null, transactionIndex: null })

    const first = pending[0]?.hash
    const settled = (await node.rpc('eth_getTransactionByHash', first)) as object
    expect(settled).toMatchObject({ hash: first, input: full[0]?.input })
    client.close()
  })

  test('a pending transaction is found by its hash and has no receipt yet', async () => {
    const { chain } = node.universe
    let waiting: Transaction | undefined
    while (waiting === undefined) {
      waiting = observe(() => advance(1)).pending.find(({ hash }) => chain.find(hash)?.block === undefined)
    }
    expect(await node.rpc('eth_getTransactionByHash', waiting.hash)).toMatchObject({
      hash: waiting.hash,
      blockNumber: null,
    })
    expect(await node.rpc('eth_getTransactionReceipt', waiting.hash)).toBeNull()
  })

  test('a reorg takes logs back, the newest first, and new heads and logs follow', async () => {
    const client = await dial()
    const heads = await client.subscribe('newHeads')
    const logs = await client.subscribe('logs')
    advance(60)
    const headsBefore = (await client.results(heads)).length
    const notices = await client.results(logs)
    const { blocks, removed } = observe(() => node.universe.reorg(10))
    expect([removed.length, blocks.length]).toEqual([10, 10])

    const oldNumbers = new Set(removed.map(({ number }) => hex(number)))
    const old = (notices as { blockNumber: string }[]).filter((log) => oldNumbers.has(log.blockNumber))
    const since = (await client.results(logs)).slice(notices.length)
    const reverted = old.reverse().map((log) => ({ ...log, removed: true }))
    expect(since).toEqual([...reverted, ...(await allLogs(blocks))])

    const newHeads = (await client.results(heads)).slice(headsBefore) as { hash: string }[]
    const { chain } = node.universe
    expect(newHeads.map(({ hash }) => hash)).toEqual(blocks.map((block) => chain.hashOf(block)))
    for (const block of removed) {
      expect(await node.rpc('eth_getBlockByHash', chain.hashOf(block), false)).toBeNull()
    }
    client.close()
  })

  test('after eth_unsubscribe nothing comes any more', async () => {
    const client = await dial()
    const id = await client.subscribe('newHeads')
    expect(await client.call('eth_unsubscribe', id)).toBe(true)
    advance(10)
    expect(await client.results(id)).toEqual([])
    expect(await client.call('eth_unsubscribe', id)).toMatchObject({ code: -32000 })
    client.close()
  })

  test('a client cannot end the subscription of another', async () => {
    const [one, other] = [await dial(), await dial()]
    const id = await one.subscribe('newHeads')
    expect(await other.call('eth_unsubscribe', id)).toMatchObject({ code: -32000 })
    one.close()
    other.close()
  })

  test('a connection has a thousand subscriptions at most', async () => {
    const client = await dial()
    const one = { jsonrpc: '2.0', id: 0, method: 'eth_subscribe', params: ['newHeads'] }
    client.socket.send(JSON.stringify(Array.from({ length: 1_000 }, () => one)))
    expect(await client.call('eth_subscribe', 'newHeads')).toMatchObject({ code: -32000 })
    client.close()
  })

  test.each([
    [-32601, ['newBlocks']],
    [-32602, []],
    [-32602, ['logs', { address: 'x' }]],
    [-32602, ['newPendingTransactions', 'full']],
  ])('%i: eth_subscribe %j', async (code, params) => {
    const client = await dial()
    expect(await client.call('eth_subscribe', ...params)).toMatchObject({ code })
    client.close()
  })

  test('missed-heads: every other block is left out, its header and its logs', async () => {
    const client = await dial()
    const heads = await client.subscribe('newHeads')
    const logs = await client.subscribe('logs')
    node.faults.set({ upstream: 'polygon', mode: 'missed-heads' })
    const { blocks } = observe(() => advance(60))
    const shown = blocks.filter((_, index) => index % 2 === 0)
    const numbers = ((await client.results(heads)) as { number: string }[]).map((h) => h.number)
    expect(numbers).toEqual(shown.map(({ number }) => hex(number)))
    expect(await client.results(logs)).toEqual(await allLogs(shown))
    client.close()
  })
})
