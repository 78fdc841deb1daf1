import { type JsonObject, refuseValue } from '../transport/parse-json.js'
import { digitAt, isHex, START } from './abi.js'
import { CONTRACTS } from './contracts.js'

/** The position of a log on the chain. */
export type LogPosition = {
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

/** A log as a node sent it: its position on the chain is checked, its contents are not yet. */
export type ChainLog = {
  at: LogPosition
  topics: readonly string[]
  data: string
  /** In a subscription: a reorganisation reverted the log. */
  removed: boolean
}

/** Throws ParseError with the path of the field that is wrong. */
export function parseLogs(value: unknown, path: string): ChainLog[] {
  if (!Array.isArray(value)) return refuseValue(path, 'an array', value)
  const logs: ChainLog[] = []
  const item = new ItemPath(path)
  let previous: LogPosition | undefined
  for (; item.index < value.length; item.index++) {
    const log = parseLog(value[item.index], item, previous)
    logs.push(log)
    previous = log.at
  }
  return logs
}

/**
 * Neighbours share their block and mostly their transaction: a hash that equals the previous one is
 * not checked again, and both keep one string. Logs of a block that is still pending are refused.
 */
function parseLog(value: unknown, path: Path, previous?: LogPosition): ChainLog {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuseValue(`${path}`, 'an object', value)
  const log = value as JsonObject
  const { topics, data, blockTimestamp, removed = false } = log
  if (!Array.isArray(topics) || !topics.every(isString))
    return refuseValue(`${path}.topics`, 'an array of strings', topics)
  if (typeof data !== 'string') return refuseValue(`${path}.data`, 'a string', data)
  if (typeof removed !== 'boolean') return refuseValue(`${path}.removed`, 'true or false', removed)
  return {
    at: {
      address: parseEmitter(log.address, path),
      blockNumber: parseQuantityField(log, 'blockNumber', path),
      blockHash: parseHashField(log, 'blockHash', path, previous?.blockHash),
      txHash: parseHashField(log, 'transactionHash', path, previous?.txHash),
      txIndex: parseQuantityField(log, 'transactionIndex', path),
      logIndex: parseQuantityField(log, 'logIndex', path),
      timestampSec: blockTimestamp == null ? undefined : parseQuantityField(log, 'blockTimestamp', path),
    },
    topics,
    data,
    removed,
  }
}

/** Leads to a value from the root of the answer. The text is made only for an error. */
type Path = string | ItemPath

/** The path of the list item that is being parsed. */
class ItemPath {
  readonly #list: string
  index = 0

  constructor(list: string) {
    this.#list = list
  }

  toString(): string {
    return `${this.#list}[${this.index}]`
  }
}

/** All logs of a known contract keep one string, by which the contract is then found at once. */
function parseEmitter(value: unknown, path: Path): string {
  if (typeof value !== 'string') return refuseValue(`${path}.address`, 'an address', value)
  const known = EMITTERS.get(value)
  if (known !== undefined) return known
  return isHex(value, 20) ? value : refuseValue(`${path}.address`, 'an address', value)
}

const EMITTERS: ReadonlyMap<string, string> = new Map(CONTRACTS.map(({ address }) => [address, address]))

/** `0x` and 64 lower-case digits. */
export function parseHashField(of: JsonObject, name: string, path: Path, known?: string): string {
  const value = of[name]
  if (known !== undefined && value === known) return known
  return typeof value === 'string' && isHex(value, 32)
    ? value
    : refuseValue(`${path}.${name}`, 'a hash', value)
}

/** A number as JSON-RPC writes it: `0x4a`. */
export function parseQuantityField(of: JsonObject, name: string, path: Path): number {
  const value = of[name]
  const number = typeof value === 'string' && value.startsWith('0x') ? toNumber(value) : Number.NaN
  return Number.isSafeInteger(number) ? number : refuseValue(`${path}.${name}`, 'a hex number', value)
}

/** `Number` accepts more notations and takes longer: it is the fallback. */
function toNumber(hex: string): number {
  let number = 0
  for (let i = START; i < hex.length; i++) {
    const digit = digitAt(hex, i)
    if (digit > 15) return Number(hex)
    number = number * 16 + digit
  }
  return hex.length > START ? number : Number.NaN
}

const isString = (value: unknown): value is string => typeof value === 'string'
