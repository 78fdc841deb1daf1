import type { Fill } from '../universe/acts.js'
import type { Token } from '../universe/market.js'
import type { Settled } from '../universe/tape.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { applyStep, NO_POSITION, type Position } from './positions.js'
import { fillsOf, stepsOf } from './steps.js'

/** Less than a hundredth of a share counts as nothing. */
export const DUST = 10_000n

export type Holding = {
  position: Position
  /** Fees of the buys, in micro-dollars. They are no part of the cost. */
  entryFees: bigint
  /** When the last shares went away; 0 while there are some. */
  closedSec: number
  lastSec: number
  /** What was bought and sold in trades. */
  tradedShares: number
  tradedUsd: number
}

export type Totals = { shares: number; usd: number; fees: number; trades: number }

const NEW_HOLDING = { entryFees: 0n, tradedShares: 0, tradedUsd: 0 }

/** All that a wallet did up to some moment, booked token by token. */
export class Portfolio {
  readonly wallet: Wallet
  readonly holdings = new Map<Token, Holding>()
  readonly totals: Totals = { shares: 0, usd: 0, fees: 0, trades: 0 }

  constructor(wallet: Wallet) {
    this.wallet = wallet
  }

  book({ tx: { act }, block: { timestampSec } }: Settled): void {
    const held = (token: Token) => this.holdings.get(token)?.position ?? NO_POSITION
    for (const step of stepsOf(act, this.wallet)) {
      for (const [token, position] of applyStep(held, step)) {
        this.#set(token, position, timestampSec)
      }
    }
    if (act.kind === 'match') for (const fill of fillsOf(act, this.wallet)) this.#count(fill)
    if (act.kind === 'transfer') this.#set(act.token, held(act.token), timestampSec)
  }

  #set(token: Token, position: Position, sec: number): void {
    const before = this.holdings.get(token)
    const isOpen = position.amount >= DUST
    const wasOpen = before !== undefined && before.closedSec === 0
    const closedSec = isOpen ? 0 : wasOpen ? sec : (before?.closedSec ?? sec)
    const after = { ...NEW_HOLDING, ...before, position, closedSec, lastSec: sec }
    this.holdings.set(token, after)
  }

  #count(fill: Fill): void {
    const { totals } = this
    const feeUsd = feeInUsd(fill)
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

/** The first exchange took the fee of a buy in shares. */
function feeInUsd({ order, fee, usd, shares }: Fill): number {
  const isInShares = order.side === 'BUY' && order.exchange.startsWith('v1') && shares > 0
  return isInShares ? Math.round((fee * usd) / shares) : fee
}

/**
 * Everybody's portfolio at a moment that only moves forward: whoever is asked for is booked up to it,
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
    const acts = this.#universe.tape.ofWallet(wallet)
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
