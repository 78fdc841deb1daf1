import type { Act, Match } from './acts.js'
import type { Block, Transaction } from './block.js'
import type { Ledger } from './ledger.js'
import type { Combo, Market, Outcome, Token } from './market.js'
import { WHOLE_E4 } from './quotes.js'
import type { Wallet } from './wallet.js'

/** A transaction in its block. */
export type Settled = { tx: Transaction; block: Block }
export type SettledMatch = { tx: Transaction & { act: Match }; block: Block }

/** What the visible blocks say, by market and by wallet. */
export class SettledActs {
  /** Every settled match so far, oldest first. */
  readonly matches: SettledMatch[] = []
  readonly #ledger: Ledger
  readonly #ahead: Ledger
  readonly #byMarket = new Map<Market | Combo, SettledMatch[]>()
  readonly #byWallet = new Map<Wallet, Settled[]>()
  readonly #volumes = new Map<Market | Combo, number>()

  /** `ahead` is what `ledger` has from blocks that are not visible yet. */
  constructor(ledger: Ledger, ahead: Ledger) {
    this.#ledger = ledger
    this.#ahead = ahead
  }

  append(block: Block): void {
    for (const tx of block.transactions) {
      const settled: Settled = { tx, block }
      for (const wallet of involved(tx.act)) push(this.#byWallet, wallet, settled)
      if (isMatch(settled)) this.#appendMatch(settled)
    }
  }

  /** Takes back the newest block. */
  remove(block: Block): void {
    for (const { act } of block.transactions.toReversed()) {
      for (const wallet of involved(act)) this.#byWallet.get(wallet)?.pop()
      if (act.kind === 'match') {
        this.matches.pop()
        this.#byMarket.get(act.of)?.pop()
        this.#volumes.set(act.of, this.volume(act.of) - act.taker.usd)
      }
    }
  }

  /** Matches of a market, oldest first. */
  ofMarket(of: Market | Combo): readonly SettledMatch[] {
    return this.#byMarket.get(of) ?? []
  }

  /** Everything a wallet did or took part in, oldest first. */
  ofWallet(wallet: Wallet): readonly Settled[] {
    return this.#byWallet.get(wallet) ?? []
  }

  /** Micro-shares of the token that the wallet holds. */
  balance(wallet: Wallet, token: Token): number {
    return this.#ledger.balance(wallet, token) - this.#ahead.balance(wallet, token)
  }

  /** Micro-dollars of pUSD that the wallet has. */
  cash(wallet: Wallet): number {
    return this.#ledger.cash(wallet) - this.#ahead.cash(wallet)
  }

  /** Who holds a token, with how much. */
  holders(token: Token): ReadonlyMap<Wallet, number> {
    const changes = this.#ahead.holders(token)
    if (changes.size === 0) return this.#ledger.holders(token)
    const holders = new Map(this.#ledger.holders(token))
    for (const [wallet, change] of changes) {
      const held = (holders.get(wallet) ?? 0) - change
      if (held === 0) holders.delete(wallet)
      else holders.set(wallet, held)
    }
    return holders
  }

  /** One-sided, in micro-dollars. */
  volume(of: Market | Combo): number {
    return this.#volumes.get(of) ?? 0
  }

  /** The part of it that was traded at that second or later. */
  volumeSince(of: Market | Combo, sec: number): number {
    const matches = this.ofMarket(of)
    let volume = 0
    for (let index = matches.length - 1; index >= 0; index--) {
      const settled = matches[index]
      if (settled === undefined || settled.block.timestampSec < sec) break
      volume += settled.tx.act.taker.usd
    }
    return volume
  }

  /** Micro-shares of an outcome that all wallets hold. Before the result that is how many sets there are. */
  outstanding(of: Market | Combo, outcome: Outcome): number {
    // Deriving the tokens of a market that no wallet has shares of would be work for nothing.
    if (!this.#ledger.hasSeen(of)) return 0
    let sum = 0
    for (const amount of this.holders(of.tokens[outcome]).values()) sum += amount
    return sum
  }

  /** Of outcome 0. */
  lastPriceE4(of: Market | Combo): number | undefined {
    const last = this.ofMarket(of).at(-1)?.tx.act.taker
    if (last === undefined) return undefined
    const priceE4 = Math.round((last.usd / last.shares) * WHOLE_E4)
    return last.order.token.outcome === 0 ? priceE4 : WHOLE_E4 - priceE4
  }

  #appendMatch(settled: SettledMatch): void {
    const match = settled.tx.act
    this.matches.push(settled)
    push(this.#byMarket, match.of, settled)
    this.#volumes.set(match.of, this.volume(match.of) + match.taker.usd)
  }
}

const isMatch = (settled: Settled): settled is SettledMatch => settled.tx.act.kind === 'match'

/** Each wallet once, even one that owns several orders of a match. */
function involved(act: Act): Iterable<Wallet> {
  switch (act.kind) {
    case 'match':
      return new Set([act.taker, ...act.makers].map(({ order }) => order.wallet))
    case 'transfer':
      return [act.from, act.to]
    default:
      return 'wallet' in act ? [act.wallet] : []
  }
}

function push<Key, Item>(table: Map<Key, Item[]>, key: Key, item: Item): void {
  const items = table.get(key)
  if (items === undefined) table.set(key, [item])
  else items.push(item)
}
