import type { Bus, Reservation } from '../bus/bus.js'
import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { BatchBlock } from '../chain/facts/block.js'
import type { BatchFacts } from '../chain/facts/registry.js'
import type { Clock } from '../core/clock.js'
import { AMOUNT_MAX } from '../core/money.js'
import { isCombo } from '../core/structured-id.js'
import { FloodLog } from '../lib/flood-log.js'
import type { Log } from '../lib/log.js'
import type { Sql } from '../store/connection.js'
import { DecodeError } from '../upstreams/polygon/abi.js'
import { decodeMatchOrders } from '../upstreams/polygon/calldata.js'
import type { PendingTransaction } from '../upstreams/polygon/parse.js'
import { reorgEvent } from './block.js'
import type { Confirm } from './block-facts.js'
import { comboExecutionEvent } from './combo-match.js'
import { Enricher } from './enrichment.js'
import type { EventLog } from './event-log.js'
import { type Match, type MatchRow, toPendingMatch } from './match.js'
import { PendingMatches } from './pending-matches.js'
import { blockEvents } from './registry.js'
import { fillEvents, settlementEvent } from './settlement.js'

type LiveEventsOptions = {
  bus: Bus
  eventLog: EventLog
  markets: MarketLookup
  clock: Clock
  log: Log
}

/**
 * Publishes what happens on the chain: matches as soon as a node shows them, and the events of a block
 * after the commit that stores them with it. The block writer calls it in the order of the chain:
 *
 *   onBooked, onReverting   gather the events of a transaction
 *   beforeCommit            numbers and stores them
 *   after the commit        publishes them
 *   lead                    after a failure: publishes them if they were committed all the same
 *
 * An error while events are made is logged and loses events, never facts.
 */
export class LiveEvents {
  readonly #bus: Bus
  readonly #eventLog: EventLog
  readonly #clock: Clock
  readonly #floodLog: FloodLog
  readonly #enricher: Enricher
  readonly #pending = new PendingMatches()
  #drafts: EventDraft[] = []
  /** The events of the transaction that is being committed. */
  #reservation: Reservation | undefined
  #unreadable = 0

  constructor({ bus, eventLog, markets, clock, log }: LiveEventsOptions) {
    this.#bus = bus
    this.#eventLog = eventLog
    this.#clock = clock
    this.#floodLog = new FloodLog(log)
    this.#enricher = new Enricher(markets)
  }

  /** To be called before the first block is booked, and again after each failure. */
  async lead(sql: Sql): Promise<void> {
    this.#drafts = []
    const lastSeq = this.#reservation?.events.at(-1)?.seq
    if (lastSeq !== undefined && (await this.#eventLog.has(sql, lastSeq))) this.#publish()
    this.#reservation?.cancel()
    this.#reservation = undefined
    this.#pending.rollback()
    await this.#eventLog.lead(sql)
    await this.#enricher.recall(sql)
    this.#recallPending()
  }

  /** Another process books the chain. What this one may have committed comes from the log as its events do. */
  follow(): void {
    this.#drafts = []
    this.#reservation?.abandon()
    this.#reservation = undefined
    this.#pending.rollback()
    this.#eventLog.follow()
  }

  onBooked(batch: BatchFacts): () => void {
    this.#enricher.learn(batch)
    for (const block of batch.blocks) if (this.#isPublished(block)) this.#gather(batch, block)
    return () => this.#publish()
  }

  onReverting(toBlock: number, removedBlocks: number): void {
    if (removedBlocks > 0) this.#drafts.push(reorgEvent(toBlock, removedBlocks, this.#clock.now()))
  }

  onReverted(): void {
    this.#publish()
  }

  async beforeCommit(tx: Sql): Promise<void> {
    if (this.#drafts.length === 0) return
    this.#reserve()
    if (this.#reservation !== undefined) await this.#eventLog.insert(tx, this.#reservation.events)
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

  #isPublished({ timeSec }: BatchBlock): boolean {
    return timeSec * 1000 >= this.#clock.now() - this.#eventLog.reachMs
  }

  #gather(batch: BatchFacts, block: BatchBlock): void {
    const nowMs = this.#clock.now()
    const confirm: Confirm = ({ txHash }) => {
      const detected = this.#pending.confirm(txHash, block.hash, nowMs)
      if (detected === undefined) return undefined
      const { detectedMs, isNew } = detected
      return { confirmation: { block: block.number, confirmedMs: nowMs, detectedMs }, isNew }
    }
    try {
      for (const draft of blockEvents(batch, block, this.#enricher, confirm)) this.#drafts.push(draft)
    } catch (error) {
      const fields = () => ({ err: error, block: block.number })
      this.#floodLog.write('error', 'events of a block could not be made', fields)
    }
  }

  #reserve(): void {
    this.#reservation = this.#bus.reserve(this.#drafts)
    this.#drafts = []
  }

  #publish(): void {
    if (this.#drafts.length > 0) this.#reserve()
    const reservation = this.#reservation
    if (reservation === undefined) return
    this.#reservation = undefined
    this.#pending.commit(this.#clock.now())
    this.#eventLog.noteStored(reservation.events.at(-1)?.seq ?? 0)
    reservation.publish()
  }

  /** Matches that an earlier process published while they were pending are not published again. */
  #recallPending(): void {
    for (const { type, data, timestampMs } of this.#bus.replay({ afterSeq: 0 })) {
      if (typeof data.tx_hash !== 'string') continue
      if (type === 'settlement' || type === 'combo_execution') this.#pending.add(data.tx_hash, timestampMs)
      if (type === 'status_update' || type === 'combo_status_update')
        this.#pending.confirm(data.tx_hash, '', timestampMs)
    }
    this.#pending.commit(this.#clock.now())
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
