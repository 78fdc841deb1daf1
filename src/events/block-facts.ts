import type { EventDraft } from '../bus/event.js'
import type { BatchBlock } from '../chain/facts/block.js'
import type { ChainFact } from '../chain/facts/fact-kind.js'
import { type BatchFacts, KINDS } from '../chain/facts/registry.js'
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

type FactLists = Omit<BatchFacts, 'blocks' | 'unknownOperators'>

/** What one block of a batch holds. */
export type BlockFacts = FactLists & {
  block: BatchBlock
  matches: ReturnType<typeof matchesOf>
  /** Transactions that left any log of ours. */
  transactionCount: number
}

/** Says how a match of the block is to be confirmed. `undefined`: it was, by the same block. */
export type Confirm = (match: Match) => { confirmation: Confirmation; isNew: boolean } | undefined

export function factsOfBlock(batch: BatchFacts, block: BatchBlock, confirm: Confirm): BlockFacts {
  const fromSeq = seqOf(block.number, 0)
  const endSeq = seqOf(block.number + 1, 0)
  const transactions = new Set<string>()
  const cut = (list: readonly ChainFact[]) => {
    const facts = list.slice(indexFrom(list, fromSeq), indexFrom(list, endSeq))
    for (const fact of facts)
      if ('txHash' in fact && typeof fact.txHash === 'string') transactions.add(fact.txHash)
    return facts
  }
  // Each list keeps the type of its facts, which `fromEntries` does not express.
  const lists = Object.fromEntries(KINDS.map(([list]) => [list, cut(batch[list])])) as unknown as FactLists
  const matches = matchesOf(lists, confirm)
  return { ...lists, block, matches, transactionCount: transactions.size }
}

/** All fills of one transaction are a match. */
function matchesOf({ fills, fees }: FactLists, confirm: Confirm) {
  return groupByTransaction(fills).map((group) => {
    const match = toSettledMatch(group)
    const { confirmation, isNew = false } = confirm(match) ?? {}
    return {
      match,
      /** Of its last fill. */
      seq: (group.at(-1) ?? group[0]).seq,
      /** What the transaction paid to receivers of fees. */
      fees: fees.filter(({ txHash, kind }) => txHash === match.txHash && kind === 'charged'),
      /** `undefined`: published earlier, because the block comes back after a reorganisation. */
      confirmation,
      /** No event was published about it while it was pending. */
      isNew,
    }
  })
}

/** Index of the first fact at or after that seq. Facts without a `seq` are at the start of their block. */
function indexFrom(list: readonly ChainFact[], seq: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const fact = list[middle]
    const seqOfFact = fact === undefined ? seq : 'seq' in fact ? fact.seq : seqOf(fact.block, 0)
    if (seqOfFact < seq) low = middle + 1
    else high = middle
  }
  return low
}
