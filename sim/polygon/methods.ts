import { balanceWeiOf, codeOf } from './accounts.js'
import { showBlock } from './block-text.js'
import { callContract } from './calls.js'
import type { ChainNode } from './chain-node.js'
import { baseFeeWei, TIP_WEI } from './gas.js'
import { getLogs } from './get-logs.js'
import { quantity } from './hex.js'
import { showList } from './json-list.js'
import {
  readAddress,
  readBlock,
  readBlockNumber,
  readBoolean,
  readCount,
  readHash,
} from './params.js'
import { unknownMethod } from './rpc-error.js'
import { pendingTransaction, showReceipt, transactionInBlock } from './transaction-text.js'

/** Returns the JSON text of the result. */
type Method = {
  paramsMin: number
  paramsMax: number
  run(node: ChainNode, ...params: readonly unknown[]): string
}

/** Calls a method of the node; throws an RpcError. */
export function callMethod(node: ChainNode, name: string, params: readonly unknown[]): string {
  const method = METHODS.get(name)
  if (method === undefined) throw unknownMethod(name)
  readCount(params, method.paramsMin, method.paramsMax)
  return method.run(node, ...params)
}

const NONE = 'null'
const show = (text: string) => `"${text}"`

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['eth_chainId', constant('"0x89"')],
  ['net_version', constant('"137"')],
  ['web3_clientVersion', constant('"bor/v2.2.9/linux-amd64/go1.24.6"')],
  ['eth_syncing', constant('false')],
  ['eth_blockNumber', take(0, ({ universe }) => show(quantity(universe.chain.head.number)))],
  ['eth_gasPrice', take(0, (node) => show(quantity(gasPriceWei(node))))],
  ['eth_maxPriorityFeePerGas', constant(show(quantity(TIP_WEI)))],
  ['eth_getBlockByNumber', { paramsMin: 1, paramsMax: 2, run: getBlockByNumber }],
  ['eth_getBlockByHash', { paramsMin: 1, paramsMax: 2, run: getBlockByHash }],
  ['eth_getBlockReceipts', take(1, getBlockReceipts)],
  ['eth_getTransactionByHash', take(1, getTransaction)],
  ['eth_getTransactionReceipt', take(1, getReceipt)],
  ['eth_getLogs', take(1, getLogs)],
  ['eth_getCode', { paramsMin: 1, paramsMax: 2, run: getCode }],
  ['eth_getBalance', { paramsMin: 1, paramsMax: 2, run: getBalance }],
  ['eth_call', { paramsMin: 1, paramsMax: 2, run: call }],
])

function take(count: number, run: Method['run']): Method {
  return { paramsMin: count, paramsMax: count, run }
}

function constant(text: string): Method {
  return take(0, () => text)
}

function gasPriceWei({ universe }: ChainNode): number {
  return baseFeeWei(universe.chain.hashOf(universe.chain.head)) + TIP_WEI
}

function getBlockByNumber(node: ChainNode, at: unknown, isFull: unknown = false): string {
  const { chain } = node.universe
  const block = chain.block(readBlockNumber(chain, at, 'argument 0'))
  const full = readBoolean(isFull, 'argument 1')
  return block === undefined ? NONE : showBlock(node, block, full)
}

function getBlockByHash(node: ChainNode, hash: unknown, isFull: unknown = false): string {
  const block = node.universe.chain.blockByHash(readHash(hash, 'argument 0'))
  const full = readBoolean(isFull, 'argument 1')
  return block === undefined ? NONE : showBlock(node, block, full)
}

function getBlockReceipts(node: ChainNode, at: unknown): string {
  const block = readBlock(node.universe.chain, at, 'argument 0')
  if (block === undefined) return NONE
  const encoded = node.blocks.get(block)
  const receipts = block.transactions.map((_, index) => showReceipt(block, encoded, index))
  return showList(receipts)
}

function getTransaction(node: ChainNode, hash: unknown): string {
  const found = node.universe.chain.find(readHash(hash, 'argument 0'))
  if (found === undefined) return NONE
  const { tx, block, index } = found
  if (block === undefined) return JSON.stringify(pendingTransaction(tx))
  return JSON.stringify(transactionInBlock(block, node.blocks.get(block), index))
}

function getReceipt(node: ChainNode, hash: unknown): string {
  const found = node.universe.chain.find(readHash(hash, 'argument 0'))
  if (found?.block === undefined) return NONE
  return showReceipt(found.block, node.blocks.get(found.block), found.index)
}

function getCode({ universe }: ChainNode, address: unknown): string {
  return show(codeOf(universe, readAddress(address, 'argument 0')))
}

function getBalance({ universe }: ChainNode, address: unknown): string {
  return show(balanceWeiOf(universe, readAddress(address, 'argument 0')))
}

function call(node: ChainNode, request: unknown, at: unknown = 'latest'): string {
  return show(callContract(node, request, at))
}
