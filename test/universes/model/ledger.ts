import type { Act, ActOf, Convert, Migrate, Redeem, RedeemCombo } from '../../../sim/universe/acts.js'
import type { Token } from '../../../sim/universe/market.js'
import { conversionFee, payoutOf, questionsOf } from '../../../sim/universe/outcomes.js'
import { ZERO } from '../../reconcile/contracts.js'
import type { ModelFill } from '../../trades/fill-model.js'
import {
  buyShares,
  giveShares,
  heldPart,
  type ModelPosition,
  newPosition,
  sellShares,
  takeCost,
} from './position.js'
import type { ShareMove } from './share-moves.js'

/** A profit or a loss that a sale, merge, redemption or conversion realized. */
export type ModelStep = { wallet: string; token: string; amount: bigint; block: number; timeSec: number }

type Place = { block: number; timeSec: number }

/**
 * Who has what, and what it cost. Cost and profit follow from what wallets did, balances from the moves that the
 * contracts of the tokens logged: the two sources have nothing in common.
 */
export class ModelLedger {
  readonly steps: ModelStep[] = []
  readonly #positions = new Map<string, ModelPosition>()
  #place: Place = { block: 0, timeSec: 0 }

  get positions(): ModelPosition[] {
    return [...this.#positions.values()]
  }

  /** Books a transaction: the fills and the act bear cost and profit, the moves are the balances. */
  book(place: Place, act: Act, fills: readonly ModelFill[], moves: readonly ShareMove[]): void {
    this.#place = place
    for (const fill of fills) this.#bookFill(fill)
    this.#bookAct(act)
    this.#bookMoves(moves)
  }

  #bookFill({ maker, token, isSell, shares, usd, shareFee }: ModelFill): void {
    const position = this.#open(maker, token)
    if (isSell) this.#sell(position, shares, usd)
    else buyShares(position, shares - shareFee, usd)
    position.filledSec = this.#place.timeSec
  }

  #bookAct(act: Act): void {
    switch (act.kind) {
      case 'split':
      case 'merge':
        this.#bookSet(act)
        break
      case 'redeem':
        this.#bookRedemption(act)
        break
      case 'redeemCombo':
        this.#bookComboRedemption(act)
        break
      case 'convert':
        this.#bookConversion(act)
        break
      case 'migrate':
        this.#bookMigration(act)
        break
      case 'transfer':
        if (act.from === act.to) break
        for (const { token, amount } of act.shares) {
          giveShares(this.#open(act.from.address, token.decimal), BigInt(amount))
        }
        break
      default:
        // All others bear neither cost nor profit; fills have been booked.
        break
    }
  }

  /** A set is a dollar: half for each outcome, the odd unit for the first. */
  #bookSet({ kind, wallet, market, amount }: ActOf<'split'> | ActOf<'merge'>): void {
    const sets = BigInt(amount)
    const half = sets / 2n
    for (const token of market.tokens) {
      const position = this.#of(wallet, token)
      const usd = token.outcome === 0 ? sets - half : half
      if (kind === 'split') buyShares(position, sets, usd)
      else this.#sell(position, sets, usd)
    }
  }

  #bookRedemption({ wallet, market, amounts, payouts }: Redeem): void {
    for (const token of market.tokens) {
      const amount = amounts[token.outcome]
      if (amount === 0) continue
      const payout = payoutOf(amount, payouts, token.outcome)
      this.#sell(this.#of(wallet, token), BigInt(amount), BigInt(payout))
    }
  }

  #bookComboRedemption({ wallet, token, amount, payouts }: RedeemCombo): void {
    const payout = payoutOf(amount, payouts, token.outcome)
    this.#sell(this.#of(wallet, token), BigInt(amount), BigInt(payout))
  }

  /**
   * The YES tokens take over the cost of the NO tokens, less the money that comes along. As far as the NO tokens bear
   * no cost, nothing is booked. Of an equal division the remainder is the first token's.
   */
  #bookConversion(act: Convert): void {
    const { given, others } = questionsOf(act)
    const amount = BigInt(act.amount)
    const received = BigInt(act.amount - conversionFee(act))
    const cash = received * BigInt(given.length - 1)
    const noes = given.map(({ tokens }) => this.#of(act.wallet, tokens[1]))
    const yeses = others.map(({ tokens }) => this.#of(act.wallet, tokens[0]))
    const held = noes.reduce((sum, position) => sum + heldPart(position, amount), 0n)
    if (held === 0n) return
    const whole = amount * BigInt(noes.length)
    const shares = yeses.length === 0 ? 0n : (received * held) / whole
    if (shares === 0n) {
      const parts = dividedEqually(cash, noes.length)
      for (const [index, position] of noes.entries()) this.#sell(position, amount, parts[index] ?? 0n)
      return
    }
    const cost = noes.reduce((sum, position) => sum + takeCost(position, amount), 0n)
    const parts = dividedEqually(cost - (cash * held) / whole, yeses.length)
    for (const [index, position] of yeses.entries()) buyShares(position, shares, parts[index] ?? 0n)
  }

  /** The new token has the shares and their cost, and is the one that was bought. */
  #bookMigration({ wallet, combo, amounts }: Migrate): void {
    const market = combo.legs[0]?.market
    if (market === undefined) return
    for (const token of market.tokens) {
      if (amounts[token.outcome] === 0) continue
      const [from, to] = [this.#of(wallet, token), this.#of(wallet, combo.tokens[token.outcome])]
      const shares = heldPart(from, BigInt(amounts[token.outcome]))
      const cost = takeCost(from, shares)
      from.bought -= shares
      from.boughtCost -= cost
      buyShares(to, shares, cost)
    }
  }

  /** The net effect of the moves of a transaction: what only passes through a contract changes nothing. */
  #bookMoves(moves: readonly ShareMove[]): void {
    const changes = new Map<ModelPosition, bigint>()
    const change = (wallet: string, token: string, amount: bigint) => {
      if (wallet === ZERO) return
      const position = this.#find(wallet, token)
      changes.set(position, (changes.get(position) ?? 0n) + amount)
    }
    for (const { from, to, token, amount } of moves) {
      change(from, token, -amount)
      change(to, token, amount)
    }
    for (const [position, amount] of changes) {
      if (amount === 0n) continue
      position.balance += amount
      position.lastSec = this.#place.timeSec
    }
  }

  #sell(position: ModelPosition, shares: bigint, usd: bigint): void {
    const { wallet, token } = position
    const amount = sellShares(position, shares, usd)
    if (amount !== 0n) this.steps.push({ wallet, token, amount, ...this.#place })
  }

  #of({ address }: { address: string }, { decimal }: Token): ModelPosition {
    return this.#open(address, decimal)
  }

  /** Of one who acts: the position changes now. */
  #open(wallet: string, token: string): ModelPosition {
    const position = this.#find(wallet, token)
    position.lastSec = this.#place.timeSec
    return position
  }

  #find(wallet: string, token: string): ModelPosition {
    const key = `${wallet} ${token}`
    const known = this.#positions.get(key)
    if (known !== undefined) return known
    const position = newPosition(wallet, token)
    this.#positions.set(key, position)
    return position
  }
}

function dividedEqually(sum: bigint, count: number): bigint[] {
  const part = sum / BigInt(count)
  return Array.from({ length: count }, (_, index) => (index === 0 ? sum - part * BigInt(count - 1) : part))
}
