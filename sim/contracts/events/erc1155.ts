import { arrayArgument, encodeArguments } from '../abi.js'
import { ADDRESS } from '../addresses.js'
import type { LogBody } from '../log.js'
import { TOPIC } from '../topics.js'
import { type Word, word } from '../words.js'

/** Outcome tokens of both kinds of position. `operator` is who called the token contract. */
export function transferSingle(
  contract: string,
  operator: Word,
  from: Word,
  to: Word,
  token: Word,
  amount: number,
): LogBody {
  return {
    address: contract,
    topics: [TOPIC.transferSingle, `0x${operator}`, `0x${from}`, `0x${to}`],
    data: `0x${token}${word(amount)}`,
  }
}

export function transferBatch(
  contract: string,
  operator: Word,
  from: Word,
  to: Word,
  tokens: readonly Word[],
  amounts: readonly number[],
): LogBody {
  const values = amounts.map(word)
  return {
    address: contract,
    topics: [TOPIC.transferBatch, `0x${operator}`, `0x${from}`, `0x${to}`],
    data: `0x${encodeArguments([arrayArgument(tokens), arrayArgument(values)])}`,
  }
}

/** The owner lets the operator move all structured positions that it has or will have. */
export function approveAll(owner: Word, operator: Word): LogBody {
  return {
    address: ADDRESS.positionManager,
    topics: [TOPIC.approvalForAll, `0x${owner}`, `0x${operator}`],
    data: `0x${word(1)}`,
  }
}

export function moveShares(operator: Word, from: Word, to: Word, token: Word, amount: number): LogBody {
  return transferSingle(ADDRESS.ctf, operator, from, to, token, amount)
}

export function moveManyShares(
  operator: Word,
  from: Word,
  to: Word,
  tokens: readonly Word[],
  amounts: readonly number[],
): LogBody {
  return transferBatch(ADDRESS.ctf, operator, from, to, tokens, amounts)
}
