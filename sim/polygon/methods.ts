import { ADDRESS, type ContractName, WORD } from '../contracts/addresses.js'
import { hasFirstForm } from '../contracts/wallet-addresses.js'
import { addressWord } from '../contracts/words.js'
import type { Block } from '../universe/block.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { showBlock } from './block-text.js'
import { callContract } from './calls.js'
import type { ChainNode } from './encoded-blocks.js'
import { getLogs } from './get-logs.js'
import { derive, deriveBelow, quantity, showList } from './hex.js'
import { headBefore } from './lagging-chain.js'
import { readAddress, readBlock, readBlockNumber, readBoolean, readCount, readHash } from './params.js'
import { unknownMethod } from './rpc-error.js'
import {
  baseFeeWei,
  pendingTransaction,
  showReceipt,
  TIP_WEI,
  transactionInBlock,
} from './transaction-text.js'

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
  ['eth_blockNumber', take(0, (node) => show(quantity(shownHead(node).number)))],
  ['eth_gasPrice', take(0, (node) => show(quantity(gasPriceWei(node))))],
  ['eth_maxPriorityFeePerGas', constant(show(quantity(TIP_WEI)))],
  ['eth_getBlockByNumber', { paramsMin: 1, paramsMax: 2, run: getBlockByNumber }],
  ['eth_getBlockByHash', { paramsMin: 1, paramsMax: 2, run: getBlockByHash }],
  ['eth_getBlockTransactionCountByHash', take(1, getTransactionCount)],
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

/** What the node says that its newest block is. */
function shownHead({ chain, faults }: ChainNode): Block {
  const back = faults.get('head-back')
  return back !== undefined && faults.hits('head-back') ? headBefore(chain, back.blocks) : chain.head
}

function gasPriceWei({ chain }: ChainNode): number {
  return baseFeeWei(chain.hashOf(chain.head)) + TIP_WEI
}

function getBlockByNumber(node: ChainNode, at: unknown, isFull: unknown = false): string {
  const { chain } = node
  const block = at === 'latest' ? shownHead(node) : chain.block(readBlockNumber(chain, at, 'argument 0'))
  const full = readBoolean(isFull, 'argument 1')
  return block === undefined ? NONE : showBlock(node, block, full)
}

function getBlockByHash(node: ChainNode, hash: unknown, isFull: unknown = false): string {
  const block = node.chain.blockByHash(readHash(hash, 'argument 0'))
  const full = readBoolean(isFull, 'argument 1')
  return block === undefined ? NONE : showBlock(node, block, full)
}

function getTransactionCount(node: ChainNode, hash: unknown): string {
  const block = node.chain.blockByHash(readHash(hash, 'argument 0'))
  return block === undefined ? NONE : show(quantity(block.transactions.length))
}

function getBlockReceipts(node: ChainNode, at: unknown): string {
  const block = readBlock(node.chain, at, 'argument 0')
  if (block === undefined) return NONE
  const encoded = node.blocks.get(block)
  const receipts = block.transactions.map((_, index) => showReceipt(block, encoded, index))
  return showList(receipts)
}

function getTransaction(node: ChainNode, hash: unknown): string {
  const found = node.chain.find(readHash(hash, 'argument 0'))
  if (found === undefined) return NONE
  const { tx, block, index } = found
  if (block === undefined) return JSON.stringify(pendingTransaction(tx))
  return JSON.stringify(transactionInBlock(block, node.blocks.get(block), index))
}

function getReceipt(node: ChainNode, hash: unknown): string {
  const found = node.chain.find(readHash(hash, 'argument 0'))
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

const PROXY_IMPLEMENTATION = '44e999d5c2f66ef0861317f9a4805ac2e90aeb4f'
const SAFE_SINGLETON = 'e51abdf814f8854941b9fe8e3a4f65cab4e7a4a8'
const BEACON_PROXY = [
  '363d3d373d3d363d602036600436635c60da1b60e01b36527fa3f0ad74e5423aebfd80d3ef434657',
  '8335a9a72aeaee59ff6cb3582b35133d50545afa5036515af43d6000803e604d573d6000fd5b3d6000f3',
].join('')
const ERC1967_PROXY = [
  '363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076',
  'cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
].join('')
const MILLI_POL_WEI = 1_000_000_000_000_000n

/** Known addresses that have a key and no code. */
const KEYS: readonly ContractName[] = ['feeReceiver', 'negRiskBurn', 'questionCreator', 'relay']
const CONTRACTS: ReadonlySet<string> = new Set(
  Object.entries(ADDRESS).flatMap(([name, address]) =>
    KEYS.includes(name as ContractName) ? [] : [address],
  ),
)

/** What `eth_getCode` returns: 0x for an address without code. */
function codeOf(universe: Universe, address: string): string {
  if (CONTRACTS.has(address)) return `0x6080604052${derive(address, 'code').slice(2)}00`
  const wallet = universe.walletByAddress(address)
  return wallet === undefined || wallet.createdMs > universe.nowMs ? '0x' : walletCode(wallet)
}

/** Only people who sign their own transactions hold the coin of the chain. */
function balanceWeiOf(universe: Universe, address: string): string {
  if (CONTRACTS.has(address)) return '0x0'
  const wallet = universe.walletByAddress(address)
  if (wallet !== undefined && wallet.kind !== 'eoa') return '0x0'
  return quantity(BigInt(deriveBelow(address, 'balance', 90_000)) * MILLI_POL_WEI)
}

function walletCode({ kind, owner }: Wallet): string {
  switch (kind) {
    case 'eoa':
      return '0x'
    case 'proxy':
      return `0x363d3d373d3d3d363d73${PROXY_IMPLEMENTATION}5af43d82803e903d91602b57fd5bf3`
    case 'safe':
      return `0x608060405273ffffffffffffffffffffffffffffffffffffffff6000541673${SAFE_SINGLETON}`
    case 'deposit':
      // The factory and the owner are appended to the code as constructor arguments.
      return `0x${hasFirstForm(owner) ? ERC1967_PROXY : BEACON_PROXY}${WORD.depositWalletFactory}${addressWord(owner)}`
  }
}
