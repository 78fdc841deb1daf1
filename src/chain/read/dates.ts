import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import { positionFault } from './headers.js'

/** Headers by the numbers of their blocks. */
export type KnownHeads = ReadonlyMap<number, Head>

export const toKnownHeads = (heads: readonly Head[]): Map<number, Head> =>
  new Map(heads.map((head) => [head.number, head]))

/** The blocks whose headers are needed, because their logs have no time. */
export function undatedBlocks(logs: readonly ChainLog[], heads: KnownHeads): number[] {
  const undated = logs.filter(({ at }) => at.timestampSec === undefined && !heads.has(at.blockNumber))
  return [...new Set(undated.map(({ at }) => at.blockNumber))]
}

/** Gives logs the times of their headers. Says what contradicts, if something does. */
export function dateLogs(logs: readonly ChainLog[], heads: KnownHeads): string | undefined {
  for (const { at } of logs) {
    const fault = positionFault(at, at.blockNumber)
    if (fault !== undefined) return fault
    const head = heads.get(at.blockNumber)
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
