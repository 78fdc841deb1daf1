import type { Block } from '../universe/block.js'
import type { ChainNode } from './encoded-blocks.js'
import { derive, quantity, showList } from './hex.js'
import { type LogFilter, matchesLog, readLogFilter } from './log-filter.js'
import { readBlockNumber, readHash, readObject } from './params.js'
import { invalidParams, RpcError, serverError } from './rpc-error.js'

/** What a provider's free plan allows; the fault makes the node such a provider. */
const FREE_PLAN_BLOCKS_MAX = 10
/** Blocks below the head whose logs a fault of logs concerns. */
const SPOILED_BLOCKS_MAX = 128

type Range = { from: number; to: number }

/** The JSON text of `eth_getLogs`. */
export function getLogs(node: ChainNode, query: unknown): string {
  const { fromBlock, toBlock, blockHash, ...rest } = readObject(query, 'filter')
  const filter = readLogFilter(rest)
  if (blockHash !== undefined) {
    if (fromBlock !== undefined || toBlock !== undefined) {
      throw invalidParams('cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other')
    }
    const block = node.chain.blockByHash(readHash(blockHash, 'blockHash'))
    if (block === undefined) throw serverError('unknown block')
    return showList(spoilLogs(node, block, blockLogs(node, block, filter)))
  }

  const { chain } = node
  const from = readBlockNumber(chain, fromBlock ?? 'latest', 'fromBlock')
  const to = readBlockNumber(chain, toBlock ?? 'latest', 'toBlock')
  checkRange(node, { from, to })
  return showList(rangeLogs(node, { from, to }, filter))
}

/** Logs of a block that match, as JSON texts in their order. */
export function blockLogs(node: ChainNode, block: Block, filter: LogFilter, isRemoved = false): string[] {
  const texts: string[] = []
  if (block.transactions.length === 0) return texts
  for (const { logs } of node.blocks.get(block).transactions) {
    for (const log of logs) if (matchesLog(filter, log.body)) texts.push(log.show(isRemoved))
  }
  return texts
}

function rangeLogs(node: ChainNode, range: Range, filter: LogFilter): string[] {
  const { chain } = node
  const { logsMax } = node.limits
  const texts: string[] = []
  const last = Math.min(range.to, chain.head.number)
  for (let number = Math.max(range.from, chain.firstNumber); number <= last; number += 1) {
    const block = chain.block(number)
    if (block === undefined || block.transactions.length === 0) continue
    for (const log of spoilLogs(node, block, blockLogs(node, block, filter))) texts.push(log)
    // One block is always served: there is no smaller range to ask for.
    if (texts.length > logsMax && range.from < range.to) {
      throw tooManyResults(logsMax, { from: range.from, to: Math.max(range.from, number - 1) })
    }
  }
  return texts
}

/**
 * The logs of a block as a node returns them that is overloaded or lags with its index. Older blocks are left
 * intact, because a client that reads them could not detect the fault.
 */
function spoilLogs({ chain, faults }: ChainNode, { number }: Block, logs: string[]): string[] {
  if (logs.length === 0 || number <= chain.head.number - SPOILED_BLOCKS_MAX) return logs
  if (faults.hits('missing-logs')) return []
  if (faults.hits('doubled-logs')) return [...logs, ...logs]
  if (!faults.hits('contradicting-logs')) return logs
  const other = `"blockHash":"${derive(String(number), 'contradicting')}"`
  return logs.map((log) => log.replace(/"blockHash":"0x[0-9a-f]+"/, other))
}

function checkRange({ chain, faults, limits }: ChainNode, range: Range): void {
  const blocks = range.to - range.from + 1
  if (blocks < 1) throw serverError('invalid block range params')
  // The answer of a replica that lags behind the one which named the block.
  if (range.from > chain.head.number) throw serverError('invalid block range')
  if (blocks > limits.rangeBlocksMax) {
    throw new RpcError(-32701, `exceed maximum block range: ${limits.rangeBlocksMax}`)
  }
  if (blocks > FREE_PLAN_BLOCKS_MAX && faults.hits('range-too-large')) throw overFreePlan(range)
  if (blocks > 1 && faults.hits('too-many-results')) {
    throw tooManyResults(limits.logsMax, { from: range.from, to: range.from + (blocks >> 1) - 1 })
  }
}

const showRange = ({ from, to }: Range) => `[${quantity(from)}, ${quantity(to)}]`

function tooManyResults(logsMax: number, better: Range): RpcError {
  const advice = `Try with this block range ${showRange(better)}.`
  const message = `query returned more than ${logsMax} results. ${advice}`
  return new RpcError(-32005, message, {
    from: quantity(better.from),
    limit: logsMax,
    to: quantity(better.to),
  })
}

function overFreePlan({ from }: Range): RpcError {
  const better = showRange({ from, to: from + FREE_PLAN_BLOCKS_MAX - 1 })
  const sentences = [
    `Under the Free tier plan, you can make eth_getLogs requests with up to a`,
    `${FREE_PLAN_BLOCKS_MAX} block range. Based on your parameters, this block range should work:`,
    `${better}. Upgrade to PAYG for expanded block range.`,
  ]
  return new RpcError(-32600, sentences.join(' '))
}
