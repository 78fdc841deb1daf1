import type { Bus } from '../bus/bus.js'
import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { BatchBlock } from '../chain/facts/block.js'
import type { BatchFacts } from '../chain/facts/registry.js'
import type { Clock } from '../core/clock.js'
import { AMOUNT_MAX } from '../core/money.js'
import { isCombo } from '../core/structured-id.js'
import { FloodLog } from '../lib/flood-log.js'
import type { Log } from '../lib/log.js'
import { DecodeError } from '../upstreams/polygon/abi.js'
import { decodeMatchOrders } from '../upstreams/polygon/calldata.js'
import type { PendingTransaction } from '../upstreams/polygon/parse.js'
import { reorgEvent } from './block.js'
import type { Confirm } from './block-facts.js'
import { comboExecutionEvent } from './combo-match.js'
import { Enricher } from './enrichment.js'
import { type Match, type MatchRow, toPendingMatch } from './match.js'
import { fillEvents, settlementEvent } from './match-events.js'
import { PendingMatches } from './pending-matches.js'
import { blockEvents } from './registry.js'

type LiveEventsOptions = { bus: Bus; markets: MarketLookup; clock: Clock; log: Log }

/** The bus replays five minutes, so older blocks of a catch-up are not published. */
const PUBLISHED_MS = 5 * 60_000

/**
 * Publishes what happens on the chain: matches as soon as a node shows them, and the events of a block
 * after its commit. The follower calls it in the order of the chain. An error here is logged and loses
 * events, never facts.
 */
export class LiveEvents {
  readonly #bus: Bus
  readonly #clock: Clock
  readonly #floodLog: FloodLog
  readonly #enricher: Enricher
  readonly #pending = new PendingMatches()
  #unreadable = 0
  /** Newest block that was written. */
  #head: number | undefined

  constructor({ bus, markets, clock, log }: LiveEventsOptions) {
    this.#bus = bus
    this.#clock = clock
    this.#floodLog = new FloodLog(log)
    this.#enricher = new Enricher(markets)
  }

  onBooked(batch: BatchFacts): () => void {
    this.#enricher.learn(batch)
    const head = batch.blocks.at(-1)
    // Bound, because a closure would keep the facts of an old batch in memory too.
    return this.#isRecent(head) ? this.#publish.bind(this, batch) : this.#moveHead.bind(this, head)
  }

  /** Publishes nothing if this process has not seen a block above. */
  onRewound(toBlock: number): void {
    const removed = this.#head === undefined ? 0 : this.#head - toBlock
    this.#head = toBlock
    if (removed > 0) this.#bus.publish([reorgEvent(toBlock, removed, this.#clock.now())])
  }

  onPending(tx: PendingTransaction): void {
    const nowMs = this.#clock.now()
    const match = this.#parsePending(tx)
    if (match === undefined || !this.#pending.add(tx.hash, nowMs)) return
    this.#bus.publish(this.#pendingEvents(match, nowMs))
  }

  get status() {
    return {
      /** Matches that wait for their block. */
      pendingTransactions: this.#pending.count,
      /** Matches that were in no block in time. */
      pendingForgotten: this.#pending.forgotten,
      /** Calls of an exchange that do not decode, or have impossible amounts. */
      pendingUnreadable: this.#unreadable,
    }
  }

  #isRecent(block: BatchBlock | undefined): boolean {
    return block !== undefined && block.timeSec * 1000 >= this.#clock.now() - PUBLISHED_MS
  }

  #publish(batch: BatchFacts): void {
    this.#moveHead(batch.blocks.at(-1))
    const nowMs = this.#clock.now()
    for (const block of batch.blocks)
      if (this.#isRecent(block)) this.#publishBlock(batch, block, nowMs)
  }

  #moveHead(head: BatchBlock | undefined): void {
    this.#head = head?.number ?? this.#head
  }

  #publishBlock(batch: BatchFacts, block: BatchBlock, nowMs: number): void {
    const confirm: Confirm = ({ txHash }) => {
      const detected = this.#pending.confirm(txHash, block.hash, nowMs)
      if (detected === undefined) return undefined
      const { detectedMs, isNew } = detected
      return { confirmation: { block: block.number, confirmedMs: nowMs, detectedMs }, isNew }
    }
    try {
      this.#bus.publish(blockEvents(batch, block, this.#enricher, confirm))
    } catch (error) {
      const fields = () => ({ err: error, block: block.number })
      this.#floodLog.write('error', 'events of a block could not be made', fields)
    }
  }

  #pendingEvents(match: Match, detectedMs: number): EventDraft[] {
    if (isCombo(match.taker.token)) return [comboExecutionEvent(match, detectedMs, this.#enricher)]
    const detection = { detectedMs, block: undefined }
    return [
      settlementEvent(match, detection, this.#enricher),
      ...fillEvents(match, detection, this.#enricher),
    ]
  }

  /** `undefined`: no match, or one with impossible amounts: any sender may submit such a call. */
  #parsePending({ hash, to, input }: PendingTransaction): Match | undefined {
    try {
      const call = decodeMatchOrders(to, input)
      if (call === undefined) return undefined
      const match = toPendingMatch(hash, call)
      if (match.rows.every(isPossible)) return match
    } catch (error) {
      if (!(error instanceof DecodeError)) {
        const fields = () => ({ err: error, tx: hash })
        this.#floodLog.write('error', 'pending match could not be decoded', fields)
      }
    }
    this.#unreadable++
    return undefined
  }
}

/** The shares and the money of a row, and its fee where the call names it. */
const isPossible = ({ usd, shares, fee = 0n }: MatchRow): boolean =>
  [usd, shares, fee].every((amount) => amount >= 0n && amount <= AMOUNT_MAX)
