import { parseArray, refuseValue } from '../transport/parse-json.js'
import type { LogFilter } from './filter.js'
import { type ChainLog, parseQuantityField } from './log.js'
import { type Head, parseBytes, parseHead, parseOrderedLogs, parseReceiptLogs } from './parse.js'

/** A method call and how its result is parsed. `parse` throws ParseError on what must not be trusted. */
export type RpcRequest<T> = {
  method: string
  params: readonly unknown[]
  parse: (result: unknown, path: string) => T
}

/** Blocks from one number to another, both included, or the one block with that hash. */
type LogRange = { fromBlock: number; toBlock: number } | { blockHash: string }

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
export function askBlock(at: number | 'latest'): RpcRequest<Head | undefined> {
  const shown = typeof at === 'number' ? toHex(at) : at
  return {
    method: 'eth_getBlockByNumber',
    params: [shown, false],
    parse: (result, path) => {
      const head = result === null ? undefined : parseHead(result, path)
      if (head !== undefined && at !== 'latest' && at !== head.number)
        return refuseValue(path, `block ${shown}`, { number: head.number, hash: head.hash })
      return head
    },
  }
}

/** In the order of the chain. A log outside of the requested range or filter is refused. */
export function askLogs(range: LogRange, filter: LogFilter = {}): RpcRequest<ChainLog[]> {
  const isRequested =
    'blockHash' in range
      ? ({ at }: ChainLog) => at.blockHash === range.blockHash
      : ({ at }: ChainLog) => at.blockNumber >= range.fromBlock && at.blockNumber <= range.toBlock
  const blocks =
    'blockHash' in range ? range : { fromBlock: toHex(range.fromBlock), toBlock: toHex(range.toBlock) }
  return {
    method: 'eth_getLogs',
    params: [{ ...filter, ...blocks }],
    parse: (result, path) => parseOrderedLogs(result, path, isRequested),
  }
}

/** The logs of all receipts of a block. `undefined`: the node does not have the block. */
export function askReceiptLogs(blockHash: string): RpcRequest<ChainLog[] | undefined> {
  const parseItem = (item: unknown, path: string) => parseReceiptLogs(item, path, blockHash)
  return {
    method: 'eth_getBlockReceipts',
    params: [blockHash],
    parse: (result, path) => (result === null ? undefined : parseArray(result, path, parseItem).flat()),
  }
}

/** How many transactions a block has. */
export const askTransactionCount = (blockHash: string): RpcRequest<number> => ({
  method: 'eth_getBlockTransactionCountByHash',
  params: [blockHash],
  parse: parseNumber,
})

/** The code of a contract; `0x` of an address without one. */
export const askCode = (address: string): RpcRequest<string> => ({
  method: 'eth_getCode',
  params: [address, 'latest'],
  parse: parseBytes,
})

const toHex = (value: number): string => `0x${value.toString(16)}`

function parseNumber(result: unknown, path: string): number {
  return parseQuantityField({ result }, 'result', path)
}
