import { AMOUNT_MAX } from '../../core/money.js'
import type { DecodedEventOf } from '../../upstreams/polygon/events.js'
import type { Reading } from './reading.js'
import { Refusal } from './refusal.js'
import { isProtocol, ZERO_ADDRESS } from './roles.js'
import { tellStructuredOutcomes } from './structured.js'
import type { TransferFact } from './tape.js'
import type { Transaction } from './transaction.js'

/** Its column has two bytes. */
const SUB_MAX = 2 ** 15 - 1

/**
 * Every move of outcome tokens that the transfer logs of the transaction tell. Anybody can make any
 * number of tokens of a collateral of his own, even while a trade pays him: all that moves of such a
 * token is put apart, and nothing else with it.
 */
export function collectMoves(reading: Reading): void {
  const { tx } = reading
  for (let place = 0; place < tx.facts.length; place++) {
    const fact = tx.facts[place]
    if (fact?.kind === 'transferSingle') collect(tx, place, fact, fact.id, fact.value)
    else if (fact?.kind === 'transferBatch') collectBatch(tx, place, fact)
  }
  if (tx.absurdTokens.length > 0) putAbsurdApart(reading)
}

/**
 * Writes what the transfers say beyond everything else that the transaction says; all of them, one
 * by one, when it says nothing else.
 */
export function bookTransfers(reading: Reading): void {
  const { tx } = reading
  if (tx.residue.isEmpty) bookEach(reading)
  else bookRest(reading)
  bookSupplies(reading)
}

function collectBatch(tx: Transaction, place: number, fact: DecodedEventOf<'transferBatch'>): void {
  const { ids, values } = fact
  if (ids.length !== values.length)
    throw new Refusal('inconsistent', `${values.length} amounts for ${ids.length} tokens`)
  for (let index = 0; index < ids.length; index++)
    collect(tx, place, fact, ids[index] ?? '', values[index] ?? 0n)
}

function collect(
  tx: Transaction,
  place: number,
  { from, to }: { from: string; to: string },
  token: string,
  amount: bigint,
): void {
  if (amount <= AMOUNT_MAX) tx.moves.push({ place, from, to, token, amount, isClaimed: false })
  else if (!tx.absurdTokens.includes(token)) tx.absurdTokens.push(token)
}

function putAbsurdApart(reading: Reading): void {
  const { tx } = reading
  const isAbsurd = (token: string) => tx.absurdTokens.includes(token)
  tx.moves = tx.moves.filter(({ token }) => !isAbsurd(token))
  for (const [place, fact] of tx.facts.entries()) {
    const log = tx.logs[place]
    const isApart =
      (fact.kind === 'transferSingle' && isAbsurd(fact.id)) ||
      (fact.kind === 'transferBatch' && fact.ids.some(isAbsurd))
    if (isApart && log !== undefined)
      reading.quarantine('absurd_amount', 'nobody has so many tokens', log)
  }
}

function bookEach({ tx, tape }: Reading): void {
  let place = -1
  let sub = 0
  for (const move of tx.moves) {
    sub = move.place === place ? sub + 1 : 0
    place = move.place
    if (move.amount > 0n)
      tape.transfers.push(toTransfer(tx, place, sub, move.from, move.to, move.token, move.amount))
  }
}

function bookRest({ tx, tape }: Reading): void {
  for (const { from, to, token, amount } of tx.moves) tx.residue.move(from, to, token, amount)
  const place = tx.moves.at(-1)?.place ?? tx.facts.length - 1
  let sub = 0
  tx.residue.settle((from, to, token, amount) => {
    tape.transfers.push(toTransfer(tx, place, sub++, from, to, token, amount))
  })
}

function toTransfer(
  tx: Transaction,
  place: number,
  sub: number,
  from: string,
  to: string,
  token: string,
  amount: bigint,
): TransferFact {
  if (sub > SUB_MAX) throw new Refusal('inconsistent', 'too many tokens at once')
  return {
    seq: tx.seqAt(place),
    sub,
    timeSec: tx.timeSec,
    txHash: tx.hash,
    from,
    to,
    token,
    amount,
    isInternal: isProtocol(from) || isProtocol(to),
  }
}

function bookSupplies(reading: Reading): void {
  const { tx, supplies } = reading
  for (const { place, from, to, token, amount } of tx.moves) {
    const isMint = from === ZERO_ADDRESS
    if (isMint === (to === ZERO_ADDRESS) || amount === 0n) continue
    supplies.add(tx.block, token, isMint ? amount : 0n, isMint ? 0n : amount)
    if (isMint && tx.contracts[place]?.role === 'positionManager')
      tellStructuredOutcomes(reading, tx.seqAt(place), token)
  }
}
