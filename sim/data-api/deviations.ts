import { isBet } from '../markets/names.js'
import type { Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Wallet } from '../universe/wallet.js'
import { type Holding, Portfolios } from './portfolio.js'
import type { Position } from './positions.js'
import { fillsOf } from './steps.js'

/**
 * Where the Data API says something else than the chain, as the venue's does here and there. All of it is in the
 * positions and trades of a wallet that is asked for; boards, sums and feeds of markets are exact.
 *
 * - `unindexed_close`: a position is gone, and is in no list: neither among the open ones nor among the closed.
 *   The venue catches up with some closings days later, or never.
 * - `stale_size`: shares came or went by a plain transfer, and the position is shown as it was before. The
 *   venue's index follows trades and settlements; it sees a transfer with the next act of the same token.
 * - `fee_in_average`: the average price has the fees of the buys in it, though it is said to be without them.
 * - `repeated_trade`: one fill is listed twice, as happens when the venue indexes a block again.
 *
 * Which wallet has which follows from its address, so an operator sees the same on every start.
 */
type Kind = 'unindexed_close' | 'stale_size' | 'fee_in_average' | 'repeated_trade'

/** Each kind has one of 64 wallets. Few get a gift at all, so a quarter of those who do go for `stale_size`. */
const WALLETS_PER_KIND = 64
const STALE_FROM = 48
/** For how many shares a dollar of fees is, at most. */
const FEE_SHARES_MAX = 1_000n
/** One of four positions or trades of such a wallet, where a kind does not say which. */
const ROWS_PER_DEVIATION = 4

function kindOf({ address }: Wallet): Kind | undefined {
  const number = Number.parseInt(address.slice(-4), 16) % WALLETS_PER_KIND
  if (number >= STALE_FROM) return 'stale_size'
  return (['unindexed_close', 'fee_in_average', 'repeated_trade'] as const)[number]
}

export const isUnindexed = (wallet: Wallet, token: Token, { position }: Holding): boolean =>
  kindOf(wallet) === 'unindexed_close' &&
  position.bought > 0n &&
  position.balance === 0n &&
  token.id % BigInt(ROWS_PER_DEVIATION) === 0n

/** The position as the Data API has it. */
export function shownPosition(wallet: Wallet, holding: Holding): Position {
  const { position, beforeTransfer } = holding
  switch (kindOf(wallet)) {
    case 'stale_size':
      return beforeTransfer ?? position
    case 'fee_in_average':
      return hasFeeInAverage(holding) ? { ...position, cost: position.cost + holding.entryFees } : position
    default:
      return position
  }
}

/**
 * Open ones alone of which nothing was sold: the fees of the buys are then those of the shares that are left. And
 * only those of a tenth of a cent for each share or more: less would pass for rounding.
 */
const hasFeeInAverage = ({ position, entryFees }: Holding): boolean =>
  position.held > 0n && position.held === position.bought && entryFees * FEE_SHARES_MAX >= position.held

/** Whether the trades of the wallet in this transaction are listed twice when it is asked for. */
export const isRepeated = (wallet: Wallet, transactionHash: string): boolean =>
  kindOf(wallet) === 'repeated_trade' &&
  Number.parseInt(transactionHash.slice(-4), 16) % ROWS_PER_DEVIATION === 0

/** A position by its token, or a trade by its transaction. */
export type Deviation =
  | { kind: Exclude<Kind, 'repeated_trade'>; token: Token }
  | { kind: 'repeated_trade'; token: Token; transactionHash: string }

/** All that a reader who compares the wallet's positions and trades with the chain must find. */
export function listDeviations(universe: Universe, wallet: Wallet): Deviation[] {
  const kind = kindOf(wallet)
  if (kind === undefined) return []
  if (kind === 'repeated_trade') return listRepeated(universe, wallet)
  return [...new Portfolios(universe).of(wallet).holdings]
    .filter(
      ([token, holding]) =>
        !isBet(token.of) &&
        (isUnindexed(wallet, token, holding) || differs(shownPosition(wallet, holding), holding.position)),
    )
    .map(([token]) => ({ kind, token }))
}

/** Transfers can bring back what others took. */
const differs = (a: Position, b: Position): boolean =>
  a.balance !== b.balance || a.held !== b.held || a.cost !== b.cost

function listRepeated({ settledActs }: Universe, wallet: Wallet): Deviation[] {
  return settledActs.ofWallet(wallet).flatMap(({ tx: { act, hash } }) => {
    if (act.kind !== 'match' || !isRepeated(wallet, hash)) return []
    return fillsOf(act, wallet).map(({ order }) => ({
      kind: 'repeated_trade' as const,
      token: order.token,
      transactionHash: hash,
    }))
  })
}
