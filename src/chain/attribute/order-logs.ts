import { LOGS_PER_BLOCK } from '../../core/seq.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'

/** The logs cannot all be of one chain: the caller should fetch them again. */
export class UntrustedLogsError extends Error {
  override name = 'UntrustedLogsError'
}

/**
 * The logs in the order of the chain, each of them once, without removed ones. Throws
 * UntrustedLogsError when two different logs have the same block and index.
 */
export function orderLogs(logs: readonly ChainLog[]): readonly ChainLog[] {
  const ordered = logs.filter(({ removed }) => !removed)
  ordered.sort((a, b) => a.at.blockNumber - b.at.blockNumber || a.at.logIndex - b.at.logIndex)
  return ordered.filter((log, index) => {
    const previous = ordered[index - 1]
    if (previous === undefined || isNext(previous, log)) return true
    checkRepetition(previous, log)
    return false
  })
}

/** Whether `b` comes after `a`. Throws when its index is too large for a `seq`. */
export function isNext(a: ChainLog | undefined, b: ChainLog): boolean {
  const { blockNumber, logIndex } = b.at
  if (logIndex >= LOGS_PER_BLOCK) throw new UntrustedLogsError(`block ${blockNumber} has too many logs`)
  if (b.removed) return false
  if (a === undefined || blockNumber > a.at.blockNumber) return true
  return blockNumber === a.at.blockNumber && logIndex > a.at.logIndex
}

/** Throws unless two logs with the same block and index are equal. */
function checkRepetition(a: ChainLog, b: ChainLog): void {
  if (a.at.blockHash === b.at.blockHash && isSameLog(a, b)) return
  const { blockNumber, logIndex } = a.at
  throw new UntrustedLogsError(`two versions of log ${logIndex} of block ${blockNumber}`)
}

/** Whether two logs with the same index in a block are the same. */
export const isSameLog = (a: ChainLog, b: ChainLog): boolean =>
  a.at.address === b.at.address &&
  a.at.txHash === b.at.txHash &&
  a.data === b.data &&
  a.topics.join() === b.topics.join()
