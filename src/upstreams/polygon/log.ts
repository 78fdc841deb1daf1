import { type JsonObject, readObject, refuse } from '../transport/read.js'
import { isHex } from './abi.js'

/** Where on the chain a log stands. */
export type LogPlace = {
  /** Lower-case address of the contract that emitted it. */
  address: string
  blockNumber: number
  blockHash: string
  txHash: string
  txIndex: number
  logIndex: number
  /** Unix seconds of the block; `undefined` from nodes that do not put it into logs. */
  timestampSec: number | undefined
}

/** A log as a node gave it: its place is checked, its contents are not yet. */
export type ChainLog = {
  at: LogPlace
  topics: readonly string[]
  data: string
  /** In a subscription: a reorganisation took the log back. */
  removed: boolean
}

/** Throws ReadError with the path of the field that is wrong. */
export function readLogs(value: unknown, path: string): ChainLog[] {
  if (!Array.isArray(value)) return refuse(path, 'an array', value)
  const logs: ChainLog[] = []
  let previous: LogPlace | undefined
  for (let index = 0; index < value.length; index++) {
    const log = readLog(value[index], `${path}[${index}]`, previous)
    logs.push(log)
    previous = log.at
  }
  return logs
}

/**
 * Neighbours share their block and mostly their transaction: a hash that equals the previous one is
 * not checked again, and both keep one string. Logs of a block that is still pending are refused.
 */
export function readLog(value: unknown, path: string, previous?: LogPlace): ChainLog {
  const log = readObject(value, path)
  const { address, topics, data, blockTimestamp, removed = false } = log
  if (typeof address !== 'string' || !isHex(address, 20))
    return refuse(`${path}.address`, 'an address', address)
  if (!Array.isArray(topics) || !topics.every(isString))
    return refuse(`${path}.topics`, 'an array of strings', topics)
  if (typeof data !== 'string') return refuse(`${path}.data`, 'a string', data)
  if (typeof removed !== 'boolean') return refuse(`${path}.removed`, 'true or false', removed)
  return {
    at: {
      address,
      blockNumber: readQuantity(log, 'blockNumber', path),
      blockHash: readHash(log, 'blockHash', path, previous?.blockHash),
      txHash: readHash(log, 'transactionHash', path, previous?.txHash),
      txIndex: readQuantity(log, 'transactionIndex', path),
      logIndex: readQuantity(log, 'logIndex', path),
      timestampSec: blockTimestamp == null ? undefined : readQuantity(log, 'blockTimestamp', path),
    },
    topics,
    data,
    removed,
  }
}

/** `0x` and 64 lower-case digits. */
export function readHash(of: JsonObject, name: string, path: string, known?: string): string {
  const value = of[name]
  if (known !== undefined && value === known) return known
  return typeof value === 'string' && isHex(value, 32)
    ? value
    : refuse(`${path}.${name}`, 'a hash', value)
}

/** A number as JSON-RPC writes it: `0x4a`. */
export function readQuantity(of: JsonObject, name: string, path: string): number {
  const value = of[name]
  const number = typeof value === 'string' && value.startsWith('0x') ? Number(value) : Number.NaN
  return Number.isSafeInteger(number) ? number : refuse(`${path}.${name}`, 'a hex number', value)
}

const isString = (value: unknown): value is string => typeof value === 'string'
