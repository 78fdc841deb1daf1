import type { LogFilter } from './filter.js'
import type { ChainLog } from './log.js'
import type { BlockRange } from './log-range.js'
import type { Head } from './parse.js'
import { askBlock, askLogs } from './requests.js'
import { type AnswerContext, outcomesOf, type RpcValues, valuesOf } from './rpc-answer.js'
import { AnswerError } from './rpc-error.js'

/** All logs of a few blocks, in order, and the first and last of these blocks as the same node had them. */
export type LogPage = BlockRange & { first: Head; last: Head; logs: ChainLog[] }

/**
 * The requests for a page, to be sent in one POST: the logs, and the first and the last block. The first
 * shows which block the page follows. The last shows that the node has it: a replica that lags leaves
 * out the newest logs without an error.
 */
export function askPage(range: BlockRange, filter: LogFilter | undefined) {
  const outermost = [...new Set([range.fromBlock, range.toBlock])]
  return [askLogs(range, filter), ...outermost.map((block) => askBlock(block))] as const
}

export type PageValues = RpcValues<ReturnType<typeof askPage>>

export function toPage(range: BlockRange, [logs, ...outermost]: PageValues, upstream: string): LogPage {
  const retryable = (message: string) => new AnswerError(message, { upstream, retryable: true })
  const [first, last] = [outermost[0], outermost.at(-1)]
  if (first === undefined) throw retryable(`block ${range.fromBlock} is not there`)
  if (last === undefined) throw retryable(`block ${range.toBlock} is not there`)
  const newest = logs.at(-1)?.at
  if (newest?.blockNumber === range.toBlock && newest.blockHash !== last.hash)
    throw retryable(`block ${range.toBlock} was replaced while it was read`)
  return { ...range, first, last, logs }
}

/** The page in an answer whose requests were sent under these ids. */
export function parsePage(
  json: unknown,
  { range, ids }: { range: BlockRange; ids: readonly number[] },
  context: AnswerContext,
): LogPage {
  const requests = askPage(range, undefined).map((request, index) => ({ id: ids[index] ?? 0, request }))
  const values = valuesOf<ReturnType<typeof askPage>>(outcomesOf(json, requests, context))
  return toPage(range, values, context.upstream)
}
