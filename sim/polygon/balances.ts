import { ADDRESS } from '../contracts/addresses.js'
import type { LogBody } from '../contracts/log.js'
import { TOPIC } from '../contracts/topics.js'
import { addressWord, type Word } from '../contracts/words.js'
import type { Block } from '../universe/block.js'
import type { ChainNode } from './encoded-blocks.js'
import { serverError } from './rpc-error.js'

/** Like most nodes this one has the state of recent blocks only. */
const STATE_BLOCKS_MAX = 128

/** Reads ERC-1155 balances after a block: those of now, with the transfers since then undone. */
export function balancesAt(node: ChainNode, contract: string, block: Block): ReadBalance {
  const { head } = node.universe.chain
  if (head.number - block.number >= STATE_BLOCKS_MAX) {
    throw serverError(`historical state of block ${block.number} is not available`)
  }
  const since = transfersSince(node, contract, block)
  return (holder, tokenId) =>
    balanceNow(node, contract, holder, tokenId) - (since.get(keyOf(addressWord(holder), tokenId)) ?? 0n)
}

export type ReadBalance = (holder: string, tokenId: bigint) => bigint

function balanceNow({ universe }: ChainNode, contract: string, holder: string, tokenId: bigint) {
  const wallet = universe.walletByAddress(holder)
  const token = universe.catalogue.token(tokenId.toString())
  if (wallet === undefined || token === undefined) return 0n
  const home = token.of.kind === 'combo' ? ADDRESS.positionManager : ADDRESS.ctf
  return home === contract ? BigInt(universe.settledActs.balance(wallet, token)) : 0n
}

const keyOf = (holder: Word, tokenId: bigint): string => `${holder} ${tokenId}`

/** What came and went after the block, by holder and token. */
function transfersSince(node: ChainNode, contract: string, block: Block): Map<string, bigint> {
  const { chain } = node.universe
  const changes = new Map<string, bigint>()
  const add = (holder: Word, tokenId: bigint, change: bigint) => {
    const key = keyOf(holder, tokenId)
    changes.set(key, (changes.get(key) ?? 0n) + change)
  }
  for (let number = block.number + 1; number <= chain.head.number; number += 1) {
    const later = chain.block(number)
    if (later === undefined || later.transactions.length === 0) continue
    for (const { logs } of node.blocks.get(later).transactions) {
      for (const { body } of logs) {
        const [, , from = '', to = ''] = body.topics
        for (const { tokenId, value } of body.address === contract ? transfersIn(body) : []) {
          add(from.slice(2), tokenId, -value)
          add(to.slice(2), tokenId, value)
        }
      }
    }
  }
  return changes
}

function transfersIn({ topics: [event], data }: LogBody): { tokenId: bigint; value: bigint }[] {
  const numbers = (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
  const [first = 0n, second = 0n, count = 0n] = numbers
  if (event === TOPIC.transferSingle) return [{ tokenId: first, value: second }]
  if (event !== TOPIC.transferBatch) return []
  // Two arrays of the same length, each after its offset and its length.
  return Array.from({ length: Number(count) }, (_, index) => ({
    tokenId: numbers[3 + index] ?? 0n,
    value: numbers[4 + Number(count) + index] ?? 0n,
  }))
}
