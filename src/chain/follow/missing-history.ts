import { OutsideFault } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import { askBlock } from '../../upstreams/polygon/requests.js'
import type { RpcOutcome } from '../../upstreams/polygon/rpc-answer.js'
import { AnswerError, RpcError } from '../../upstreams/polygon/rpc-error.js'

/**
 * The node has newer blocks and not this one: it began later, or has deleted what is old. The same
 * node gives the same answer again, so the request is not repeated.
 */
export class MissingHistoryError extends OutsideFault {
  override name = 'MissingHistoryError'
  /** The first block that the node has. */
  readonly firstBlock: number

  constructor(block: number, { firstBlock, lastBlock }: { firstBlock: number; lastBlock: number }) {
    super(`the node does not have block ${block}: it has the blocks ${firstBlock} to ${lastBlock}`)
    this.firstBlock = firstBlock
  }
}

/** A replica behind a load balancer may be this many blocks behind the one that names the head. */
const LAG_BLOCKS_MAX = 32

/**
 * Why reading failed that began with this block: a MissingHistoryError if the node does not have the
 * block and will not get it, otherwise the error itself.
 */
export async function explainFault(
  polygon: PolygonClient,
  block: number,
  error: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (!isAnswer(error)) return error
  try {
    return (await findMissingHistory(polygon, block, signal)) ?? error
  } catch (other) {
    if (signal.aborted || other instanceof UpstreamError) return error
    throw other
  }
}

/** The node answered; only then its answer may tell what it has. */
const isAnswer = (error: unknown): boolean =>
  error instanceof AnswerError || (error instanceof RpcError && lacks({ ok: false, error }))

async function findMissingHistory(
  polygon: PolygonClient,
  block: number,
  signal: AbortSignal,
): Promise<MissingHistoryError | undefined> {
  const has = async (number: number) => !lacks((await polygon.batch([askBlock(number)], signal))[0])
  // In one POST, which one replica answers.
  const [wanted, latest] = await polygon.batch([askBlock(block), askBlock('latest')], signal)
  const lastBlock = latest.ok ? (latest.value?.number ?? 0) : 0
  if (!lacks(wanted) || lastBlock <= block + LAG_BLOCKS_MAX) return undefined
  // A head that the node only announces proves nothing.
  if (!(await has(lastBlock))) return undefined
  let missing = block
  let firstBlock = lastBlock
  while (firstBlock - missing > 1) {
    const middle = Math.floor((missing + firstBlock) / 2)
    if (await has(middle)) firstBlock = middle
    else missing = middle
  }
  return new MissingHistoryError(block, { firstBlock, lastBlock })
}

/** A failure says nothing about the block; a refusal does, because nodes refuse what they deleted. */
const lacks = (outcome: RpcOutcome<unknown>): boolean =>
  outcome.ok
    ? outcome.value === undefined
    : outcome.error instanceof RpcError && FAULTS_OF_LACK.has(outcome.error.fault)

const FAULTS_OF_LACK = new Set(['lagging', 'refused'])
