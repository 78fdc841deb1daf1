import { LOGS_PER_BLOCK } from '../../core/seq.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { Head } from '../../upstreams/polygon/parse.js'

/** The blocks that have logs without a time, but for those whose headers came with the logs. */
export function undatedBlocks(page: { first: Head; last: Head; logs: readonly ChainLog[] }): number[] {
  const known = new Set([page.first.number, page.last.number])
  const undated = page.logs.filter(({ at }) => at.timestampSec === undefined && !known.has(at.blockNumber))
  return [...new Set(undated.map(({ at }) => at.blockNumber))]
}

/** Gives logs the times of their headers. Says what contradicts, if something does. */
export function dateLogs(logs: readonly ChainLog[], heads: readonly Head[]): string | undefined {
  const byNumber = new Map(heads.map((head) => [head.number, head]))
  for (const { at } of logs) {
    if (at.logIndex >= LOGS_PER_BLOCK)
      return `a log says that it is log ${at.logIndex} of block ${at.blockNumber}`
    const head = byNumber.get(at.blockNumber)
    if (head === undefined) continue
    if (head.hash !== at.blockHash) return `block ${head.number} changed while it was read`
    at.timestampSec = head.timestampSec
  }
  return undefined
}

/** Approximate memory of logs: their objects, and strings of one byte per character. */
export function sizeOfLogs(logs: readonly ChainLog[]): number {
  let bytes = 0
  for (const { topics, data } of logs) bytes += 300 + 90 * topics.length + data.length
  return bytes
}
