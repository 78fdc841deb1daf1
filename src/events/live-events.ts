import type { Bus } from '../bus/bus.js'
import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { FeeFact, Tape, TapeBlock } from '../chain/attribute/tape.js'
import type { Clock } from '../core/clock.js'
import { AMOUNT_MAX } from '../core/money.js'
import type { Log } from '../lib/log.js'
import { DecodeError } from '../upstreams/polygon/abi.js'
import { decodeMatchOrders } from '../upstreams/polygon/calldata.js'
import type { Transaction } from '../upstreams/polygon/messages.js'
import { blockEvents } from './block-events.js'
import { reorgEvent } from './block-summary.js'
import { comboExecutionEvent, comboStatusUpdateEvent } from './combo-match.js'
import { Known } from './known.js'
import { type Match, type MatchRow, toPendingMatch } from './match.js'
import { PendingMatches } from './pending-matches.js'
import { fillEvents, settlementEvent } from './settlement.js'
import { statusUpdateEvent } from './status-update.js'
import { isCombo } from './structured-id.js'

export type LiveEventsOptions = { bus: Bus; markets: MarketLookup; clock: Clock; log: Log }

export type LiveStatus = {
  /** Matches that wait for their block. */
  pendingTransactions: number
  /** Those that never got into one. */
  pendingForgotten: number
  /** Calls of an exchange that make no sense. */
  pendingUnreadable: number
}

/** Nobody replays older events, so the blocks of a long way to the head are not told. */
const NEWS_MS = 5 * 60_000

/**
 * Tells the bus what happens on the chain: matches as soon as a node shows them, and everything in
 * a block once it is committed. Called in the order of the chain. What goes wrong here is logged and
 * loses news, never facts.
 */
export class LiveEvents {
  readonly #bus: Bus
  readonly #clock: Clock
  readonly #log: Log
  readonly #known: Known
  readonly #pending = new PendingMatches()
  #unreadable = 0
  /** Newest block that was booked. */
  #head: number | undefined

  constructor({ bus, markets, clock, log }: LiveEventsOptions) {
    this.#bus = bus
    this.#clock = clock
    this.#log = log
    this.#known = new Known(markets)
  }

  onBooked(tape: Tape): () => void {
    this.#known.learn(tape)
    const head = tape.blocks.at(-1)
    // A function of its own would hold on to the tape in either case.
    return this.#isNews(head) ? this.#tell.bind(this, tape) : this.#pass.bind(this, head)
  }

  /** Without a block above in this process there is nothing to take back. */
  onRewound(toBlock: number): void {
    const removed = this.#head === undefined ? 0 : this.#head - toBlock
    this.#head = toBlock
    if (removed > 0) this.#bus.publish([reorgEvent(toBlock, removed, this.#clock.now())])
  }

  onPending(tx: Transaction): void {
    const nowMs = this.#clock.now()
    const match = this.#readPending(tx)
    if (match === undefined || !this.#pending.add(tx.hash, nowMs)) return
    this.#bus.publish(this.#tellMatch(match, nowMs, undefined))
  }

  get status(): LiveStatus {
    return {
      pendingTransactions: this.#pending.count,
      pendingForgotten: this.#pending.forgotten,
      pendingUnreadable: this.#unreadable,
    }
  }

  #isNews(block: TapeBlock | undefined): boolean {
    return block !== undefined && block.timeSec * 1000 >= this.#clock.now() - NEWS_MS
  }

  #tell(tape: Tape): void {
    this.#pass(tape.blocks.at(-1))
    const nowMs = this.#clock.now()
    for (const block of tape.blocks) if (this.#isNews(block)) this.#tellBlock(tape, block, nowMs)
  }

  #pass(head: TapeBlock | undefined): void {
    this.#head = head?.number ?? this.#head
  }

  #tellBlock(tape: Tape, block: TapeBlock, nowMs: number): void {
    try {
      const events = blockEvents(tape, block, this.#known, (match, fees) =>
        this.#tellSettled(match, block, fees, nowMs),
      )
      this.#bus.publish(events)
    } catch (error) {
      this.#log.error({ err: error, block: block.number }, 'block could not be told')
    }
  }

  /** A match that nobody saw before is told now, and then confirmed like every other. */
  #tellSettled(
    match: Match,
    block: TapeBlock,
    fees: readonly FeeFact[],
    nowMs: number,
  ): EventDraft[] {
    const told = this.#pending.confirm(match.txHash, block.hash, nowMs)
    if (told === undefined) return []
    const confirmation = { block: block.number, confirmedMs: nowMs, detectedMs: told.detectedMs }
    if (isCombo(match.taker.token))
      return [comboStatusUpdateEvent(match, confirmation, fees, this.#known)]
    return [
      ...(told.isNew ? this.#tellMatch(match, nowMs, block.number) : []),
      statusUpdateEvent(match, confirmation, this.#known.markets),
    ]
  }

  #tellMatch(match: Match, detectedMs: number, block: number | undefined): EventDraft[] {
    if (isCombo(match.taker.token)) return [comboExecutionEvent(match, detectedMs, this.#known)]
    const sighting = { detectedMs, block }
    return [
      settlementEvent(match, sighting, this.#known.markets),
      ...fillEvents(match, sighting, this.#known.markets),
    ]
  }

  /** `undefined`: no match, or one with amounts that cannot be. Whoever pays may send nonsense. */
  #readPending({ hash, to, input }: Transaction): Match | undefined {
    try {
      const call = to === undefined ? undefined : decodeMatchOrders(to, input)
      if (call === undefined) return undefined
      const match = toPendingMatch(hash, call)
      if (match.rows.every(isPossible)) return match
    } catch (error) {
      if (!(error instanceof DecodeError))
        this.#log.error({ err: error, tx: hash }, 'pending match could not be told')
    }
    this.#unreadable++
    return undefined
  }
}

/** The shares and the money of a row, and its fee where the call names it. */
const isPossible = ({ usd, shares, fee = 0n }: MatchRow): boolean =>
  [usd, shares, fee].every((amount) => amount >= 0n && amount <= AMOUNT_MAX)
