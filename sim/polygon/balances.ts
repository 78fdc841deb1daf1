import { ADDRESS } from '../contracts/addresses.js'
import type { LogBody } from '../contracts/log.js'
import { TOPIC } from '../contracts/topics.js'
import type { Block } from '../universe/block.js'
import type { ChainNode } from './chain-node.js'
import { serverError } from './rpc-error.js'

/** Like most nodes this one knows the state of recent blocks only. */
const STATE_BLOCKS_MAX = 128

/** ERC-1155 balance after a block: the one of now, with the transfers since then taken back. */
export function balanceAt(
  node: ChainNode,
  contract: string,
  holder: string,
  tokenId: bigint,
  block: Block,
): bigint {
  const { chain } = node.universe
  if (chain.head.number - block.number >= STATE_BLOCKS_MAX) {
    throw serverError(`historical state of block ${block.number} is not available`)
  }
  let balance = balanceNow(node, contract, holder, tokenId)
  for (let number = block.number + 1; number <= chain.head.number; number += 1) {
    const later = chain.block(number)
    if (later === undefined || later.transactions.length === 0) continue
    for (const { logs } of node.blocks.get(later).transactions) {
      for (const { body } of logs) {
        if (body.address === contract) balance -= netTransfer(body, holder, tokenId)
      }
    }
  }
  return balance
}

function balanceNow({ universe }: ChainNode, contract: string, holder: string, tokenId: bigint) {
  const wallet = universe.walletByAddress(holder)
  const token = universe.catalogue.token(tokenId.toString())
  if (wallet === undefined || token === undefined) return 0n
  const home = token.of.kind === 'combo' ? ADDRESS.positionManager : ADDRESS.ctf
  return home === contract ? BigInt(universe.tape.balance(wallet, token)) : 0n
}

/** What a log adds to the holder's balance of the token. */
function netTransfer({ topics, data }: LogBody, holder: string, tokenId: bigint): bigint {
  const [event, , from, to] = topics
  const word = holder.slice(2).padStart(64, '0')
  const sign = BigInt(Number(to?.slice(2) === word) - Number(from?.slice(2) === word))
  if (sign === 0n) return 0n
  const words = data.slice(2).match(/.{64}/g) ?? []
  const numbers = words.map((each) => BigInt(`0x${each}`))
  const [first = 0n, second = 0n, count = 0n] = numbers
  if (event === TOPIC.transferSingle) return first === tokenId ? sign * second : 0n
  if (event !== TOPIC.transferBatch) return 0n
  let sum = 0n
  for (let index = 0; index < Number(count); index += 1) {
    // Two arrays of the same length, each behind its offset and its length.
    if (numbers[3 + index] === tokenId) sum += numbers[4 + Number(count) + index] ?? 0n
  }
  return sign * sum
}
