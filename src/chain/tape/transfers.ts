import type { FactOf } from '../../upstreams/polygon/events.js'
import type { Reading } from './reading.js'
import { bookable, Refusal } from './refusal.js'
import { isProtocol, ZERO_ADDRESS } from './roles.js'
import { tellStructuredOutcomes } from './structured.js'
import type { Transaction } from './transaction.js'

/** Every move of outcome tokens that the transfer logs of the transaction tell. */
export function collectMoves(tx: Transaction): void {
  for (let place = 0; place < tx.facts.length; place++) {
    const fact = tx.facts[place]
    if (fact?.kind === 'transferSingle') {
      const { from, to, id, value } = fact
      tx.moves.push({ place, from, to, token: id, amount: bookable(value), isClaimed: false })
    } else if (fact?.kind === 'transferBatch') collectBatch(tx, place, fact)
  }
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

function collectBatch(tx: Transaction, place: number, fact: FactOf<'transferBatch'>): void {
  const { from, to, ids, values } = fact
  if (ids.length !== values.length)
    throw new Refusal('inconsistent', `${values.length} amounts for ${ids.length} tokens`)
  for (let index = 0; index < ids.length; index++) {
    const token = ids[index] ?? ''
    const amount = bookable(values[index] ?? 0n)
    tx.moves.push({ place, from, to, token, amount, isClaimed: false })
  }
}

function bookEach({ tx, tape }: Reading): void {
  let place = -1
  let sub = 0
  for (const move of tx.moves) {
    sub = move.place === place ? sub + 1 : 0
    place = move.place
    if (move.amount === 0n) continue
    tape.transfers.push({
      seq: tx.seqAt(place),
      sub,
      timeSec: tx.timeSec,
      txHash: tx.hash,
      from: move.from,
      to: move.to,
      token: move.token,
      amount: move.amount,
      isInternal: isProtocol(move.from) || isProtocol(move.to),
    })
  }
}

function bookRest({ tx, tape }: Reading): void {
  for (const { from, to, token, amount } of tx.moves) tx.residue.move(from, to, token, amount)
  const seq = tx.seqAt(tx.moves.at(-1)?.place ?? tx.facts.length - 1)
  let sub = 0
  tx.residue.settle((from, to, token, amount) => {
    tape.transfers.push({
      seq,
      sub: sub++,
      timeSec: tx.timeSec,
      txHash: tx.hash,
      from,
      to,
      token,
      amount,
      isInternal: true,
    })
  })
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
