import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { Head } from '../../upstreams/polygon/messages.js'
import { askBlock } from '../../upstreams/polygon/requests.js'
import type { RpcOutcome } from '../../upstreams/polygon/rpc.js'
import { AnswerError } from '../../upstreams/polygon/rpc-error.js'

/** The headers of these blocks, in their order. Throws when the node does not give one of them. */
export async function readHeads(
  polygon: PolygonClient,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<Head[]> {
  const outcomes = await polygon.batch(numbers.map(askBlock), signal)
  return numbers.map((number, index) => takeHead(number, outcomes[index]))
}

/** The same up to the first that the node does not give; throws when it does not give any. */
export async function readHeadsWhileThere(
  polygon: PolygonClient,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<Head[]> {
  const outcomes = await polygon.batch(numbers.map(askBlock), signal)
  const end = outcomes.findIndex((outcome) => !outcome.ok || outcome.value === undefined)
  const there = end < 0 ? numbers : numbers.slice(0, Math.max(end, 1))
  return there.map((number, index) => takeHead(number, outcomes[index]))
}

function takeHead(number: number, outcome: RpcOutcome<Head | undefined> | undefined): Head {
  if (outcome?.ok === false) throw outcome.error
  if (outcome?.value === undefined) throw notThere(number)
  return outcome.value
}

/** What the node says does not fit together. Another answer may. */
export const doubt = (message: string): AnswerError =>
  new AnswerError(message, { upstream: 'polygon', retryable: true })

export const notThere = (block: number | 'latest'): AnswerError =>
  doubt(`block ${block} is not there`)

export function blocksFrom(fromBlock: number, toBlock: number): number[] {
  return Array.from({ length: toBlock - fromBlock + 1 }, (_, index) => fromBlock + index)
}
