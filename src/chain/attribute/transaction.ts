import { seqOf } from '../../core/seq.js'
import type { Contract } from '../../upstreams/polygon/contracts.js'
import type { LogDecoder } from '../../upstreams/polygon/decode.js'
import type { DecodedEvent } from '../../upstreams/polygon/events.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BatchBlock } from '../facts/block.js'
import type { TimedOrigin } from '../facts/fact-kind.js'
import { AttributionError } from '../facts/quarantine.js'
import { NetMoves } from './net-moves.js'
import { isIntermediary, ZERO_ADDRESS } from './roles.js'
import type { TokenEvent } from './token-events.js'

/** Outcome tokens went from one address to another. */
type Move = {
  /** Index of its event in `events`; the moves of a batch transfer share it. */
  eventIndex: number
  from: string
  to: string
  token: string
  amount: bigint
  /** A redemption or migration has used it. */
  isClaimed: boolean
}

/** A split or merge of the conditional tokens for the neg-risk adapter, by the index of the event of the adapter. */
type InnerLeg = { eventIndex: number; wallet: string; tokens: readonly string[] }

/** Tokens that were destroyed for a payout, and the wallet that they are counted to. */
type Redeemed = { wallet: string; condition: string; tokens: readonly string[] }

/** A move that is a part of a conversion, a migration or a redemption, whose fact bears its cost. */
type CostedMove = { from: string; to: string; token: string; amount: bigint }

/**
 * The current transaction: its token events, in their order. One object is used for all
 * transactions, because there are very many of them.
 */
export class CurrentTransaction {
  readonly decoder: LogDecoder
  #source: readonly ChainLog[] = []
  #from = 0
  #end = 0
  hash = ''
  timeSec = 0
  block = 0
  /** Token events; their logs and emitters are at the same index. */
  events: TokenEvent[] = []
  logs: ChainLog[] = []
  contracts: Contract[] = []
  /** Events that are attributed after all token events. */
  readonly late: { event: DecodedEvent; log: ChainLog }[] = []
  moves: Move[] = []
  readonly innerLegs: InnerLeg[] = []
  readonly redeemed: Redeemed[] = []
  readonly costedMoves: CostedMove[] = []
  /** The moves that fills, splits, merges, redemptions and costed moves do not explain. */
  readonly unexplained = new NetMoves()
  /** Tokens of which absurd amounts moved: other events about them are not booked. */
  readonly absurdTokens: string[] = []
  /** Indexes of batch transfers and refunds that a split, merge, conversion or fill has used. */
  readonly claimedEvents: number[] = []

  constructor(decoder: LogDecoder) {
    this.decoder = decoder
  }

  /** Starts the transaction whose logs start at index `from` and end before `end`. */
  begin(source: readonly ChainLog[], from: number, end: number, block: BatchBlock): void {
    this.#source = source
    this.#from = from
    this.#end = end
    this.hash = source[from]?.at.txHash ?? ''
    this.block = block.number
    this.timeSec = block.timeSec
    // Setting the length to zero takes longer than creating a new list.
    this.events = []
    this.logs = []
    this.contracts = []
    this.moves = []
    empty(this.late)
    empty(this.innerLegs)
    empty(this.redeemed)
    empty(this.costedMoves)
    empty(this.claimedEvents)
    empty(this.absurdTokens)
    this.unexplained.clear()
  }

  /** Every log of the transaction, decoded or not. */
  get all(): readonly ChainLog[] {
    return this.#source.slice(this.#from, this.#end)
  }

  get firstSeq(): number {
    return seqOf(this.block, this.#source[this.#from]?.at.logIndex ?? 0)
  }

  add(event: TokenEvent, log: ChainLog, contract: Contract): void {
    this.events.push(event)
    this.logs.push(log)
    this.contracts.push(contract)
  }

  seqAt(eventIndex: number): number {
    const log = this.logs[eventIndex]
    return seqOf(this.block, log === undefined ? 0 : log.at.logIndex)
  }

  /** What every fact of a token event has. */
  origin(eventIndex: number): TimedOrigin {
    return { seq: this.seqAt(eventIndex), timeSec: this.timeSec, txHash: this.hash }
  }

  /** A fill, split, merge or redemption moved tokens: these moves get no transfer entry. */
  explain(from: string, to: string, token: string, amount: bigint): void {
    if (this.absurdTokens.includes(token))
      throw new AttributionError('absurd_amount', 'too many of the same tokens moved elsewhere')
    this.unexplained.move(to, from, token, amount)
  }

  /** Gets a transfer of its own, which moves balances and no cost. */
  explainCosted(from: string, to: string, token: string, amount: bigint): void {
    if (amount === 0n) return
    this.explain(from, to, token, amount)
    this.costedMoves.push({ from, to, token, amount })
  }

  /** A set of tokens was made for a wallet, or destroyed (`isMerge`). */
  explainSet(isMerge: boolean, wallet: string, tokens: readonly string[], amount: bigint): void {
    for (const token of tokens) {
      if (isMerge) this.explain(wallet, ZERO_ADDRESS, token, amount)
      else this.explain(ZERO_ADDRESS, wallet, token, amount)
    }
  }

  /** The address that had the token before it came to `holder` through intermediaries. */
  originalGiver(holder: string, token: string, eventIndex: number): string {
    if (!isIntermediary(holder)) return holder
    return this.giverTo(holder, token, eventIndex) ?? holder
  }

  /** The last address that gave the token to `holder`; `undefined`: there is none. */
  giverTo(holder: string, token: string, eventIndex: number): string | undefined {
    for (let index = this.moves.length - 1; index >= 0; index--) {
      const move = this.moves[index]
      if (move === undefined || move.eventIndex >= eventIndex) continue
      if (move.to === holder && move.token === token)
        return this.originalGiver(move.from, token, move.eventIndex)
    }
    return undefined
  }

  /** The address that ends up with the token after it came to `holder`, through intermediaries. */
  finalReceiver(holder: string, token: string, eventIndex: number): string {
    if (!isIntermediary(holder)) return holder
    for (const move of this.moves) {
      if (move.eventIndex <= eventIndex) continue
      if (move.from === holder && move.token === token)
        return this.finalReceiver(move.to, token, move.eventIndex)
    }
    return holder
  }
}

/** Most of these lists are empty already. */
function empty(list: unknown[]): void {
  if (list.length > 0) list.length = 0
}
