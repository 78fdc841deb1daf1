import { AMOUNT_MAX } from '../../core/money.js'
import { seqOf } from '../../core/seq.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import { AttributionError } from '../facts/quarantine.js'
import type { TransferFact } from '../facts/transfer.js'
import type { Attribution } from './attribution.js'
import { isProtocol, ZERO_ADDRESS } from './roles.js'
import type { CurrentTransaction } from './transaction.js'

/** The column has two bytes. */
const SUB_MAX = 2 ** 15 - 1

/**
 * Collects every move of outcome tokens in the transfer logs of the transaction. Any wallet can mint
 * any amount of tokens with a collateral of its own, even within a trade: the moves of such a token go
 * into quarantine, and no other logs with them.
 */
export function collectMoves(attribution: Attribution): void {
  const { tx } = attribution
  for (let eventIndex = 0; eventIndex < tx.events.length; eventIndex++) {
    const event = tx.events[eventIndex]
    if (event?.kind === 'transferSingle') collect(tx, eventIndex, event, event.id, event.value)
    else if (event?.kind === 'transferBatch') collectBatch(tx, eventIndex, event)
  }
  if (tx.absurdTokens.length > 0) quarantineAbsurd(attribution)
}

/**
 * Adds transfers for the moves that no other event of the transaction explains; when there is no
 * other event, one transfer for each move. The ledger books transfers after everything else of the
 * transaction: what a wallet gives away is known when all else has its cost.
 */
export function attributeTransfers(attribution: Attribution): void {
  const { tx } = attribution
  if (tx.unexplained.isEmpty) addEach(attribution)
  else addUnexplained(attribution)
  addSupplies(attribution)
}

function collectBatch(
  tx: CurrentTransaction,
  eventIndex: number,
  event: DecodedEventOf<'transferBatch'>,
): void {
  const { ids, values } = event
  if (ids.length !== values.length)
    throw new AttributionError('inconsistent', `${values.length} amounts for ${ids.length} tokens`)
  for (let index = 0; index < ids.length; index++)
    collect(tx, eventIndex, event, ids[index] ?? '', values[index] ?? 0n)
}

function collect(
  tx: CurrentTransaction,
  eventIndex: number,
  { from, to }: { from: string; to: string },
  token: string,
  amount: bigint,
): void {
  if (amount <= AMOUNT_MAX) tx.moves.push({ eventIndex, from, to, token, amount, isClaimed: false })
  else if (!tx.absurdTokens.includes(token)) tx.absurdTokens.push(token)
}

function quarantineAbsurd(attribution: Attribution): void {
  const { tx } = attribution
  const isAbsurd = (token: string) => tx.absurdTokens.includes(token)
  tx.moves = tx.moves.filter(({ token }) => !isAbsurd(token))
  for (const [eventIndex, event] of tx.events.entries()) {
    const log = tx.logs[eventIndex]
    const isAffected =
      (event.kind === 'transferSingle' && isAbsurd(event.id)) ||
      (event.kind === 'transferBatch' && event.ids.some(isAbsurd))
    if (isAffected && log !== undefined)
      attribution.quarantine('absurd_amount', 'nobody has so many tokens', log)
  }
}

function addEach({ tx, facts }: Attribution): void {
  let eventIndex = -1
  let sub = 0
  for (const move of tx.moves) {
    sub = move.eventIndex === eventIndex ? sub + 1 : 0
    eventIndex = move.eventIndex
    if (move.amount > 0n) facts.transfers.push(toTransfer(tx, eventIndex, sub, move, true))
  }
}

function addUnexplained({ tx, facts }: Attribution): void {
  for (const { from, to, token, amount } of tx.moves) tx.unexplained.move(from, to, token, amount)
  const eventIndex = tx.events.length - 1
  let sub = 0
  for (const move of tx.costedMoves) facts.transfers.push(toTransfer(tx, eventIndex, sub++, move, false))
  tx.unexplained.settle((from, to, token, amount) => {
    facts.transfers.push(toTransfer(tx, eventIndex, sub++, { from, to, token, amount }, true))
  })
}

function toTransfer(
  tx: CurrentTransaction,
  eventIndex: number,
  sub: number,
  { from, to, token, amount }: { from: string; to: string; token: string; amount: bigint },
  bearsCost: boolean,
): TransferFact {
  if (sub > SUB_MAX) throw new AttributionError('inconsistent', 'too many tokens at once')
  return {
    seq: tx.seqAt(eventIndex),
    sub,
    timeSec: tx.timeSec,
    txHash: tx.hash,
    from,
    to,
    token,
    amount,
    isInternal: isProtocol(from) || isProtocol(to),
    bearsCost,
  }
}

function addSupplies(attribution: Attribution): void {
  const { tx, supplies } = attribution
  for (const { eventIndex, from, to, token, amount } of tx.moves) {
    const isMint = from === ZERO_ADDRESS
    if (isMint === (to === ZERO_ADDRESS) || amount === 0n) continue
    supplies.add(tx.block, token, isMint ? amount : 0n, isMint ? 0n : amount)
    if (isMint && tx.contracts[eventIndex]?.role === 'positionManager')
      attribution.addStructuredOutcomes(tx.seqAt(eventIndex), token)
  }
}

/**
 * Counts, for each transaction, the transfers by operators that are neither the owner of the tokens
 * nor in the table of contracts. An operator that mints tokens for itself does not count.
 */
export function countUnknownOperator({ facts, tx }: Attribution, log: ChainLog, move: Transfer): void {
  const { operator, from, to } = move
  if (operator === from || isProtocol(operator)) return
  if (operator === to && from === ZERO_ADDRESS) return
  const { unknownOperators } = facts
  for (let index = unknownOperators.length - 1; index >= 0; index--) {
    const known = unknownOperators[index]
    if (known === undefined || known.seq < tx.firstSeq) break
    if (known.operator !== operator) continue
    known.transfers++
    return
  }
  unknownOperators.push({ seq: seqOf(tx.block, log.at.logIndex), operator, transfers: 1 })
}

type Transfer = DecodedEventOf<'transferSingle' | 'transferBatch'>
