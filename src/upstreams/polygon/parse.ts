import { parseObject, parseOptional, refuseValue } from '../transport/parse-json.js'
import { isHex } from './abi.js'
import { type ChainLog, parseHashField, parseLogs, parseQuantityField } from './log.js'

/** The header of a block, as answers and announcements of new heads have it. */
export type Head = ReturnType<typeof parseHead>

type Counted = { txCount?: number | undefined }

export function parseHead(value: unknown, path: string) {
  const head = parseObject(value, path)
  // Answers list the hashes of the transactions; announcements of new heads do not.
  const counted: Counted = Array.isArray(head.transactions) ? { txCount: head.transactions.length } : {}
  return {
    number: parseQuantityField(head, 'number', path),
    hash: parseHashField(head, 'hash', path),
    parentHash: parseHashField(head, 'parentHash', path),
    timestampSec: parseQuantityField(head, 'timestamp', path),
    // 256 bytes in hex, for `createBloomTest`; undefined from nodes that leave it out.
    logsBloom: parseOptional(head.logsBloom, `${path}.logsBloom`, parseBloom),
    ...counted,
  }
}

/** A transaction that is in no block yet. */
export type PendingTransaction = ReturnType<typeof parsePending>

export function parsePending(value: unknown, path: string) {
  const tx = parseObject(value, path)
  return {
    hash: parseHashField(tx, 'hash', path),
    // Lower-case.
    to: parseAddress(tx.to, `${path}.to`),
    input: parseBytes(tx.input, `${path}.input`),
  }
}

/** The logs of a receipt. Those of another transaction or another block are refused. */
export function parseReceiptLogs(value: unknown, path: string, blockHash: string): ChainLog[] {
  const receipt = parseObject(value, path)
  const txHash = parseHashField(receipt, 'transactionHash', path)
  if (receipt.blockHash !== blockHash) return refuseValue(`${path}.blockHash`, blockHash, receipt.blockHash)
  const logs = parseLogs(receipt.logs, `${path}.logs`)
  const foreign = logs.find(({ at }) => at.txHash !== txHash || at.blockHash !== blockHash)
  if (foreign !== undefined) return refuseValue(`${path}.logs`, `logs of transaction ${txHash}`, foreign.at)
  return logs
}

/**
 * Logs in the order of the chain. Refused: a log that was not requested, one that comes twice, and
 * two versions of a block in one answer, as from a node in the middle of a reorganisation.
 */
export function parseOrderedLogs(
  value: unknown,
  path: string,
  isRequested: (log: ChainLog) => boolean,
): ChainLog[] {
  const logs = parseLogs(value, path)
  const foreign = logs.find((log) => !isRequested(log))
  if (foreign !== undefined) return refuseValue(path, 'logs of the blocks asked for', foreign.at)
  if (!logs.every((log, index) => isAfter(log, logs[index - 1]))) logs.sort(compare)
  const broken = logs.findIndex((log, index) => !follows(log, logs[index - 1]))
  if (broken > 0) return refuseValue(`${path}[${broken}]`, 'a log that comes once', logs[broken]?.at)
  return logs
}

function parseBloom(value: unknown, path: string): string {
  return typeof value === 'string' && isHex(value, 256) ? value : refuseValue(path, 'a bloom', value)
}

/** Bytes of any length. */
export function parseBytes(value: unknown, path: string): string {
  const isBytes = typeof value === 'string' && isHex(value, value.length / 2 - 1)
  return isBytes && value.length % 2 === 0 ? value : refuseValue(path, 'bytes in hex', value)
}

function parseAddress(value: unknown, path: string): string {
  const address = typeof value === 'string' ? value.toLowerCase() : ''
  return isHex(address, 20) ? address : refuseValue(path, 'an address', value)
}

function compare(a: ChainLog, b: ChainLog): number {
  return a.at.blockNumber - b.at.blockNumber || a.at.logIndex - b.at.logIndex
}

const isAfter = (log: ChainLog, previous: ChainLog | undefined) =>
  previous === undefined || compare(previous, log) < 0

const follows = (log: ChainLog, previous: ChainLog | undefined) =>
  isAfter(log, previous) &&
  (log.at.blockNumber !== previous?.at.blockNumber || log.at.blockHash === previous.at.blockHash)
