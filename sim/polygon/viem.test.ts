import {
  type Block,
  createPublicClient,
  http,
  type Log,
  type PublicClient,
  parseAbiItem,
  webSocket,
} from 'viem'
import { polygon } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADDRESS } from '../contracts/addresses.js'
import { openTestNode, type TestNode } from './test-node.js'

const TRANSFER_SINGLE = parseAbiItem(
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
)

let node: TestNode
let overHttp: PublicClient
let overSocket: PublicClient
let closeSocket: () => void
beforeAll(async () => {
  node = await openTestNode()
  const transport = http(node.host.url)
  overHttp = createPublicClient({ chain: polygon, transport, pollingInterval: 10 })
  const socket = webSocket(node.host.wsUrl, { reconnect: false })
  const socketClient = createPublicClient({ chain: polygon, transport: socket })
  overSocket = socketClient
  closeSocket = () => void socketClient.transport.getRpcClient().then((rpc) => rpc.close())
})
afterAll(async () => {
  closeSocket()
  await node.close()
})

const advance = (seconds: number) => node.universe.advance(node.universe.nowMs + seconds * 1_000)

/** Lets the universe go on until the watcher has seen enough. */
async function collect<T>(
  count: number,
  watch: (see: (items: readonly T[]) => void, fail: (error: Error) => void) => () => void,
): Promise<T[]> {
  const seen: T[] = []
  let failure: Error | undefined
  const stop = watch(
    (items) => seen.push(...items),
    (error) => {
      failure = error
    },
  )
  while (seen.length < count && failure === undefined) {
    advance(2)
    await overHttp.getChainId()
  }
  stop()
  if (failure !== undefined) throw failure
  return seen
}

describe.each(['http', 'webSocket'] as const)('viem over %s', (kind) => {
  const client = () => (kind === 'http' ? overHttp : overSocket)

  test('reads the chain id and the head', async () => {
    expect(await client().getChainId()).toBe(137)
    const block = await client().getBlock()
    expect(Number(block.number)).toBe(node.universe.chain.head.number)
    expect(block.hash).toBe(node.universe.chain.hashOf(node.universe.chain.head))
  })

  test('follows blocks', async () => {
    const blocks = await collect<Block>(5, (see, fail) =>
      client().watchBlocks({ onBlock: (block) => see([block]), onError: fail, emitMissed: true }),
    )
    const { chain } = node.universe
    for (const [index, { number, hash, parentHash }] of blocks.entries()) {
      const block = chain.block(Number(number))
      expect(hash).toBe(block === undefined ? undefined : chain.hashOf(block))
      if (index > 0) expect(parentHash).toBe(blocks[index - 1]?.hash)
    }
  })

  test('decodes logs', async () => {
    const head = await client().getBlockNumber()
    const logs = await client().getLogs({
      address: ADDRESS.ctf,
      event: TRANSFER_SINGLE,
      fromBlock: head - 200n,
      toBlock: head,
      strict: true,
    })
    expect(logs.length).toBeGreaterThan(0)
    for (const { args, blockNumber } of logs) {
      expect(args.value).toBeGreaterThan(0n)
      expect(blockNumber).toBeGreaterThanOrEqual(head - 200n)
    }
  })

  test('reads receipts', async () => {
    const [tx] = node.findBlock(1).transactions
    const receipt = await client().getTransactionReceipt({ hash: tx?.hash as `0x${string}` })
    expect(receipt).toMatchObject({ status: 'success', type: 'eip1559', contractAddress: null })
    expect(receipt.logs.length).toBeGreaterThan(0)
    const found = await client().getTransaction({ hash: receipt.transactionHash })
    expect(found.from).toBe(receipt.from)
  })

  test('reads balances', async () => {
    const [settled] = node.universe.settledActs.matches.slice(-1)
    if (settled?.tx.act.kind !== 'match') throw new Error('no match')
    const { wallet, token } = settled.tx.act.taker.order
    const balance = await client().readContract({
      address: token.of.kind === 'combo' ? ADDRESS.positionManager : ADDRESS.ctf,
      abi: [parseAbiItem('function balanceOf(address, uint256) view returns (uint256)')],
      functionName: 'balanceOf',
      args: [wallet.address as `0x${string}`, token.id],
    })
    expect(balance).toBe(BigInt(node.universe.settledActs.balance(wallet, token)))
  })

  test('explains errors', async () => {
    const head = await client().getBlockNumber()
    await expect(client().getLogs({ fromBlock: head - 10_000n, toBlock: head })).rejects.toThrow(
      'exceed maximum block range: 10000',
    )
  })
})

describe('viem over webSocket, pushed', () => {
  test('watches logs', async () => {
    const logs = await collect<Log>(20, (see, fail) =>
      overSocket.watchEvent({ address: ADDRESS.ctf, onLogs: see, onError: fail }),
    )
    expect(logs.every(({ address }) => address === ADDRESS.ctf)).toBe(true)
  })

  test('watches pending transactions', async () => {
    const hashes = await collect<`0x${string}`>(5, (see, fail) =>
      overSocket.watchPendingTransactions({ onTransactions: see, onError: fail }),
    )
    for (const hash of hashes) expect((await overSocket.getTransaction({ hash })).hash).toBe(hash)
  })
})
