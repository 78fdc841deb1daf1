import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADDRESS } from '../contracts/addresses.js'
import { encodeAct } from '../contracts/encode.js'
import { word } from '../contracts/words.js'
import type { Token } from '../universe/market.js'
import type { Wallet } from '../universe/wallet.js'
import { hex, openTestNode, type TestNode } from './test-node.js'

let node: TestNode
beforeAll(async () => {
  node = await openTestNode()
})
afterAll(() => node.close())

const rpc = (method: string, ...params: unknown[]) => node.rpc(method, ...params)
const HASH = /^0x[0-9a-f]{64}$/
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/
const NOWHERE = `0x${'9'.repeat(64)}`

describe('about the node', () => {
  test.each([
    ['eth_chainId', '0x89'],
    ['net_version', '137'],
    ['eth_syncing', false],
    ['web3_clientVersion', expect.stringMatching(/^bor\//)],
    ['eth_gasPrice', expect.stringMatching(QUANTITY)],
  ])('%s', async (method, expected) => {
    expect(await rpc(method)).toEqual(expected)
  })

  test('eth_blockNumber is the head', async () => {
    expect(await rpc('eth_blockNumber')).toBe(hex(node.universe.chain.head.number))
  })

  test('a GET is refused', async () => {
    expect((await fetch(node.host.url)).status).toBe(405)
  })

  test('a notification gets an empty answer', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'eth_chainId' })
    const reply = await fetch(node.host.url, { method: 'POST', body })
    expect([reply.status, await reply.text()]).toEqual([200, ''])
  })

  test('a batch is one answer', async () => {
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }))
    expect(await node.post(batch)).toEqual([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: '0x89' })))
  })
})

describe('bad requests', () => {
  test.each([
    [-32601, 'eth_mine', []],
    [-32601, 'constructor', []],
    [-32601, 'eth_subscribe', ['newHeads']],
    [-32602, 'eth_getBlockByNumber', []],
    [-32602, 'eth_getBlockByNumber', ['newest', false]],
    [-32602, 'eth_getBlockByNumber', ['12', false]],
    [-32602, 'eth_getBlockByNumber', ['0x01', false]],
    [-32602, 'eth_getBlockByNumber', ['latest', 'yes']],
    [-32602, 'eth_getBlockByHash', ['0x12', false]],
    [-32602, 'eth_blockNumber', [1]],
    [-32602, 'eth_getTransactionByHash', [7]],
    [-32602, 'eth_getCode', ['0x12', 'latest']],
    [-32602, 'eth_call', [{ to: '0x12' }, 'latest']],
    [-32602, 'eth_getLogs', ['latest']],
  ])('%i: %s %j', async (code, method, params) => {
    expect(await rpc(method, ...params)).toEqual({ code, message: expect.any(String) })
  })
})

describe('blocks', () => {
  test('have the fields of a Polygon block, and their transactions as asked', async () => {
    const { chain } = node.universe
    const block = node.findBlock(2)
    const hashes = await rpc('eth_getBlockByNumber', hex(block.number), false)
    expect(hashes).toMatchObject({
      number: hex(block.number),
      hash: chain.hashOf(block),
      parentHash: chain.parentHashOf(block),
      timestamp: hex(block.timestampSec),
      miner: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      extraData: expect.stringMatching(/^0x[0-9a-f]{194}$/),
      logsBloom: expect.stringMatching(/^0x[0-9a-f]{512}$/),
      stateRoot: expect.stringMatching(HASH),
      receiptsRoot: expect.stringMatching(HASH),
      baseFeePerGas: expect.stringMatching(QUANTITY),
      gasUsed: expect.stringMatching(QUANTITY),
      transactions: block.transactions.map(({ hash }) => hash),
      uncles: [],
    })
    const full = await rpc('eth_getBlockByHash', chain.hashOf(block), true)
    expect(full.transactions).toHaveLength(block.transactions.length)
    expect({ ...full, transactions: hashes.transactions }).toEqual(hashes)
  })

  test('each is the parent of the next', async () => {
    const { head } = node.universe.chain
    const last = await rpc('eth_getBlockByNumber', hex(head.number), false)
    const before = await rpc('eth_getBlockByNumber', hex(head.number - 1), false)
    expect(last.parentHash).toBe(before.hash)
  })

  test('are found by name', async () => {
    const { head, finalized, firstNumber } = node.universe.chain
    const named = async (tag: string) => (await rpc('eth_getBlockByNumber', tag, false)).number
    expect(await named('latest')).toBe(hex(head.number))
    expect(await named('pending')).toBe(hex(head.number))
    expect(await named('finalized')).toBe(hex(finalized.number))
    expect(await named('safe')).toBe(hex(finalized.number))
    expect(await named('earliest')).toBe(hex(firstNumber))
  })

  test('that do not exist are null', async () => {
    const beyond = hex(node.universe.chain.head.number + 1)
    expect(await rpc('eth_getBlockByNumber', beyond, false)).toBeNull()
    expect(await rpc('eth_getBlockByHash', NOWHERE, false)).toBeNull()
    expect(await rpc('eth_getBlockReceipts', beyond)).toBeNull()
    expect(await rpc('eth_getTransactionByHash', NOWHERE)).toBeNull()
    expect(await rpc('eth_getTransactionReceipt', NOWHERE)).toBeNull()
  })
})

describe('transactions and receipts', () => {
  test('a receipt carries the logs of its act, numbered through the block', async () => {
    const block = node.findBlock(2)
    const receipts = await rpc('eth_getBlockReceipts', hex(block.number))
    expect(receipts).toHaveLength(block.transactions.length)
    let gas = 0
    let logIndex = 0
    for (const [index, tx] of block.transactions.entries()) {
      const receipt = receipts[index]
      gas += Number(receipt.gasUsed)
      expect(await rpc('eth_getTransactionReceipt', tx.hash)).toEqual(receipt)
      expect(receipt).toMatchObject({
        transactionHash: tx.hash,
        transactionIndex: hex(index),
        cumulativeGasUsed: hex(gas),
        status: '0x1',
        type: '0x2',
        contractAddress: null,
        from: tx.from,
        to: tx.to,
      })
      expect(receipt.logs).toEqual(
        encodeAct(tx.act).map((body) => ({
          ...body,
          blockNumber: hex(block.number),
          blockHash: node.universe.chain.hashOf(block),
          blockTimestamp: hex(block.timestampSec),
          transactionHash: tx.hash,
          transactionIndex: hex(index),
          logIndex: hex(logIndex++),
          removed: false,
        })),
      )
    }
    const { gasUsed } = await rpc('eth_getBlockByNumber', hex(block.number), false)
    expect(gasUsed).toBe(hex(gas))
  })

  test('a transaction is the same by its hash and in its block', async () => {
    const block = node.findBlock(1)
    const { transactions } = await rpc('eth_getBlockByNumber', hex(block.number), true)
    expect(await rpc('eth_getTransactionByHash', transactions[0].hash)).toEqual(transactions[0])
    expect(transactions[0]).toMatchObject({
      type: '0x2',
      value: '0x0',
      chainId: '0x89',
      input: expect.stringMatching(/^0x[0-9a-f]{8}/),
      r: expect.stringMatching(HASH),
    })
  })
})

describe('accounts', () => {
  const code = (address: string) => rpc('eth_getCode', address, 'latest')

  test('contracts and contract wallets have code, people have none', async () => {
    expect(await code(ADDRESS.exchangeV2)).toMatch(/^0x6080/)
    expect(await code(`0x${'12'.repeat(20)}`)).toBe('0x')
    const deposit = node.universe.wallets.find(
      ({ kind, createdMs }) => kind === 'deposit' && createdMs <= node.universe.nowMs,
    )
    expect((await code(deposit?.address ?? '')).slice(-40)).toBe(deposit?.owner.slice(2))
  })

  test('balances of the coin are quantities', async () => {
    expect(await rpc('eth_getBalance', `0x${'12'.repeat(20)}`, 'latest')).toMatch(QUANTITY)
    expect(await rpc('eth_getBalance', ADDRESS.ctf, 'latest')).toBe('0x0')
  })
})

describe('eth_call', () => {
  /** A wallet that holds shares which it got in a recent match. */
  function findHolder(): { wallet: Wallet; token: Token; held: number } {
    const { settledActs } = node.universe
    for (const { tx } of settledActs.matches.toReversed()) {
      if (tx.act.kind !== 'match' || tx.act.of.kind !== 'market') continue
      const { wallet, token } = tx.act.taker.order
      const held = settledActs.balance(wallet, token)
      if (held > 0) return { wallet, token, held }
    }
    throw new Error('no wallet holds anything')
  }
  const call = (to: string, data: string, at: string = 'latest') => rpc('eth_call', { to, data }, at)
  const balanceOf = (holder: string, id: bigint) =>
    `0x00fdd58e${holder.slice(2).padStart(64, '0')}${word(id)}`

  test('balanceOf is what the wallet holds', async () => {
    const { wallet, token, held } = findHolder()
    expect(await call(ADDRESS.ctf, balanceOf(wallet.address, token.id))).toBe(`0x${word(held)}`)
    const elsewhere = await call(ADDRESS.positionManager, balanceOf(wallet.address, token.id))
    expect(elsewhere).toBe(`0x${word(0)}`)
  })

  test('balanceOfBatch answers in order, zero for unknown addresses', async () => {
    const { wallet, token, held } = findHolder()
    const unknown = '12'.repeat(20).padStart(64, '0')
    const args = [64, 160, 2].map(word).join('') + wallet.word + unknown
    const ids = word(2) + word(token.id) + word(token.id)
    const reply = await call(ADDRESS.ctf, `0x4e1273f4${args}${ids}`)
    expect(reply).toBe(`0x${[32, 2, held, 0].map(word).join('')}`)
  })

  test('a balance at an earlier block is the one before the transfers since', async () => {
    const { chain, settledActs } = node.universe
    const settled = settledActs.matches.toReversed().find(({ tx, block }) => {
      const isRecent = block.number > chain.head.number - 100
      return isRecent && tx.act.kind === 'match' && tx.act.of.kind === 'market'
    })
    if (settled?.tx.act.kind !== 'match') throw new Error('no recent match')
    const { wallet, token, side } = settled.tx.act.taker.order
    const at = async (number: number) =>
      BigInt(await call(ADDRESS.ctf, balanceOf(wallet.address, token.id), hex(number)))
    const change = (await at(settled.block.number)) - (await at(settled.block.number - 1))
    expect(change > 0n).toBe(side === 'BUY')
    expect(await at(chain.head.number)).toBe(BigInt(settledActs.balance(wallet, token)))
  })

  test('the state of old blocks is gone, that of the future not there', async () => {
    const { head } = node.universe.chain
    const data = balanceOf(ADDRESS.ctf, 1n)
    expect(await call(ADDRESS.ctf, data, hex(head.number - 128))).toMatchObject({ code: -32000 })
    expect(await call(ADDRESS.ctf, data, hex(head.number + 1))).toMatchObject({
      code: -32000,
      message: 'header not found',
    })
  })

  test('the factory of deposit wallets names its beacon', async () => {
    const reply = await call(ADDRESS.depositWalletFactory, '0x49493a4d')
    expect(reply).toBe(`0x${word(BigInt(ADDRESS.depositWalletBeacon))}`)
  })

  test.each([
    [ADDRESS.usdce, '0x70a08231'],
    [ADDRESS.ctf, '0x00fdd58e'],
    [ADDRESS.ctf, `0x4e1273f4${'f'.repeat(128)}`],
    [ADDRESS.ctf, '0x'],
  ])('everything else reverts: %s %s', async (to, data) => {
    expect(await call(to, data)).toEqual({ code: 3, message: 'execution reverted', data: '0x' })
  })
})
