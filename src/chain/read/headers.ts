import { LOGS_PER_BLOCK } from '../../core/seq.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { LogPosition } from '../../upstreams/polygon/log.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import { askBlock } from '../../upstreams/polygon/requests.js'
import type { RpcOutcome } from '../../upstreams/polygon/rpc-answer.js'
import { AnswerError } from '../../upstreams/polygon/rpc-error.js'
import type { BatchBlock } from '../facts/block.js'

/** The headers of these blocks, in the order of `numbers`. Throws when the node lacks one of them. */
export async function readHeads(
  polygon: PolygonClient,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<Head[]> {
  const outcomes = await polygon.batch(numbers.map(askBlock), signal)
  return numbers.map((number, index) => takeHead(number, outcomes[index]))
}

/** The same, and the header of one more block, all of one answer; its header is `undefined` when the node lacks it. */
export async function readHeadsAndTip(
  polygon: PolygonClient,
  numbers: readonly number[],
  tip: number,
  signal: AbortSignal,
): Promise<{ heads: Head[]; tip: Head | undefined }> {
  const outcomes = await polygon.batch([...numbers, tip].map(askBlock), signal)
  const last = outcomes.at(-1)
  return {
    heads: numbers.map((number, index) => takeHead(number, outcomes[index])),
    tip: last?.ok === true ? last.value : undefined,
  }
}

/** The same up to the first block that the node lacks; throws when it lacks all of them. */
export async function readAvailableHeads(
  polygon: PolygonClient,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<Head[]> {
  const outcomes = await polygon.batch(numbers.map(askBlock), signal)
  const end = outcomes.findIndex((outcome) => !outcome.ok || outcome.value === undefined)
  const available = end < 0 ? numbers : numbers.slice(0, Math.max(end, 1))
  return available.map((number, index) => takeHead(number, outcomes[index]))
}

function takeHead(number: number, outcome: RpcOutcome<Head | undefined> | undefined): Head {
  if (outcome?.ok === false) throw outcome.error
  if (outcome?.value === undefined) throw missingBlock(number)
  return outcome.value
}

/** The first block has another parent than the block that it should follow. */
export class ParentMismatchError extends Error {
  override name = 'ParentMismatchError'
}

/**
 * Checks that each range of blocks follows the one before it, and the first one the block with
 * `previousHash`. Throws ParentMismatchError for the first range, and an AnswerError for the others,
 * because these came from the same node.
 */
export function checkParents(
  ranges: readonly { first: Head; last: Head }[],
  previousHash: string | undefined,
): void {
  let expected = previousHash
  for (const [index, { first, last }] of ranges.entries()) {
    if (expected !== undefined && first.parentHash !== expected) {
      const message = `the parent of block ${first.number} is not the block before it`
      throw index === 0 ? new ParentMismatchError(message) : inconsistentAnswer(message)
    }
    expected = last.hash
  }
}

/** Throws for a log whose `seq` would be that of a log of another block. */
export function checkLogPosition(at: LogPosition, block: number): void {
  const fault = positionFault(at, block)
  if (fault !== undefined) throw inconsistentAnswer(fault)
}

/** What is wrong with such a log; `undefined`: nothing. */
export function positionFault({ blockNumber, logIndex }: LogPosition, block: number): string | undefined {
  if (blockNumber === block && logIndex < LOGS_PER_BLOCK) return undefined
  return `a log of block ${block} says that it is log ${logIndex} of block ${blockNumber}`
}

/** Answers of the node contradict each other. The node may answer correctly on the next try. */
export const inconsistentAnswer = (message: string): AnswerError =>
  new AnswerError(message, { upstream: 'polygon', retryable: true })

export const missingBlock = (block: number | 'latest'): AnswerError =>
  inconsistentAnswer(`block ${block} is not there`)

export const blockNumbers = (fromBlock: number, toBlock: number): number[] =>
  Array.from({ length: toBlock - fromBlock + 1 }, (_, index) => fromBlock + index)

export const toBatchBlock = (head: Head): BatchBlock => ({
  number: head.number,
  hash: head.hash,
  parentHash: head.parentHash,
  timeSec: head.timestampSec,
  txCount: head.txCount,
})
