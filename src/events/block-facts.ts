import type { EventDraft } from '../bus/event.js'
import type { BatchBlock } from '../chain/facts/block.js'
import type { FeeFact } from '../chain/facts/fee.js'
import type { BatchFacts } from '../chain/facts/registry.js'
import { seqOf } from '../core/seq.js'
import type { Enricher } from './enrichment.js'
import { type Confirmation, groupByTransaction, type Match, toSettledMatch } from './match.js'
import type { Message } from './message.js'

/** Messages that belong together, and how they are made from the facts of a block. */
export type MessageFamily = {
  messages: readonly Message[]
  /** Absent where the messages do not come from blocks. */
  fromBlock?(facts: BlockFacts, enricher: Enricher): Iterable<PlacedEvent>
}

/** An event with the log at which it stands; `undefined`: the fact is none that is published. */
export type PlacedEvent = { seq: number; event: EventDraft | undefined }

/** The lists of a batch whose entries each come from a log. */
type Lists = Omit<
  BatchFacts,
  'blocks' | 'supplies' | 'outcomes' | 'walletOwners' | 'unknownOperators'
>

/** What one block of a batch holds. */
export type BlockFacts = Lists & {
  block: BatchBlock
  matches: readonly SettledMatch[]
  /** Transactions that left any log of ours. */
  transactionCount: number
}

/** All fills of one transaction. */
export type SettledMatch = {
  match: Match
  /** Of its last fill. */
  seq: number
  /** What the transaction paid to receivers of fees. */
  fees: readonly FeeFact[]
  /** `undefined`: published earlier, because the block comes back after a reorganisation. */
  confirmation: Confirmation | undefined
  /** No event was published about it while it was pending. */
  isNew: boolean
}

/** Says how a match of the block is to be confirmed. `undefined`: it was, by the same block. */
export type Confirm = (match: Match) => { confirmation: Confirmation; isNew: boolean } | undefined

export function factsOfBlock(tape: BatchFacts, block: BatchBlock, confirm: Confirm): BlockFacts {
  const from = seqOf(block.number, 0)
  const to = seqOf(block.number + 1, 0)
  const lists: Lists = {
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
  return {
    ...lists,
    block,
    matches: matchesOf(lists, confirm),
    transactionCount: new Set(Object.values(lists).flatMap((list) => list.map(txHashOf))).size,
  }
}

const txHashOf = ({ txHash }: { txHash: string }): string => txHash

function matchesOf({ fills, fees }: Lists, confirm: Confirm): SettledMatch[] {
  return groupByTransaction(fills).map((group) => {
    const match = toSettledMatch(group)
    const { confirmation, isNew = false } = confirm(match) ?? {}
    return {
      match,
      seq: (group.at(-1) ?? group[0]).seq,
      fees: fees.filter(({ txHash, kind }) => txHash === match.txHash && kind === 'charged'),
      confirmation,
      isNew,
    }
  })
}

function cut<T extends { seq: number }>(list: readonly T[], from: number, to: number): T[] {
  return list.slice(indexFrom(list, from), indexFrom(list, to))
}

/** Of the first entry at or behind that seq. */
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
