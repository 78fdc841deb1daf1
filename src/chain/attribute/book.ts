import type { BookedFact } from './booked-fact.js'
import { bookComboEvent } from './combo-events.js'
import { bookConversion } from './conversions.js'
import { bookFee, bookFill } from './fills.js'
import { bookMigration, bookPositionRedeemed, bookPositionSplit } from './modules.js'
import type { Reading } from './reading.js'
import { bookAutoRedemption, bookCtfRedemption, bookNegRiskRedemption } from './redemptions.js'
import { Refusal } from './refusal.js'
import { bookCtfSplit, bookNegRiskSplit } from './splits.js'
import type { Tape } from './tape.js'
import { bookTransfers, collectMoves } from './transfers.js'

/** Books what the transaction says of tokens, all of it or, when something in it is wrong, nothing. */
export function book(reading: Reading): void {
  const { tape, tx } = reading
  for (let index = 0; index < BOOKED.length; index++) lengths[index] = listAt(tape, index).length
  try {
    collectMoves(reading)
    for (let place = 0; place < tx.facts.length; place++) {
      const fact = tx.facts[place]
      if (fact !== undefined) bookFact(reading, place, fact)
    }
    bookTransfers(reading)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    for (let index = 0; index < BOOKED.length; index++)
      listAt(tape, index).length = lengths[index] ?? 0
    refuse(reading, error)
  }
}

/** Nothing of the transaction is booked; all that could have been is kept apart. */
export function refuse(reading: Reading, { reason, message }: Refusal): void {
  for (const log of reading.tx.logs) reading.quarantine(reason, message, log)
}

const BOOKED = [
  'fills',
  'splits',
  'redemptions',
  'conversions',
  'migrations',
  'transfers',
  'fees',
  'comboEvents',
  'rawLogs',
  'quarantine',
] as const satisfies (keyof Tape)[]

/** How long the lists were before the transaction. One array for all transactions. */
const lengths = new Int32Array(BOOKED.length)

const listAt = (tape: Tape, index: number): unknown[] => tape[BOOKED[index] ?? 'fills']

function bookFact(reading: Reading, place: number, fact: BookedFact): void {
  switch (fact.kind) {
    case 'transferSingle':
    case 'transferBatch':
      break
    case 'fill':
      bookFill(reading, place, fact)
      break
    case 'feeCharged':
    case 'feeRefunded':
    case 'feeWithdrawn':
      bookFee(reading, place, fact)
      break
    case 'ctfSplit':
    case 'ctfMerge':
      bookCtfSplit(reading, place, fact)
      break
    case 'negRiskSplit':
    case 'negRiskMerge':
      bookNegRiskSplit(reading, place, fact)
      break
    case 'ctfRedemption':
      bookCtfRedemption(reading, place, fact)
      break
    case 'negRiskRedemption':
      bookNegRiskRedemption(reading, place, fact)
      break
    case 'autoRedemption':
    case 'autoBinaryRedemption':
    case 'autoNegRiskRedemption':
      bookAutoRedemption(reading, place, fact)
      break
    case 'negRiskConversion':
      bookConversion(reading, place, fact)
      break
    case 'positionsSplit':
    case 'positionsMerged':
      bookComboEvent(reading, place, fact, bookPositionSplit(reading, place, fact))
      break
    case 'positionRedeemed':
      bookComboEvent(reading, place, fact, bookPositionRedeemed(reading, place, fact))
      break
    case 'positionMigrated':
      bookComboEvent(reading, place, fact, bookMigration(reading, place, fact))
      break
    default:
      bookComboEvent(reading, place, fact)
      break
  }
}
