import type { Act, Era } from './acts.js'
import { Agenda } from './agenda.js'
import { comboBegunBy } from './combos.js'
import type { Fair } from './fair.js'
import type { Ledger } from './ledger.js'
import type { Combo, Market, MarketEvent, Payouts, Token } from './market.js'
import { Oracle, oracleLife } from './oracle.js'
import { collectDelayMs, redeem, redeemCombo } from './redemptions.js'
import type { Wallet } from './wallet.js'

/** Reorganisations reach back at most this far, so older plans are not needed again. */
const PLANS_KEPT_SEC = 900
/** From the result of a market to that of the leg that stands for it. */
const LEG_RESULT_MS = 20_000

type Todo =
  | { kind: 'createWallet'; wallet: Wallet }
  | { kind: 'prepare'; event: MarketEvent }
  | { kind: 'propose' | 'dispute' | 'resolve'; market: Market }
  | { kind: 'redeem'; wallet: Wallet; market: Market }
  | { kind: 'resolveLeg'; market: Market }
  | { kind: 'settleCombo'; combo: Combo }
  | { kind: 'redeemCombo'; wallet: Wallet; token: Token }

type LifeCycleParts = {
  seed: number
  /** Before this moment is the old era. */
  startMs: number
  fair: Fair
  ledger: Ledger
  /** Prices of what is over are not needed any more. */
  onResolved: (of: Market | Combo) => void
}

/** What happens on time: wallets join, questions are asked and answered, and winnings are collected. */
export class LifeCycle {
  readonly #parts: LifeCycleParts
  readonly #agenda = new Agenda<Todo>()
  readonly #oracle: Oracle
  readonly #combos = new Set<Combo>()
  /** Markets that are legs of combos and have no result yet. */
  readonly #legs = new Set<Market>()

  constructor(parts: LifeCycleParts) {
    this.#parts = parts
    this.#oracle = new Oracle(parts.seed, parts.fair)
  }

  planWallet(wallet: Wallet, atMs: number): void {
    this.#agenda.add(atMs, { kind: 'createWallet', wallet })
  }

  planEvent(event: MarketEvent): void {
    this.#agenda.add(event.createdMs, { kind: 'prepare', event })
    for (const market of event.markets) this.#planMarket(market)
  }

  /** Acts that a new combo begins with; its end is planned. */
  begin(combo: Combo): Act[] {
    this.#combos.add(combo)
    this.#agenda.add(combo.resolvesMs, { kind: 'settleCombo', combo })
    const legs = this.#registerLegs(combo)
    return combo.legs.length === 1 ? legs : [...legs, { kind: 'prepareCombo', combo }]
  }

  /** What falls after `fromSec`, up to and including `toSec`. Each act must be done before the next is asked for. */
  *due(fromSec: number, toSec: number): Generator<Act> {
    for (const todo of this.#agenda.due(fromSec, toSec)) yield* this.#fulfil(todo, toSec * 1000)
    this.#agenda.forget(fromSec - PLANS_KEPT_SEC, toSec - PLANS_KEPT_SEC)
  }

  /** Undoes an act whose block was reverted. Plans stay: their acts are requested again. */
  undo(act: Act): void {
    const combo = comboBegunBy(act)
    if (combo !== undefined) this.#combos.delete(combo)
    if (act.kind === 'registerLeg') this.#legs.delete(act.market)
    if (act.kind === 'resolveLeg') this.#legs.add(act.market)
    this.#oracle.undo(act)
  }

  #planMarket(market: Market): void {
    this.#agenda.add(market.resolvesMs, { kind: 'resolve', market })
    const life = oracleLife(this.#parts.seed, market)
    if (life === undefined) return
    if (life.disputed !== undefined) {
      this.#agenda.add(life.disputed.proposedMs, { kind: 'propose', market })
      this.#agenda.add(life.disputed.disputedMs, { kind: 'dispute', market })
    }
    this.#agenda.add(life.proposedMs, { kind: 'propose', market })
  }

  #fulfil(todo: Todo, atMs: number): Act[] {
    switch (todo.kind) {
      case 'createWallet':
        return [{ kind: 'createWallet', wallet: todo.wallet }]
      case 'prepare':
        return this.#oracle.ask(todo.event, this.#era(atMs), atMs / 1000)
      case 'propose':
        return [this.#oracle.propose(todo.market, atMs / 1000)]
      case 'dispute':
        return [this.#oracle.dispute(todo.market, atMs / 1000)]
      case 'resolve':
        return this.#resolve(todo.market, atMs)
      case 'redeem': {
        const { wallet, market } = todo
        return some(redeem(this.#parts.seed, this.#parts.ledger, wallet, market, this.#truth(market)))
      }
      case 'resolveLeg':
        return this.#resolveLeg(todo.market)
      case 'settleCombo':
        this.#settleCombo(todo.combo, atMs)
        return []
      case 'redeemCombo': {
        const { wallet, token } = todo
        return some(redeemCombo(this.#parts.seed, this.#parts.ledger, wallet, token, this.#truth(token.of)))
      }
    }
  }

  #truth(of: Market | Combo): Payouts {
    return this.#parts.fair.truth(of)
  }

  #registerLegs({ legs }: Combo): Act[] {
    const markets = legs.map(({ market }) => market).filter((market) => !this.#legs.has(market))
    for (const market of markets) {
      this.#legs.add(market)
      this.#agenda.add(market.resolvesMs + LEG_RESULT_MS, { kind: 'resolveLeg', market })
    }
    return markets.map((market) => ({ kind: 'registerLeg', market }))
  }

  /** Once, though a reorganisation may have planned it twice. */
  #resolveLeg(market: Market): Act[] {
    if (!this.#legs.delete(market)) return []
    const parked = this.#parts.ledger.parked(market)
    return [{ kind: 'resolveLeg', market, payouts: this.#truth(market), parked }]
  }

  #era(atMs: number): Era {
    return atMs < this.#parts.startMs ? 'v1' : 'v2'
  }

  #resolve(market: Market, atMs: number): Act[] {
    this.#parts.onResolved(market)
    if (this.#parts.ledger.hasSeen(market)) {
      this.#planRedemptions(market, this.#truth(market), atMs)
    }
    return [this.#oracle.resolve(market)]
  }

  #planRedemptions(market: Market, payouts: Payouts, atMs: number): void {
    const holders = new Set(market.tokens.flatMap((token) => [...this.#parts.ledger.holders(token).keys()]))
    for (const wallet of holders) {
      const wins = market.tokens.some(
        (token, outcome) => payouts[outcome] !== 0 && this.#parts.ledger.balance(wallet, token) > 0,
      )
      const delayMs = collectDelayMs(this.#parts.seed, wallet, market, wins)
      if (delayMs === undefined) continue
      this.#agenda.add(earliest(wallet, atMs) + delayMs, { kind: 'redeem', wallet, market })
    }
  }

  /** Its legs have results: those who hold it can collect. */
  #settleCombo(combo: Combo, atMs: number): void {
    // Its block may have been reverted since.
    if (!this.#combos.has(combo)) return
    const payouts = this.#truth(combo)
    this.#parts.onResolved(combo)
    for (const token of combo.tokens) {
      for (const wallet of this.#parts.ledger.holders(token).keys()) {
        const wins = payouts[token.outcome] !== 0
        const delayMs = collectDelayMs(this.#parts.seed, wallet, combo, wins)
        if (delayMs === undefined) continue
        this.#agenda.add(earliest(wallet, atMs) + delayMs, { kind: 'redeemCombo', wallet, token })
      }
    }
  }
}

/** A gift may wait for a wallet that is not there yet. */
const earliest = ({ createdMs }: Wallet, atMs: number): number => Math.max(createdMs, atMs)

const some = (act: Act | undefined): Act[] => (act === undefined ? [] : [act])
