import type { Tape } from '../chain/attribute/tape.js'
import { seqOf } from '../core/seq.js'

/** The lists of a tape whose entries each come from a log. */
export type BlockFacts = Omit<
  Tape,
  'blocks' | 'supplies' | 'outcomes' | 'walletOwners' | 'unknownOperators'
>

/** What a tape says about one of its blocks. */
export function factsOfBlock(tape: Tape, block: number): BlockFacts {
  const from = seqOf(block, 0)
  const to = seqOf(block + 1, 0)
  return {
    fills: cut(tape.fills, from, to),
    splits: cut(tape.splits, from, to),
    redemptions: cut(tape.redemptions, from, to),
    conversions: cut(tape.conversions, from, to),
    migrations: cut(tape.migrations, from, to),
    transfers: cut(tape.transfers, from, to),
    fees: cut(tape.fees, from, to),
    flows: cut(tape.flows, from, to),
    preparations: cut(tape.preparations, from, to),
    resolutions: cut(tape.resolutions, from, to),
    oracle: cut(tape.oracle, from, to),
    negRiskMarkets: cut(tape.negRiskMarkets, from, to),
    negRiskQuestions: cut(tape.negRiskQuestions, from, to),
    combos: cut(tape.combos, from, to),
    comboEvents: cut(tape.comboEvents, from, to),
    rawLogs: cut(tape.rawLogs, from, to),
    quarantine: cut(tape.quarantine, from, to),
  }
}

/** How many transactions left anything in the block. */
export function countTransactions(facts: BlockFacts): number {
  const hashes = new Set<string>()
  for (const list of Object.values(facts)) for (const { txHash } of list) hashes.add(txHash)
  return hashes.size
}

function cut<T extends { seq: number }>(list: readonly T[], from: number, to: number): T[] {
  return list.slice(indexFrom(list, from), indexFrom(list, to))
}

/** Of the first entry at or behind that place. */
function indexFrom(list: readonly { seq: number }[], seq: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle]?.seq ?? seq) < seq) low = middle + 1
    else high = middle
  }
  return low
}
