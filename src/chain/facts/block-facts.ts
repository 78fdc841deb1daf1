import { blockOf } from '../../core/seq.js'
import { copyBytes } from '../../store/copy.js'
import type { Tape, TapeBlock } from '../attribute/tape.js'
import { factTable } from './fact-table.js'

/**
 * The blocks that have a fact. Which others a tape names depends on where its batch ended and how far
 * the head was, and what is stored must not.
 */
export const BLOCKS = factTable('blocks', 'number time hash', blocksWithFacts, blockLine)

function blocksWithFacts(tape: Tape): TapeBlock[] {
  const numbers = new Set(tape.supplies.map(({ block }) => block))
  for (const facts of factsBySeq(tape)) {
    let last = -1
    for (const { seq } of facts) {
      const number = blockOf(seq)
      if (number !== last) numbers.add(number)
      last = number
    }
  }
  return tape.blocks.filter(({ number }) => numbers.has(number))
}

function factsBySeq(tape: Tape): (readonly { seq: number }[])[] {
  return [
    tape.fills,
    tape.splits,
    tape.redemptions,
    tape.conversions,
    tape.migrations,
    tape.transfers,
    tape.fees,
    tape.flows,
    tape.preparations,
    tape.resolutions,
    tape.oracle,
    tape.negRiskMarkets,
    tape.negRiskQuestions,
    tape.combos,
    tape.comboEvents,
    tape.walletOwners,
    tape.rawLogs,
    tape.quarantine,
  ]
}

function blockLine({ number, timeSec, hash }: TapeBlock): string {
  return `${number}\t${timeSec}\t${copyBytes(hash)}\n`
}
