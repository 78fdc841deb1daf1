import { LOGS_PER_BLOCK, seqOf } from '../../core/seq.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import { emptyTape } from './empty-tape.js'
import { isProtocol } from './roles.js'
import { SupplyBook } from './supply-book.js'
import type { QuarantineFact, Tape } from './tape.js'
import { Transaction } from './transaction.js'

/** What one reading of logs carries from transaction to transaction. */
export class Reading {
  readonly tape: Tape = emptyTape()
  readonly tx = new Transaction()
  readonly supplies = new SupplyBook(this.tape.supplies)
  /** Automatic market makers, whose splits and merges nobody wanted: those of before, and new ones. */
  readonly #knownPools: ReadonlySet<string>
  readonly #newPools = new Set<string>()
  readonly #toldSets = new Set<string>()

  constructor(pools: ReadonlySet<string>) {
    this.#knownPools = pools
  }

  addPool(address: string): void {
    this.#newPools.add(address)
  }

  /** Somebody who bears cost and profit, and none of the contracts between. */
  isUser(address: string): boolean {
    return !isProtocol(address) && !this.#knownPools.has(address) && !this.#newPools.has(address)
  }

  /** Tells the tokens of a condition, the first time. */
  tellOutcomes(seq: number, condition: string, tokens: readonly string[]): void {
    const [first = ''] = tokens
    if (this.#toldSets.has(first)) return
    this.#toldSets.add(first)
    this.tape.outcomes.push({ seq, condition, tokens })
  }

  keepRaw(kind: string, { at, topics, data }: ChainLog): void {
    this.tape.rawLogs.push({
      seq: seqOf(at.blockNumber, at.logIndex),
      txHash: at.txHash,
      kind,
      contract: at.address,
      topics,
      data,
    })
  }

  /** Keeps the log of a fact of the transaction that is not booked. */
  keepRawAt(place: number): void {
    const { facts, logs } = this.tx
    const fact = facts[place]
    const log = logs[place]
    if (fact !== undefined && log !== undefined) this.keepRaw(fact.kind, log)
  }

  quarantine(reason: QuarantineFact['reason'], detail: string, log: ChainLog): void {
    const { at, topics, data } = log
    this.tape.quarantine.push({
      // What a node has made up may stand anywhere.
      seq: seqOf(at.blockNumber, Math.min(at.logIndex, LOGS_PER_BLOCK - 1)),
      txHash: at.txHash,
      reason,
      detail,
      contract: at.address,
      topics,
      data,
    })
  }
}
