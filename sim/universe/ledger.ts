import {
  type Act,
  type Convert,
  type Fill,
  isV1,
  type Match,
  type Micros,
  type Migrate,
  type Redeem,
  type RedeemCombo,
} from './acts.js'
import type { Combo, Market, Token } from './market.js'
import { conversionFee, payoutOf, payoutOfBoth, questionsOf } from './outcomes.js'
import type { Wallet } from './wallet.js'

/**
 * Who has how much: shares by token and wallet, and pUSD by wallet. Every act moves it by amounts that
 * follow from the act alone, so taking an act back is applying it with the sign turned round.
 */
export class Ledger {
  readonly #holders = new Map<Token, Map<Wallet, Micros>>()
  readonly #holdings = new Map<Wallet, Map<Token, Micros>>()
  readonly #cash = new Map<Wallet, Micros>()
  readonly #seen = new Set<Market | Combo>()
  readonly #parked = new Map<Market, readonly [Micros, Micros]>()

  balance(wallet: Wallet, token: Token): Micros {
    return this.#holders.get(token)?.get(wallet) ?? 0
  }

  holders(token: Token): ReadonlyMap<Wallet, Micros> {
    return this.#holders.get(token) ?? NO_HOLDERS
  }

  /** Tokens that the wallet has any of. */
  holdings(wallet: Wallet): ReadonlyMap<Token, Micros> {
    return this.#holdings.get(wallet) ?? NOTHING
  }

  /** Whether any wallet ever had shares of it. Asking for its holders would derive its tokens first. */
  hasSeen(of: Market | Combo): boolean {
    return this.#seen.has(of)
  }

  cash(wallet: Wallet): Micros {
    return this.#cash.get(wallet) ?? 0
  }

  /** Shares of the market, by outcome, that the module of migrations has. */
  parked(market: Market): readonly [Micros, Micros] {
    return this.#parked.get(market) ?? NONE_PARKED
  }

  /** `sign` -1 takes the act back. */
  apply(act: Act, sign: 1 | -1): void {
    switch (act.kind) {
      case 'match':
        this.#applyMatch(act, sign)
        break
      case 'deposit':
        this.#pay(act.wallet, sign * act.amount)
        break
      case 'withdraw':
        this.#pay(act.wallet, -sign * act.amount)
        break
      case 'split':
      case 'merge':
        this.#applySets(act.wallet, act.market, act, sign)
        break
      case 'redeem':
        this.#applyRedeem(act, sign)
        break
      case 'redeemCombo':
        this.#applyRedeemCombo(act, sign)
        break
      case 'convert':
        this.#applyConvert(act, sign)
        break
      case 'transfer':
        for (const { token, amount } of act.shares) {
          this.#give(act.from, token, -sign * amount)
          this.#give(act.to, token, sign * amount)
        }
        break
      case 'migrate':
        this.#applyMigrate(act, sign)
        break
      case 'resolveLeg':
        this.#park(act.market, -sign * act.parked[0], -sign * act.parked[1])
        break
      default:
        // Wallets, questions and answers move nothing.
        break
    }
  }

  #applyMatch({ exchange, taker, makers }: Match, sign: 1 | -1): void {
    const isOld = isV1(exchange)
    for (const fill of makers) this.#applyFill(fill, sign, isOld)
    this.#applyFill(taker, sign, isOld)
  }

  #applyFill({ order, shares, usd, fee, refund }: Fill, sign: 1 | -1, isOld: boolean) {
    const { wallet, token, side } = order
    const buys = side === 'BUY'
    // The first exchange took the fee of a buyer in shares.
    const shareFee = isOld && buys ? fee - refund : 0
    this.#give(wallet, token, sign * (buys ? shares - shareFee : -shares))
    if (!isOld) this.#pay(wallet, sign * (buys ? -usd - fee : usd - fee))
  }

  #applySets(
    wallet: Wallet,
    market: Market,
    act: { kind: 'split' | 'merge'; era: 'v1' | 'v2'; amount: Micros },
    sign: 1 | -1,
  ): void {
    const amount = act.kind === 'split' ? sign * act.amount : -sign * act.amount
    for (const token of market.tokens) this.#give(wallet, token, amount)
    if (act.era === 'v2') this.#pay(wallet, -amount)
  }

  #applyRedeem(act: Redeem, sign: 1 | -1): void {
    const { wallet, market, amounts, payouts, route } = act
    market.tokens.forEach((token, outcome) => {
      this.#give(wallet, token, -sign * (amounts[outcome] ?? 0))
    })
    // Who asks the contracts directly gets the collateral inside them, not pUSD.
    if (route !== 'direct') this.#pay(wallet, sign * payoutOfBoth(amounts, payouts))
  }

  #applyRedeemCombo(act: RedeemCombo, sign: 1 | -1): void {
    const { wallet, token, amount, payouts } = act
    this.#give(wallet, token, -sign * amount)
    this.#pay(wallet, sign * payoutOf(amount, payouts, token.outcome))
  }

  #applyConvert(act: Convert, sign: 1 | -1): void {
    const { wallet, amount } = act
    const { given, others } = questionsOf(act)
    const received = amount - conversionFee(act)
    for (const { tokens } of given) this.#give(wallet, tokens[1], -sign * amount)
    for (const { tokens } of others) this.#give(wallet, tokens[0], sign * received)
    if (act.route === 'adapter') this.#pay(wallet, sign * received * (given.length - 1))
  }

  #applyMigrate({ wallet, combo, amounts, merged }: Migrate, sign: 1 | -1): void {
    const market = combo.legs[0]?.market
    if (market === undefined) return
    for (const { outcome } of market.tokens) {
      this.#give(wallet, market.tokens[outcome], -sign * amounts[outcome])
      this.#give(wallet, combo.tokens[outcome], sign * amounts[outcome])
    }
    this.#park(market, sign * (amounts[0] - merged), sign * (amounts[1] - merged))
  }

  #park(market: Market, first: Micros, second: Micros): void {
    const parked = this.parked(market)
    this.#parked.set(market, [parked[0] + first, parked[1] + second])
  }

  #give(wallet: Wallet, token: Token, amount: Micros): void {
    if (amount === 0) return
    this.#seen.add(token.of)
    const next = this.balance(wallet, token) + amount
    set(this.#holders, token, wallet, next)
    set(this.#holdings, wallet, token, next)
  }

  #pay(wallet: Wallet, amount: Micros): void {
    this.#cash.set(wallet, this.cash(wallet) + amount)
  }
}

const NONE_PARKED = [0, 0] as const
const NO_HOLDERS: ReadonlyMap<Wallet, Micros> = new Map()
const NOTHING: ReadonlyMap<Token, Micros> = new Map()

/** Keeps no zeros: who has none of a token is not in its map. */
function set<Outer, Inner>(
  table: Map<Outer, Map<Inner, Micros>>,
  outer: Outer,
  inner: Inner,
  amount: Micros,
): void {
  let row = table.get(outer)
  if (row === undefined) {
    row = new Map()
    table.set(outer, row)
  }
  if (amount === 0) {
    row.delete(inner)
    if (row.size === 0) table.delete(outer)
  } else {
    row.set(inner, amount)
  }
}
