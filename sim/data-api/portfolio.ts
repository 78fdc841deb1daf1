import { type Fill, isV1 } from '../universe/acts.js'
import type { Token } from '../universe/market.js'
import type { Settled } from '../universe/settled-acts.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { applyStep, NO_POSITION, type Position } from './positions.js'
import { fillsOf, stepsOf } from './steps.js'

export type Holding = {
  position: Position
  /** As it was before plain transfers, while nothing else has happened to it since. */
  beforeTransfer: Position | undefined
  /** Fees of the buys, in micro-dollars. They are no part of the cost. */
  entryFees: bigint
  /** When the first share was bought; 0 when none was. */
  entrySec: number
  /** When the last shares went away; 0 while there are some. */
  closedSec: number
  lastSec: number
  /** What was bought and sold in trades. */
  tradedShares: number
  tradedUsd: number
}

/** Over all tokens. */
type Totals = {
  shares: number
  usd: number
  fees: number
  trades: number
  realizedMarket: number
  realizedCombo: number
}

/** All that a wallet did up to some moment, booked token by token. */
export class Portfolio {
  readonly wallet: Wallet
  readonly holdings = new Map<Token, Holding>()
  /** Those of which shares are left. */
  readonly open = new Map<Token, Holding>()
  readonly totals: Totals = {
    shares: 0,
    usd: 0,
    fees: 0,
    trades: 0,
    realizedMarket: 0,
    realizedCombo: 0,
  }

  constructor(wallet: Wallet) {
    this.wallet = wallet
  }

  book({ tx: { act }, block: { timestampSec } }: Settled): void {
    const positionOf = (token: Token) => this.holdings.get(token)?.position ?? NO_POSITION
    for (const step of stepsOf(act, this.wallet)) {
      for (const [token, position] of applyStep(positionOf, step)) {
        this.#set(token, position, timestampSec, act.kind === 'transfer')
      }
    }
    if (act.kind === 'match') {
      for (const fill of fillsOf(act, this.wallet)) this.#count(fill, feeOf(fill))
    }
  }

  #set(token: Token, position: Position, sec: number, isTransfer: boolean): void {
    const holding = this.#holding(token, sec)
    const realized = Number(position.realized - holding.position.realized)
    this.totals[token.of.kind === 'combo' ? 'realizedCombo' : 'realizedMarket'] += realized
    if (holding.entrySec === 0 && position.bought > 0n) holding.entrySec = sec
    if (position.balance > 0n) holding.closedSec = 0
    else if (holding.closedSec === 0) holding.closedSec = sec
    holding.beforeTransfer = isTransfer ? (holding.beforeTransfer ?? holding.position) : undefined
    holding.position = position
    holding.lastSec = sec
    if (position.balance > 0n) this.open.set(token, holding)
    else this.open.delete(token)
  }

  #holding(token: Token, sec: number): Holding {
    let holding = this.holdings.get(token)
    if (holding === undefined) {
      // Written out: copying from another object would take several times as long, and there are very many.
      holding = {
        position: NO_POSITION,
        beforeTransfer: undefined,
        entryFees: 0n,
        entrySec: 0,
        closedSec: sec,
        lastSec: sec,
        tradedShares: 0,
        tradedUsd: 0,
      }
      this.holdings.set(token, holding)
    }
    return holding
  }

  #count(fill: Fill, feeUsd: number): void {
    const { totals } = this
    totals.shares += fill.shares
    totals.usd += fill.usd
    totals.fees += feeUsd
    totals.trades += 1
    const holding = this.holdings.get(fill.order.token)
    if (holding === undefined) return
    holding.tradedShares += fill.shares
    holding.tradedUsd += fill.usd
    if (fill.order.side === 'BUY') holding.entryFees += BigInt(feeUsd)
  }
}

/** In micro-dollars. The first exchange took the fee of a buy in shares. */
function feeOf({ order, fee, refund, usd, shares }: Fill): number {
  const isInShares = isV1(order.exchange) && order.side === 'BUY'
  return isInShares ? Math.round(((fee - refund) * usd) / shares) : fee - refund
}

/**
 * The portfolio of each wallet at a moment that only moves forward: it is booked up to it when asked for,
 * from where the last question about him left off.
 */
export class Portfolios {
  readonly #universe: Universe
  readonly #kept = new Map<Wallet, { portfolio: Portfolio; booked: number }>()

  constructor(universe: Universe) {
    this.#universe = universe
    // What was booked from blocks that are gone cannot be taken out again.
    universe.on('reorg', () => this.#kept.clear())
  }

  of(wallet: Wallet, untilMs = Number.POSITIVE_INFINITY): Portfolio {
    const acts = this.#universe.settledActs.ofWallet(wallet)
    const kept = this.#kept.get(wallet) ?? { portfolio: new Portfolio(wallet), booked: 0 }
    this.#kept.set(wallet, kept)
    for (let next = acts[kept.booked]; next !== undefined; next = acts[kept.booked]) {
      if (next.block.timestampSec * 1000 > untilMs) break
      kept.portfolio.book(next)
      kept.booked += 1
    }
    return kept.portfolio
  }
}
