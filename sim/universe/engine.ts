import { keccakText } from '../contracts/keccak.js'
import type { Act, Era, OraclePrice } from './acts.js'
import { Agenda } from './agenda.js'
import type { Catalogue } from './catalogue.js'
import { drawCombo } from './combos.js'
import { Errands } from './errands.js'
import type { Fair } from './fair.js'
import { Floor } from './floor.js'
import type { Ledger } from './ledger.js'
import type { Combo, Market, MarketEvent, Payouts, Token } from './market.js'
import { Matching } from './matching.js'
import { oracleLife } from './oracle-life.js'
import type { Population } from './population.js'
import { restlessness } from './prices.js'
import type { Quotes } from './quotes.js'
import { Rng } from './random.js'
import { collectDelayMs, redeem, redeemCombo } from './redemptions.js'
import { Takers } from './takers.js'
import type { Wallet } from './wallet.js'

/** Takers who come by in a second at normal intensity; about half of them trade. */
const VISITORS_PER_SEC = 0.14
const OLD_ERA_VISITORS_PER_SEC = 0.6
const COMBOS_PER_SEC = 0.0012
/** Orders are paired about this long before the block that settles them. */
export const SETTLEMENT_MS = 3_000
/** Reorganisations reach back at most this far, so older plans are not needed again. */
const AGENDA_KEPT_SEC = 900
const GAP_SEC_MAX = 4
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

export type EngineParts = {
  seed: number
  intensity: number
  /** Before this moment is the old era. */
  startMs: number
  catalogue: Catalogue
  population: Population
  fair: Fair
  quotes: Quotes
  ledger: Ledger
}

/** The stretch of time that a block settles, and which of the possible blocks it is. */
export type Moment = { number: number; branch: number; fromSec: number; toSec: number }

/** Decides what happens: the acts of each block, from what came before and the seed. */
export class Engine {
  readonly #parts: EngineParts
  readonly #ledger: Ledger
  readonly #agenda = new Agenda<Todo>()
  readonly #floor: Floor
  readonly #takers: Takers
  readonly #matching: Matching
  readonly #errands: Errands
  /** Markets that are legs of combos and have no result yet. */
  readonly #legs = new Set<Market>()
  #extendedMs = 0

  constructor(parts: EngineParts) {
    this.#parts = parts
    const { seed, population, fair, quotes, catalogue, ledger } = parts
    this.#ledger = ledger
    this.#floor = new Floor(catalogue)
    const floor = this.#floor
    this.#takers = new Takers(seed, population, { fair, quotes, ledger, floor })
    this.#matching = new Matching(population, { quotes, ledger })
    this.#errands = new Errands(population, { ledger, floor })
    for (const wallet of population.wallets) {
      const isNew = wallet.createdMs >= parts.startMs && wallet.kind !== 'eoa'
      if (isNew) this.#agenda.add(wallet.createdMs, { kind: 'createWallet', wallet })
    }
  }

  /** What happens in the block, in order. */
  live({ number, branch, fromSec, toSec }: Moment): Act[] {
    this.#extend(toSec * 1000)
    const acts: Act[] = []
    const perform = (more: readonly Act[]) => {
      for (const act of more) {
        this.#ledger.apply(act, 1)
        acts.push(act)
      }
    }
    // The first block after the old era comes months after the one before; nothing happened between them.
    const sinceSec = Math.max(fromSec, toSec - GAP_SEC_MAX)
    for (const todo of this.#agenda.due(sinceSec, toSec)) perform(this.#fulfil(todo, toSec * 1000))
    this.#agenda.forget(sinceSec - AGENDA_KEPT_SEC, toSec - AGENDA_KEPT_SEC)

    const rng = new Rng(this.#parts.seed, number, branch)
    const atMs = toSec * 1000 - SETTLEMENT_MS - rng.below(400)
    const era: Era = toSec * 1000 < this.#parts.startMs ? 'v1' : 'v2'
    const seconds = (toSec - sinceSec) * this.#parts.intensity
    this.#trade(rng, era, atMs, seconds, perform)
    this.#errands.run(rng, era, atMs, seconds, perform)
    if (era === 'v2') this.#compose(rng, atMs, seconds, perform)
    return acts
  }

  /** Takes back the acts of the newest block. */
  undo(acts: readonly Act[]): void {
    for (const act of acts.toReversed()) {
      this.#ledger.apply(act, -1)
      if (act.kind === 'prepareCombo') this.#parts.catalogue.removeCombo(act.combo)
      if (act.kind === 'registerLeg') this.#legs.delete(act.market)
      if (act.kind === 'resolveLeg') this.#legs.add(act.market)
    }
  }

  #trade(rng: Rng, era: Era, atMs: number, seconds: number, perform: (acts: Act[]) => void): void {
    const rate =
      era === 'v1' ? OLD_ERA_VISITORS_PER_SEC : VISITORS_PER_SEC * restlessness(atMs / 1000)
    for (let visitors = rng.poisson(rate * seconds); visitors > 0; visitors--) {
      const intent =
        era === 'v1' ? this.#takers.nextInOldEra(rng, atMs) : this.#takers.next(rng, atMs)
      if (intent !== undefined) perform(this.#matching.make(rng, intent, era, atMs))
    }
  }

  #compose(rng: Rng, atMs: number, seconds: number, perform: (acts: Act[]) => void): void {
    for (let count = rng.poisson(COMBOS_PER_SEC * seconds); count > 0; count--) {
      const combo = drawCombo(rng, this.#floor, this.#parts.fair, atMs)
      if (combo === undefined || this.#parts.catalogue.hasCombo(combo.conditionId)) continue
      this.#parts.catalogue.addCombo(combo)
      this.#agenda.add(combo.resolvesMs, { kind: 'settleCombo', combo })
      perform([...this.#registerLegs(combo), { kind: 'prepareCombo', combo }])
    }
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
    return [{ kind: 'resolveLeg', market, payouts: this.#truth(market) }]
  }

  /** Opens what is created by then and plans its life. A stretch that is lived again finds it planned already. */
  #extend(toMs: number): void {
    if (toMs <= this.#extendedMs) return
    this.#extendedMs = toMs
    for (const event of this.#parts.catalogue.extendTo(toMs)) {
      this.#floor.open(event)
      this.#agenda.add(event.createdMs, { kind: 'prepare', event })
      for (const market of event.markets) this.#plan(market)
    }
  }

  #plan(market: Market): void {
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
        return this.#prepare(todo.event, atMs)
      case 'propose':
        return [{ kind: 'propose', market: todo.market, ...this.#answer(todo.market) }]
      case 'dispute':
        return [{ kind: 'dispute', market: todo.market, ...this.#answer(todo.market) }]
      case 'resolve':
        return this.#resolve(todo.market, atMs)
      case 'redeem': {
        const { wallet, market } = todo
        return some(redeem(this.#parts.seed, this.#ledger, wallet, market, this.#truth(market)))
      }
      case 'resolveLeg':
        return this.#resolveLeg(todo.market)
      case 'settleCombo':
        this.#settleCombo(todo.combo, atMs)
        return []
      case 'redeemCombo': {
        const { wallet, token } = todo
        return some(
          redeemCombo(this.#parts.seed, this.#ledger, wallet, token, this.#truth(token.of)),
        )
      }
    }
  }

  #truth(of: Market | Combo): Payouts {
    return this.#parts.fair.truth(of)
  }

  #prepare(event: MarketEvent, atMs: number): Act[] {
    const era: Era = atMs < this.#parts.startMs ? 'v1' : 'v2'
    const markets = event.markets.map((market): Act => ({ kind: 'prepareMarket', era, market }))
    return event.negRisk === undefined ? markets : [{ kind: 'prepareEvent', event }, ...markets]
  }

  #answer(market: Market): { price: OraclePrice; proposer: string; disputer: string } {
    const [first, second] = this.#truth(market)
    const price = first === second ? 0.5 : first > second ? 1 : 0
    const proposer = stranger(`proposer:${Number(market.id) % 7}`)
    return { price, proposer, disputer: stranger(`disputer:${Number(market.id) % 3}`) }
  }

  #resolve(market: Market, atMs: number): Act[] {
    const payouts = this.#truth(market)
    const { proposer, disputer } = this.#answer(market)
    this.#parts.quotes.forget(market)
    if (this.#ledger.hasSeen(market)) this.#planRedemptions(market, payouts, atMs)
    const doubter = oracleLife(this.#parts.seed, market)?.disputed === undefined ? '' : disputer
    return [{ kind: 'resolve', market, payouts, proposer, disputer: doubter }]
  }

  #planRedemptions(market: Market, payouts: Payouts, atMs: number): void {
    const holders = new Set(
      market.tokens.flatMap((token) => [...this.#ledger.holders(token).keys()]),
    )
    for (const wallet of holders) {
      const wins = market.tokens.some(
        (token, outcome) => payouts[outcome] !== 0 && this.#ledger.balance(wallet, token) > 0,
      )
      const delayMs = collectDelayMs(this.#parts.seed, wallet, market, wins)
      if (delayMs !== undefined)
        this.#agenda.add(atMs + delayMs, { kind: 'redeem', wallet, market })
    }
  }

  /** Its legs have results: those who hold it can collect. */
  #settleCombo(combo: Combo, atMs: number): void {
    // Its block may have been taken back since.
    if (!this.#parts.catalogue.hasCombo(combo.conditionId)) return
    const payouts = this.#truth(combo)
    this.#parts.quotes.forget(combo)
    for (const token of combo.tokens) {
      for (const wallet of this.#ledger.holders(token).keys()) {
        const wins = payouts[token.outcome] !== 0
        const delayMs = collectDelayMs(this.#parts.seed, wallet, combo, wins)
        if (delayMs === undefined) continue
        this.#agenda.add(atMs + delayMs, { kind: 'redeemCombo', wallet, token })
      }
    }
  }
}

const some = (act: Act | undefined): Act[] => (act === undefined ? [] : [act])

/** An address of nobody we know. */
export const stranger = (name: string): string => `0x${keccakText(name).slice(24)}`
