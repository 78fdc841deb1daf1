import { seqOf } from '../../core/seq.js'
import type { Contract } from '../../upstreams/polygon/contracts.js'
import type { DecodedEvent } from '../../upstreams/polygon/events.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BatchBlock } from '../facts/block.js'
import { AttributionError } from './attribution-error.js'
import type { BookedFact } from './booked-fact.js'
import { NetMoves } from './net-moves.js'
import { isIntermediary } from './roles.js'

/** Outcome tokens went from one hand to another. */
type Move = {
  /** Of its fact in the transaction; the moves of a batch share it. */
  place: number
  from: string
  to: string
  token: string
  amount: bigint
  /** A redemption or migration has counted it. */
  isClaimed: boolean
}

/** What the neg-risk adapter names, and what the conditional tokens did for it just before. */
type InnerLeg = { place: number; wallet: string; tokens: readonly string[] }

type Redeemed = { condition: string; tokens: readonly string[]; amounts: readonly bigint[] }

/**
 * The transaction that is being read: what its logs say of tokens, in their order. There is one
 * object for all transactions, because there are very many of them.
 */
export class Transaction {
  #source: readonly ChainLog[] = []
  #from = 0
  #end = 0
  hash = ''
  timeSec = 0
  block = 0
  /** Facts that may be booked, each with its log and its emitter in the same place. */
  events: BookedFact[] = []
  logs: ChainLog[] = []
  contracts: Contract[] = []
  /** Facts to look at when all else is known. */
  readonly late: { event: DecodedEvent; log: ChainLog }[] = []
  moves: Move[] = []
  readonly innerLegs: InnerLeg[] = []
  readonly redeemed: Redeemed[] = []
  /** What the moves say beyond all that fills, splits, merges and redemptions say. */
  readonly unexplained = new NetMoves()
  /** Tokens of which absurd amounts moved: whatever else is told of them is not booked. */
  readonly absurdTokens: string[] = []
  /** Places of batches and refunds that a split, merge, conversion or fill has counted. */
  readonly claimedPlaces: number[] = []

  /** Begins with the transaction whose logs, ours or not, start at `from` and end before `end`. */
  begin(source: readonly ChainLog[], from: number, end: number, block: BatchBlock): void {
    this.#source = source
    this.#from = from
    this.#end = end
    this.hash = source[from]?.at.txHash ?? ''
    this.block = block.number
    this.timeSec = block.timeSec
    // Cutting a list to nothing takes longer than making a new one.
    this.events = []
    this.logs = []
    this.contracts = []
    this.moves = []
    empty(this.late)
    empty(this.innerLegs)
    empty(this.redeemed)
    empty(this.claimedPlaces)
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

  add(event: BookedFact, log: ChainLog, contract: Contract): void {
    this.events.push(event)
    this.logs.push(log)
    this.contracts.push(contract)
  }

  seqAt(place: number): number {
    const log = this.logs[place]
    return seqOf(this.block, log === undefined ? 0 : log.at.logIndex)
  }

  /** A fill, split, merge or redemption moved tokens: its moves need no entry of their own. */
  explain(from: string, to: string, token: string, amount: bigint): void {
    if (this.absurdTokens.includes(token))
      throw new AttributionError('absurd_amount', 'too many of the same tokens moved elsewhere')
    this.unexplained.move(to, from, token, amount)
  }

  /** Who had the token before it came to `holder`, through all go-betweens. */
  giverBehind(holder: string, token: string, place: number): string {
    if (!isIntermediary(holder)) return holder
    return this.giverTo(holder, token, place) ?? holder
  }

  /** Who gave the token to `holder` last; `undefined` when nobody did. */
  giverTo(holder: string, token: string, place: number): string | undefined {
    for (let index = this.moves.length - 1; index >= 0; index--) {
      const move = this.moves[index]
      if (move === undefined || move.place >= place) continue
      if (move.to === holder && move.token === token)
        return this.giverBehind(move.from, token, move.place)
    }
    return undefined
  }

  /** Who had the token in the end after it came to `holder`, through all go-betweens. */
  receiverBehind(holder: string, token: string, place: number): string {
    if (!isIntermediary(holder)) return holder
    for (const move of this.moves) {
      if (move.place <= place) continue
      if (move.from === holder && move.token === token)
        return this.receiverBehind(move.to, token, move.place)
    }
    return holder
  }
}

/** For lists that mostly are. */
function empty(list: unknown[]): void {
  if (list.length > 0) list.length = 0
}
