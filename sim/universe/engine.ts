import { binaryConditionOf } from '../contracts/structured-ids.js'
import type { Act, Era } from './acts.js'
import type { Catalogue } from './catalogue.js'
import { OLD_ERA_END_MS, OLD_ERA_START_MS } from './chain.js'
import { comboBegunBy, drawCombo, migratedMarket } from './combos.js'
import { Errands } from './errands.js'
import type { Fair } from './fair.js'
import { COMBO_SHARE, Floor } from './floor.js'
import type { Ledger } from './ledger.js'
import { LifeCycle } from './life-cycle.js'
import { Matching } from './matching.js'
import { drawMigration, migrationOf } from './migrations.js'
import type { Population } from './population.js'
import { restlessness } from './prices.js'
import type { Quotes } from './quotes.js'
import { Rng } from './random.js'
import { Takers } from './takers.js'
import type { Wallet } from './wallet.js'

/** Takers who come by in a second at normal intensity; about half of them trade. */
const VISITORS_PER_SEC = 0.122
const OLD_ERA_VISITORS_PER_SEC = 0.6
/** At the normal share of trades that go to combos. */
const COMBOS_PER_SEC = 0.0012
const MIGRATIONS_PER_SEC = 0.0008
/** Orders are paired about this long before the block that settles them. */
const SETTLEMENT_MS = 3_000
const GAP_SEC_MAX = 4
/** For this long the present is livelier than the past, by these factors: who looks on sees each kind of act soon. */
const LIVELY_MS = 12 * 3_600_000
const LIVELY_TRADES = 4
const LIVELY_ERRANDS = 20
const LIVELY_COMBOS = 10
const LIVELY_COMBO_SHARE = 3
const LIVELY_MIGRATIONS = 40

/** In every `everyBlocks`-th block `factor` times as much is traded. */
export type Bursts = { everyBlocks: number; factor: number }

type EngineParts = {
  seed: number
  intensity: number
  oldEraIntensity: number
  bursts: Bursts | undefined
  comboShare: number
  /** Before this moment is the old era. */
  startMs: number
  /** Before this moment is the past; `undefined`: all of it is. */
  presentMs: number | undefined
  catalogue: Catalogue
  population: Population
  fair: Fair
  quotes: Quotes
  ledger: Ledger
}

/** The stretch of time that a block settles, and which of the possible blocks it is. */
type Moment = { number: number; branch: number; fromSec: number; toSec: number }

/** Decides what happens: the acts of each block, from what came before and the seed. */
export class Engine {
  readonly #parts: EngineParts
  readonly #ledger: Ledger
  readonly #lifeCycle: LifeCycle
  readonly #floor: Floor
  readonly #takers: Takers
  readonly #matching: Matching
  readonly #errands: Errands
  #extendedMs = 0

  constructor(parts: EngineParts) {
    this.#parts = parts
    const { seed, startMs, population, fair, quotes, catalogue, ledger } = parts
    this.#ledger = ledger
    this.#floor = new Floor(catalogue)
    const floor = this.#floor
    this.#takers = new Takers(seed, population, { fair, quotes, ledger, floor })
    this.#matching = new Matching(population, { quotes, ledger })
    this.#errands = new Errands(population, { ledger, floor, matching: this.#matching })
    const onResolved: typeof quotes.forget = (of) => quotes.forget(of)
    this.#lifeCycle = new LifeCycle({ seed, startMs, fair, ledger, onResolved })
    for (const wallet of population.wallets) {
      const atMs = creationMs(wallet, startMs)
      if (atMs !== undefined) this.#lifeCycle.planWallet(wallet, atMs)
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
    for (const act of this.#lifeCycle.due(sinceSec, toSec)) perform([act])

    const rng = new Rng(this.#parts.seed, number, branch)
    const atMs = toSec * 1000 - SETTLEMENT_MS - rng.below(400)
    const era: Era = toSec * 1000 < this.#parts.startMs ? 'v1' : 'v2'
    const seconds = (toSec - sinceSec) * this.#intensityOf(number, era)
    const isLively = this.isLively(toSec * 1000)
    const secondsTimes = (factor: number) => (isLively ? seconds * factor : seconds)
    this.#matching.isLively = isLively
    this.#floor.comboShare = this.#parts.comboShare * (isLively ? LIVELY_COMBO_SHARE : 1)
    this.#trade(rng, era, atMs, secondsTimes(LIVELY_TRADES), perform)
    this.#errands.run(rng, era, atMs, secondsTimes(LIVELY_ERRANDS), perform)
    if (era === 'v2') this.#compose(rng, atMs, secondsTimes(LIVELY_COMBOS), perform)
    if (era === 'v2') this.#migrate(rng, atMs, secondsTimes(LIVELY_MIGRATIONS), perform)
    return acts
  }

  /** Takes back the acts of the newest block. */
  undo(acts: readonly Act[]): void {
    for (const act of acts.toReversed()) {
      this.#ledger.apply(act, -1)
      this.#lifeCycle.undo(act)
      const combo = comboBegunBy(act)
      if (combo !== undefined) this.#parts.catalogue.removeCombo(combo)
    }
  }

  isLively(atMs: number): boolean {
    const { presentMs } = this.#parts
    return presentMs !== undefined && atMs >= presentMs && atMs < presentMs + LIVELY_MS
  }

  #intensityOf(number: number, era: Era): number {
    const { oldEraIntensity, bursts } = this.#parts
    const intensity = era === 'v1' ? oldEraIntensity : this.#parts.intensity
    return bursts !== undefined && number % bursts.everyBlocks === 0 ? intensity * bursts.factor : intensity
  }

  #trade(rng: Rng, era: Era, atMs: number, seconds: number, perform: (acts: Act[]) => void): void {
    const rate = era === 'v1' ? OLD_ERA_VISITORS_PER_SEC : VISITORS_PER_SEC * restlessness(atMs / 1000)
    for (let visitors = rng.poisson(rate * seconds); visitors > 0; visitors--) {
      const intent = era === 'v1' ? this.#takers.nextInOldEra(rng, atMs) : this.#takers.next(rng, atMs)
      if (intent !== undefined) perform(this.#matching.make(rng, intent, era, atMs))
    }
  }

  #compose(rng: Rng, atMs: number, seconds: number, perform: (acts: Act[]) => void): void {
    const rate = COMBOS_PER_SEC * (this.#parts.comboShare / COMBO_SHARE)
    for (let count = rng.poisson(rate * seconds); count > 0; count--) {
      const combo = drawCombo(rng, this.#floor, this.#parts.fair, atMs)
      if (combo === undefined || this.#parts.catalogue.comboByCondition(combo.conditionId)) continue
      this.#parts.catalogue.addCombo(combo)
      perform(this.#lifeCycle.begin(combo))
      const intent = this.isLively(atMs) ? this.#takers.firstOf(rng, combo, atMs) : undefined
      if (intent !== undefined) perform(this.#matching.make(rng, intent, 'v2', atMs))
    }
  }

  #migrate(rng: Rng, atMs: number, seconds: number, perform: (acts: Act[]) => void): void {
    const { catalogue, fair } = this.#parts
    for (let count = rng.poisson(MIGRATIONS_PER_SEC * seconds); count > 0; count--) {
      const move = drawMigration(rng, this.#floor, this.#ledger, atMs)
      if (move === undefined) continue
      const { market } = move
      const known = catalogue.comboByCondition(binaryConditionOf(market.conditionId))
      const combo = known ?? migratedMarket(market, fair, atMs)
      if (known === undefined) {
        catalogue.addCombo(combo)
        perform(this.#lifeCycle.begin(combo))
      }
      perform([migrationOf(this.#ledger, move, combo, known === undefined)])
    }
  }

  /** Opens what is created by then and plans its life. A stretch that is lived again finds it planned already. */
  #extend(toMs: number): void {
    if (toMs <= this.#extendedMs) return
    this.#extendedMs = toMs
    for (const event of this.#parts.catalogue.extendTo(toMs)) {
      this.#floor.open(event)
      this.#lifeCycle.planEvent(event)
    }
  }
}

/**
 * When the creation of the wallet is logged. Those that are older than the history appear in the old
 * era: a reader of the whole chain knows the owner of every wallet. Deposit wallets came later; their
 * code names the owner. `undefined`: never.
 */
function creationMs({ kind, createdMs, index }: Wallet, startMs: number): number | undefined {
  if (kind === 'eoa') return undefined
  if (createdMs >= startMs) return createdMs
  if (kind === 'deposit') return undefined
  const eraMs = OLD_ERA_END_MS - OLD_ERA_START_MS
  return OLD_ERA_START_MS + ((index * 1_000) % eraMs)
}
