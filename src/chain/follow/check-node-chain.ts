import { OperatorError } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import type { Sql } from '../../store/connection.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import { askBlock } from '../../upstreams/polygon/requests.js'
import { selectAnchors } from '../write/state.js'
import type { BlockId, BlockSink } from './block-sink.js'

/** The node is of another chain than the booked blocks, or does not get to them. */
export class WrongNodeError extends Error {
  override name = 'WrongNodeError'
}

/**
 * Throws a WrongNodeError when the node cannot have the booked blocks, and an UpstreamError when it
 * does not answer. A node that has no anchor (some nodes drop old blocks) is not refused.
 */
export async function checkNodeChain(
  polygon: PolygonClient,
  booked: Pick<BlockSink, 'findAnchors'>,
  headBlock: number,
  signal: AbortSignal,
): Promise<void> {
  await checkChainId(polygon, signal)
  await checkAnchors(polygon, await booked.findAnchors(headBlock), signal)
}

/** The same for a command, in words for its terminal. */
export async function checkCommandNode(sql: Sql, polygon: PolygonClient, signal: AbortSignal): Promise<void> {
  const booked = { findAnchors: (headBlock: number) => selectAnchors(sql, headBlock) }
  try {
    await checkNodeChain(polygon, booked, await polygon.getBlockNumber(signal), signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WrongNodeError || error instanceof UpstreamError)) throw error
    throw new OperatorError(`The node cannot be used: ${error.message}.`)
  }
}

/**
 * One anchor that is equal proves the chain: a wrong hash in the database is a matter for the audit.
 * A refusal says as little as a missing block, because nodes refuse blocks that they have dropped.
 */
async function checkAnchors(
  polygon: PolygonClient,
  anchors: readonly BlockId[],
  signal: AbortSignal,
): Promise<void> {
  const outcomes = await polygon.batch(
    anchors.map(({ block }) => askBlock(block)),
    signal,
  )
  const differences: string[] = []
  for (const [index, { block, hash }] of anchors.entries()) {
    const outcome = outcomes[index]
    const theirs = outcome?.ok ? outcome.value?.hash : undefined
    if (theirs === hash) return
    if (theirs !== undefined)
      differences.push(`block ${block} is ${theirs} at the node and ${hash} in the database`)
  }
  if (differences.length === 0) return
  throw new WrongNodeError(
    `the node has another chain than the one that is booked: ${differences[0]}. Set the node that ` +
      'the database was filled from, or start with another database',
  )
}

async function checkChainId(polygon: PolygonClient, signal: AbortSignal): Promise<void> {
  try {
    await polygon.checkChain(signal)
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.retryable) throw error
    throw new WrongNodeError(`${error.message}. Set another node`, { cause: error })
  }
}
