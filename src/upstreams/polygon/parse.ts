import { readArray, readObject, readOptional, refuse } from '../transport/read.js'
import { isHex } from './abi.js'
import { type ChainLog, readHash, readLogs, readQuantity } from './log.js'
import type { Block, Head, Receipt, Transaction } from './messages.js'

export function parseHead(value: unknown, path: string): Head {
  const head = readObject(value, path)
  return {
    number: readQuantity(head, 'number', path),
    hash: readHash(head, 'hash', path),
    parentHash: readHash(head, 'parentHash', path),
    timestampSec: readQuantity(head, 'timestamp', path),
    logsBloom: readOptional(head.logsBloom, `${path}.logsBloom`, parseBloom),
  }
}

/** A block with the hashes of its transactions. */
export function parseBlock(value: unknown, path: string): Block {
  const { transactions } = readObject(value, path)
  const txHashes = readArray(transactions, `${path}.transactions`, parseHash)
  return { ...parseHead(value, path), txHashes }
}

export function parseTransaction(value: unknown, path: string): Transaction {
  const tx = readObject(value, path)
  return {
    hash: readHash(tx, 'hash', path),
    from: parseAddress(tx.from, `${path}.from`),
    to: readOptional(tx.to, `${path}.to`, parseAddress),
    input: parseBytes(tx.input, `${path}.input`),
    nonce: readQuantity(tx, 'nonce', path),
    block:
      tx.blockHash == null
        ? undefined
        : {
            number: readQuantity(tx, 'blockNumber', path),
            hash: readHash(tx, 'blockHash', path),
            txIndex: readQuantity(tx, 'transactionIndex', path),
          },
  }
}

/** Logs of another transaction are refused. */
export function parseReceipt(value: unknown, path: string): Receipt {
  const receipt = readObject(value, path)
  const txHash = readHash(receipt, 'transactionHash', path)
  const blockHash = readHash(receipt, 'blockHash', path)
  const logs = readLogs(receipt.logs, `${path}.logs`)
  const stranger = logs.find(({ at }) => at.txHash !== txHash || at.blockHash !== blockHash)
  if (stranger !== undefined)
    return refuse(`${path}.logs`, `logs of transaction ${txHash}`, stranger.at)
  return {
    txHash,
    txIndex: readQuantity(receipt, 'transactionIndex', path),
    blockNumber: readQuantity(receipt, 'blockNumber', path),
    blockHash,
    succeeded: readQuantity(receipt, 'status', path) === 1,
    from: parseAddress(receipt.from, `${path}.from`),
    to: readOptional(receipt.to, `${path}.to`, parseAddress),
    logs,
  }
}

/**
 * Logs in the order of the chain. Refused: a log that was not asked for, one that comes twice, and
 * two versions of a block in one answer, as from a node that was just changing its mind.
 */
export function parseLogs(
  value: unknown,
  path: string,
  isAskedFor: (log: ChainLog) => boolean,
): ChainLog[] {
  const logs = readLogs(value, path)
  const stranger = logs.find((log) => !isAskedFor(log))
  if (stranger !== undefined) return refuse(path, 'logs of the blocks asked for', stranger.at)
  if (!logs.every((log, index) => isAfter(log, logs[index - 1]))) logs.sort(compare)
  const broken = logs.findIndex((log, index) => !follows(log, logs[index - 1]))
  if (broken > 0) return refuse(`${path}[${broken}]`, 'a log that comes once', logs[broken]?.at)
  return logs
}

function parseHash(value: unknown, path: string): string {
  return typeof value === 'string' && isHex(value, 32) ? value : refuse(path, 'a hash', value)
}

function parseBloom(value: unknown, path: string): string {
  return typeof value === 'string' && isHex(value, 256) ? value : refuse(path, 'a bloom', value)
}

/** Bytes of any length. */
export function parseBytes(value: unknown, path: string): string {
  const isBytes = typeof value === 'string' && isHex(value, value.length / 2 - 1)
  return isBytes && value.length % 2 === 0 ? value : refuse(path, 'bytes in hex', value)
}

function parseAddress(value: unknown, path: string): string {
  const address = typeof value === 'string' ? value.toLowerCase() : ''
  return isHex(address, 20) ? address : refuse(path, 'an address', value)
}

function compare(a: ChainLog, b: ChainLog): number {
  return a.at.blockNumber - b.at.blockNumber || a.at.logIndex - b.at.logIndex
}

const isAfter = (log: ChainLog, previous: ChainLog | undefined) =>
  previous === undefined || compare(previous, log) < 0

const follows = (log: ChainLog, previous: ChainLog | undefined) =>
  isAfter(log, previous) &&
  (log.at.blockNumber !== previous?.at.blockNumber || log.at.blockHash === previous.at.blockHash)
