import { eventOf } from '../../reconcile/events.js'
import { addressIn, amountAt, amountsAt, type RawLog, topicAt } from '../../reconcile/log.js'

/** A move of outcome tokens, as the contract of the tokens logs it. */
export type ShareMove = { from: string; to: string; token: string; amount: bigint }

/** All moves of these logs, in their order. Tokens are decimal. */
export function shareMovesIn(logs: readonly RawLog[]): ShareMove[] {
  return logs.flatMap((log) => {
    const name = eventOf(log)
    if (name?.endsWith('TransferSingle')) return moves(log, [amountAt(log, 0)], [amountAt(log, 1)])
    return name?.endsWith('TransferBatch') ? moves(log, amountsAt(log, 0), amountsAt(log, 1)) : []
  })
}

function moves(log: RawLog, tokens: readonly bigint[], amounts: readonly bigint[]): ShareMove[] {
  const [from, to] = [addressIn(topicAt(log, 2)), addressIn(topicAt(log, 3))]
  return tokens.map((token, index) => ({ from, to, token: `${token}`, amount: amounts[index] ?? 0n }))
}
