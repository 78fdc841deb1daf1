import { LOGS_PER_BLOCK, seqOf } from '../../core/seq.js'
import { conditionOfPosition, isStructuredId, positionsOf } from '../../core/structured-id.js'
import type { LogDecoder } from '../../upstreams/polygon/decode.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { QuarantineFact } from '../facts/quarantine.js'
import { type BatchFacts, createBatchFacts } from '../facts/registry.js'
import type { SupplyFact } from '../facts/supply.js'
import { isProtocol } from './roles.js'
import { CurrentTransaction } from './transaction.js'

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
  readonly facts: BatchFacts = createBatchFacts()
  readonly tx: CurrentTransaction
  readonly supplies = new BlockSupplies(this.facts.supplies)
  /** Automatic market makers, whose splits and merges bear no cost: earlier ones, and new ones. */
  readonly #knownPools: ReadonlySet<string>
  readonly #newPools = new Set<string>()
  readonly #knownSets = new Set<string>()
  readonly #lengths = new Int32Array(DISCARDABLE.length)

  constructor(pools: ReadonlySet<string>, decoder: LogDecoder) {
    this.#knownPools = pools
    this.tx = new CurrentTransaction(decoder)
  }

  /** Remembers how long the lists are, so that `discard` can remove what is added from now on. */
  mark(): void {
    for (let index = 0; index < DISCARDABLE.length; index++) this.#lengths[index] = this.#listAt(index).length
  }

  discard(): void {
    for (let index = 0; index < DISCARDABLE.length; index++)
      this.#listAt(index).length = this.#lengths[index] ?? 0
  }

  #listAt(index: number): unknown[] {
    return this.facts[DISCARDABLE[index] ?? 'fills']
  }

  addPool(address: string): void {
    this.#newPools.add(address)
  }

  /** Whether the address bears cost and profit: it is neither a contract of the protocol nor a pool. */
  isUser(address: string): boolean {
    return !isProtocol(address) && !this.#knownPools.has(address) && !this.#newPools.has(address)
  }

  /** Adds the tokens of a condition, once per batch. */
  addOutcomes(seq: number, condition: string, tokens: readonly string[]): void {
    const [first = ''] = tokens
    if (this.#knownSets.has(first)) return
    this.#knownSets.add(first)
    this.facts.outcomes.push({ seq, condition, tokens })
  }

  /** Adds the pair of positions that the token belongs to, if it is a structured position. */
  addStructuredOutcomes(seq: number, token: string): void {
    if (!isStructuredId(token)) return
    const condition = conditionOfPosition(token)
    const positions = positionsOf(condition)
    if (positions.includes(token)) this.addOutcomes(seq, condition, positions)
  }

  keepRaw(kind: string, { at, topics, data }: ChainLog): void {
    this.facts.rawLogs.push({
      seq: seqOf(at.blockNumber, at.logIndex),
      txHash: at.txHash,
      kind,
      contract: at.address,
      topics,
      data,
    })
  }

  /** Keeps the log of an event that is not booked. */
  keepRawAt(eventIndex: number): void {
    const { events, logs } = this.tx
    const event = events[eventIndex]
    const log = logs[eventIndex]
    if (event !== undefined && log !== undefined) this.keepRaw(event.kind, log)
  }

  quarantine(reason: QuarantineFact['reason'], detail: string, log: ChainLog): void {
    const { at, topics, data } = log
    this.facts.quarantine.push({
      // A log that the node invented may have any index.
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

/** Sums up the minted and burned amounts of each token in a block. */
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
