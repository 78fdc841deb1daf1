import { LOGS_PER_BLOCK, seqOf } from '../../core/seq.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { QuarantineFact } from '../facts/quarantine.js'
import type { BatchFacts } from '../facts/registry.js'
import { createBatchFacts } from '../facts/registry.js'
import type { SupplyFact } from '../facts/supply.js'
import { isProtocol } from './roles.js'
import { Transaction } from './transaction.js'

/** The lists that attributing the events of a transaction adds to. */
const DISCARDABLE = [
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
] as const satisfies (keyof BatchFacts)[]

/** What the attribution of one batch carries from transaction to transaction. */
export class Attribution {
  readonly tape: BatchFacts = createBatchFacts()
  readonly tx = new Transaction()
  readonly supplies = new BlockSupplies(this.tape.supplies)
  /** Automatic market makers, whose splits and merges nobody wanted: those of before, and new ones. */
  readonly #knownPools: ReadonlySet<string>
  readonly #newPools = new Set<string>()
  readonly #knownSets = new Set<string>()
  readonly #lengths = new Int32Array(DISCARDABLE.length)

  constructor(pools: ReadonlySet<string>) {
    this.#knownPools = pools
  }

  /** Remembers how long the lists are, so that `discard` can take back what is added from now on. */
  mark(): void {
    for (const [index, list] of DISCARDABLE.entries()) this.#lengths[index] = this.tape[list].length
  }

  discard(): void {
    for (const [index, list] of DISCARDABLE.entries())
      this.tape[list].length = this.#lengths[index] ?? 0
  }

  addPool(address: string): void {
    this.#newPools.add(address)
  }

  /** Somebody who bears cost and profit, and none of the contracts between. */
  isUser(address: string): boolean {
    return !isProtocol(address) && !this.#knownPools.has(address) && !this.#newPools.has(address)
  }

  /** Tells the tokens of a condition, the first time. */
  addOutcomes(seq: number, condition: string, tokens: readonly string[]): void {
    const [first = ''] = tokens
    if (this.#knownSets.has(first)) return
    this.#knownSets.add(first)
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
    const { events, logs } = this.tx
    const event = events[place]
    const log = logs[place]
    if (event !== undefined && log !== undefined) this.keepRaw(event.kind, log)
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

/** Adds up what is made and destroyed of each token in a block. */
class BlockSupplies {
  readonly #supplies: SupplyFact[]
  readonly #ofBlock = new Map<string, SupplyFact>()
  #block = 0

  constructor(supplies: SupplyFact[]) {
    this.#supplies = supplies
  }

  add(block: number, token: string, minted: bigint, burned: bigint): void {
    if (block !== this.#block) {
      this.#block = block
      this.#ofBlock.clear()
    }
    const known = this.#ofBlock.get(token)
    if (known === undefined) {
      const supply = { block, token, minted, burned }
      this.#ofBlock.set(token, supply)
      this.#supplies.push(supply)
    } else {
      known.minted += minted
      known.burned += burned
    }
  }
}
