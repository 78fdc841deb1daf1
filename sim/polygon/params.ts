import type { Block } from '../universe/block.js'
import type { NodeChain } from './lagging-chain.js'
import { invalidParams } from './rpc-error.js'

export type JsonObject = { readonly [key: string]: unknown }

/** Readers of parameters. All of them throw "invalid params" and say which argument is wrong. */
export function readCount(params: readonly unknown[], min: number, max: number): void {
  if (params.length < min) {
    throw invalidParams(`missing value for required argument ${params.length}`)
  }
  if (params.length > max) throw invalidParams(`too many arguments, want at most ${max}`)
}

export function readObject(value: unknown, name: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalidParams(`invalid ${name}: want an object`)
}

export const readHash = (value: unknown, name: string) => readBytes(value, name, 32)
export const readAddress = (value: unknown, name: string) => readBytes(value, name, 20)

/** Lower-case hex of that many bytes, or of any whole number of them. */
export function readBytes(value: unknown, name: string, length?: number): string {
  if (typeof value !== 'string') throw invalidParams(`invalid ${name}: want a hex string`)
  if (!/^0x([0-9a-f]{2})*$/i.test(value)) throw invalidParams(`invalid ${name}: not hex bytes`)
  if (length !== undefined && value.length !== 2 + 2 * length) {
    const got = value.length / 2 - 1
    throw invalidParams(`invalid ${name}: hex string has ${got} bytes, want ${length}`)
  }
  return value.toLowerCase()
}

export function readBoolean(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value
  throw invalidParams(`invalid ${name}: want true or false`)
}

/** The number of a block, by quantity or by name. It need not exist. */
export function readBlockNumber(chain: NodeChain, value: unknown, name: string): number {
  switch (value) {
    case 'latest':
    case 'pending':
      return chain.head.number
    case 'finalized':
    case 'safe':
      return chain.finalized.number
    case 'earliest':
      return chain.firstNumber
    default:
      return readQuantity(value, name)
  }
}

/** The block that a call names by number, name or hash, also in the object form of EIP-1898. */
export function readBlock(chain: NodeChain, value: unknown, name: string): Block | undefined {
  if (typeof value === 'object' && value !== null) {
    const { blockHash, blockNumber } = readObject(value, name)
    if (blockHash !== undefined) return chain.blockByHash(readHash(blockHash, name))
    return chain.block(readBlockNumber(chain, blockNumber, name))
  }
  if (typeof value === 'string' && value.length === 66) {
    return chain.blockByHash(readHash(value, name))
  }
  return chain.block(readBlockNumber(chain, value, name))
}

function readQuantity(value: unknown, name: string): number {
  if (typeof value !== 'string') throw invalidParams(`invalid ${name}: want a hex quantity`)
  if (!value.startsWith('0x')) throw invalidParams(`invalid ${name}: hex string without 0x prefix`)
  if (!/^0x(0|[1-9a-f][0-9a-f]{0,12})$/i.test(value)) {
    throw invalidParams(`invalid ${name}: not a hex quantity`)
  }
  return Number(value)
}
