import type { Match } from './acts.js'
import type { Block, Transaction } from './block.js'
import type {
  Coin,
  Combo,
  Market,
  MarketEvent,
  Payouts,
  Series,
  Tag,
  Token,
  Window,
} from './market.js'
import type { Builder, Wallet } from './wallet.js'

export type UniverseEvents = {
  /** A whole second is over: its oracle prices exist. */
  second: (atMs: number) => void
  /** Orders were paired; the block that settles it comes about three seconds later. */
  matched: (tx: Transaction, match: Match) => void
  /** A node shows the transaction as pending. */
  pending: (tx: Transaction) => void
  /** A block became the head. */
  block: (block: Block) => void
  /** Blocks were taken back, the newest first; `block` follows for each that replaces them. */
  reorg: (removed: readonly Block[]) => void
  /** An event can be seen and traded. */
  created: (event: MarketEvent) => void
  /** The payouts of a market are on the chain. */
  resolved: (market: Market) => void
}

export declare class Universe {
  readonly seed: number
  /** First moment of the generated history (after the short V1 era). */
  readonly startMs: number
  /** The present of the universe. */
  readonly nowMs: number
  readonly catalogue: Catalogue
  readonly prices: Prices
  readonly books: Books
  readonly chain: Chain
  readonly tape: Tape
  readonly wallets: readonly Wallet[]
  readonly builders: readonly Builder[]
  walletByAddress(address: string): Wallet | undefined

  /** Lives on to that moment: makes blocks, emits events. */
  advance(toMs: number): void
  /** Replaces the last `depth` blocks by as many others, with other contents. */
  reorg(depth: number): void
  on<Name extends keyof UniverseEvents>(name: Name, listener: UniverseEvents[Name]): () => void

  /** Probability of outcome 0 at that moment, from the prices alone, strictly between 0 and 1. */
  fairAt(of: Market | Combo, atMs: number): number
  /** Payouts once they are on the chain. */
  payouts(of: Market | Combo): Payouts | undefined
}

export declare class Catalogue {
  readonly tags: readonly Tag[]
  readonly series: readonly Series[]
  /** Everything created by now, the newest last. Thousands: filter, page, never copy per request without need. */
  events(): readonly MarketEvent[]
  eventById(id: string): MarketEvent | undefined
  eventBySlug(slug: string): MarketEvent | undefined
  marketById(id: string): Market | undefined
  marketBySlug(slug: string): Market | undefined
  marketByCondition(conditionId: string): Market | undefined
  /** By the decimal id. Combos included. */
  token(decimal: string): Token | undefined
  combos(): readonly Combo[]
}

/** Prices are whole 10^-8 dollars. */
export type Quote = { priceE8: number; bidE8: number; askE8: number }

export declare class Prices {
  /** The oracle's price of a whole second. */
  spot(coin: Coin, sec: number): Quote
  /** Mean of the spot prices of the last `seconds` seconds, `sec` included. */
  twapE8(coin: Coin, sec: number, seconds: number): number
  /** The exchange's price, a little off the oracle's. */
  binanceE8(coin: Coin, sec: number): number
  /** What the window must reach for Up: the settlement price at its start; its end uses the same rule. */
  openE8(window: Window): number
  closeE8(window: Window): number
}

/** Ten-thousandths of a dollar, hundredths of a share. */
export type Level = { priceE4: number; sizeE2: number }
/** Best level first on both sides. The two tokens of a market mirror each other. */
export type Book = {
  token: Token
  bids: readonly Level[]
  asks: readonly Level[]
  tickE4: number
  lastPriceE4: number | undefined
  /** Changes with every version of the book. */
  timestampMs: number
}

export declare class Books {
  /** `undefined` when the market takes no orders: not yet, or no more. */
  book(token: Token): Book | undefined
}

export declare class Chain {
  readonly firstNumber: number
  /** The newest visible block. */
  readonly head: Block
  block(number: number): Block | undefined
  blockByHash(hash: string): Block | undefined
  hashOf(block: Block): string
  parentHashOf(block: Block): string
  /** A transaction in a visible block, or one that is pending. */
  find(hash: string): { tx: Transaction; block: Block | undefined; index: number } | undefined
  /** Newest block that will not be replaced. */
  readonly finalized: Block
}

/** A transaction in its block. */
export type Settled = { tx: Transaction; block: Block }

export type MarketStats = {
  /** One-sided, in micro-dollars. */
  volume: number
  volume24h: number
  trades: number
  lastPriceE4: number | undefined
  /** Complete sets outstanding, in micro-shares. */
  openInterest: number
}

export declare class Tape {
  /** Every settled match so far, oldest first. */
  readonly matches: readonly Settled[]
  /** Matches of a market, oldest first. */
  ofMarket(of: Market | Combo): readonly Settled[]
  /** Everything a wallet did or took part in (as maker or taker), oldest first. */
  ofWallet(wallet: Wallet): readonly Settled[]
  /** Micro-shares of the token that the wallet holds. */
  balance(wallet: Wallet, token: Token): number
  /** Who holds a token, with how much. */
  holders(token: Token): ReadonlyMap<Wallet, number>
  stats(of: Market | Combo): MarketStats
}
