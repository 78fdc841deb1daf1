import { ADDRESS } from '../contracts/addresses.js'
import { word } from '../contracts/words.js'
import { balancesAt, type ReadBalance } from './balances.js'
import type { ChainNode } from './encoded-blocks.js'
import { readAddress, readBlock, readBytes, readObject } from './params.js'
import { RpcError, serverError } from './rpc-error.js'

const SELECTOR = {
  balanceOf: '0x00fdd58e',
  balanceOfBatch: '0x4e1273f4',
  beacon: '0x49493a4d',
} as const

const BATCH_MAX = 10_000

/** The bytes that `eth_call` returns. Everything that no connector asks for reverts. */
export function callContract(node: ChainNode, call: unknown, at: unknown): string {
  const { to, data, input } = readObject(call, 'call')
  const contract = readAddress(to, 'to')
  const bytes = readBytes(input ?? data ?? '0x', 'data')
  const block = readBlock(node.universe.chain, at, 'block')
  if (block === undefined) throw serverError('header not found')
  const args = (bytes.slice(10).match(/.{64}/g) ?? []) as string[]
  const isTokens = contract === ADDRESS.ctf || contract === ADDRESS.positionManager
  switch (bytes.slice(0, 10)) {
    case SELECTOR.balanceOf:
      if (isTokens) {
        const read = balancesAt(node, contract, block)
        return `0x${word(read(addressAt(args, 0), numberAt(args, 1)))}`
      }
      break
    case SELECTOR.balanceOfBatch:
      if (isTokens) return `0x${batchBalances(args, balancesAt(node, contract, block))}`
      break
    case SELECTOR.beacon:
      if (contract === ADDRESS.depositWalletFactory) {
        return `0x${word(BigInt(ADDRESS.depositWalletBeacon))}`
      }
      break
  }
  throw reverted()
}

function batchBalances(args: readonly string[], read: ReadBalance): string {
  const holders = startOfArray(args, 0)
  const ids = startOfArray(args, 1)
  if (holders.length !== ids.length) throw reverted()
  const balances = Array.from({ length: ids.length }, (_, index) =>
    word(read(addressAt(args, holders.start + index), numberAt(args, ids.start + index))),
  )
  return [word(32n), word(BigInt(ids.length)), ...balances].join('')
}

/** Where the members of a dynamic array begin, in words. */
function startOfArray(args: readonly string[], index: number) {
  const at = Number(numberAt(args, index)) / 32
  const length = Number(numberAt(args, at))
  if (length > BATCH_MAX) throw reverted()
  return { start: at + 1, length }
}

function numberAt(args: readonly string[], index: number): bigint {
  const found = args[index]
  if (found === undefined) throw reverted()
  return BigInt(`0x${found}`)
}

const addressAt = (args: readonly string[], index: number) =>
  `0x${(numberAt(args, index) & ((1n << 160n) - 1n)).toString(16).padStart(40, '0')}`

const reverted = () => new RpcError(3, 'execution reverted', '0x')
