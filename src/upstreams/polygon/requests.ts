import { parseArray, refuseValue } from '../transport/parse-json.js'
import type { LogFilter } from './filter.js'
import { type ChainLog, parseQuantityField } from './log.js'
import {
  type Block,
  type PolygonTransaction,
  parseBlock,
  parseBytes,
  parseOrderedLogs,
  parseReceipt,
  parseTransaction,
  type Receipt,
} from './parse.js'

/** A method call and how its result is parsed. `parse` throws ParseError on what must not be trusted. */
export type RpcRequest<T> = {
  method: string
  params: readonly unknown[]
  parse: (result: unknown, path: string) => T
}

/** A block by number, by hash, or by what it is now. `finalized` is the newest that will not be replaced. */
export type BlockAt = number | { hash: string } | 'latest' | 'finalized' | 'safe' | 'earliest'

/** Blocks from one number to another, both included, or the one block with that hash. */
export type LogRange = { fromBlock: number; toBlock: number } | { blockHash: string }

export const askChainId = (): RpcRequest<number> => ({
  method: 'eth_chainId',
  params: [],
  parse: parseNumber,
})

export const askBlockNumber = (): RpcRequest<number> => ({
  method: 'eth_blockNumber',
  params: [],
  parse: parseNumber,
})

/** `undefined`: the node does not have it. */
export function askBlock(at: BlockAt): RpcRequest<Block | undefined> {
  const parse = (result: unknown, path: string) => {
    const block = result === null ? undefined : parseBlock(result, path)
    if (block !== undefined && !isBlockAt(block, at))
      return refuseValue(path, `block ${showAt(at)}`, { number: block.number, hash: block.hash })
    return block
  }
  return typeof at === 'object'
    ? { method: 'eth_getBlockByHash', params: [at.hash, false], parse }
    : { method: 'eth_getBlockByNumber', params: [showAt(at), false], parse }
}

/** In the order of the chain. A log outside of what was asked for is refused. */
export function askLogs(range: LogRange, filter: LogFilter = {}): RpcRequest<ChainLog[]> {
  const isAskedFor =
    'blockHash' in range
      ? ({ at }: ChainLog) => at.blockHash === range.blockHash
      : ({ at }: ChainLog) => at.blockNumber >= range.fromBlock && at.blockNumber <= range.toBlock
  const blocks =
    'blockHash' in range
      ? range
      : { fromBlock: toHex(range.fromBlock), toBlock: toHex(range.toBlock) }
  return {
    method: 'eth_getLogs',
    params: [{ ...filter, ...blocks }],
    parse: (result, path) => parseOrderedLogs(result, path, isAskedFor),
  }
}

/** `undefined`: the transaction is in no block that the node has. */
export function askReceipt(txHash: string): RpcRequest<Receipt | undefined> {
  return {
    method: 'eth_getTransactionReceipt',
    params: [txHash],
    parse: (result, path) => {
      const receipt = result === null ? undefined : parseReceipt(result, path)
      if (receipt !== undefined && receipt.txHash !== txHash)
        return refuseValue(path, `the receipt of ${txHash}`, receipt.txHash)
      return receipt
    },
  }
}

/** `undefined`: the node does not have the block. */
export function askBlockReceipts(at: BlockAt): RpcRequest<Receipt[] | undefined> {
  return {
    method: 'eth_getBlockReceipts',
    params: [showAt(at)],
    parse: (result, path) => {
      const receipts = result === null ? undefined : parseArray(result, path, parseReceipt)
      const foreign = receipts?.find(({ blockNumber, blockHash }) =>
        typeof at === 'object'
          ? at.hash !== blockHash
          : typeof at === 'number' && at !== blockNumber,
      )
      if (foreign !== undefined)
        return refuseValue(path, `receipts of block ${showAt(at)}`, foreign.blockHash)
      return receipts
    },
  }
}

/** `undefined`: the node does not have it. */
export function askTransaction(txHash: string): RpcRequest<PolygonTransaction | undefined> {
  return {
    method: 'eth_getTransactionByHash',
    params: [txHash],
    parse: (result, path) => {
      const tx = result === null ? undefined : parseTransaction(result, path)
      if (tx !== undefined && tx.hash !== txHash)
        return refuseValue(path, `transaction ${txHash}`, tx.hash)
      return tx
    },
  }
}

export function askCall(
  call: { to: string; data: string },
  at: BlockAt = 'latest',
): RpcRequest<string> {
  const block = typeof at === 'object' ? { blockHash: at.hash } : showAt(at)
  return { method: 'eth_call', params: [call, block], parse: parseBytes }
}

const toHex = (value: number): string => `0x${value.toString(16)}`

function showAt(at: BlockAt): string {
  if (typeof at === 'object') return at.hash
  return typeof at === 'number' ? toHex(at) : at
}

function isBlockAt({ number, hash }: Block, at: BlockAt): boolean {
  if (typeof at === 'object') return at.hash === hash
  return typeof at !== 'number' || at === number
}

function parseNumber(result: unknown, path: string): number {
  return parseQuantityField({ result }, 'result', path)
}
