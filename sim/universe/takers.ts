import type { Side } from './acts.js'
import type { Fair } from './fair.js'
import { type Floor, isOpen } from './floor.js'
import type { Ledger } from './ledger.js'
import type { Combo, Market, Outcome, Token } from './market.js'
import { otherOutcome, winnerOf } from './outcomes.js'
import { habit, type Population } from './population.js'
import type { Quotes } from './quotes.js'
import { Lottery, type Rng } from './random.js'
import type { Character, Wallet } from './wallet.js'

/** What a taker wants to do right now. */
export type Intent = {
  wallet: Wallet
  of: Market | Combo
  outcome: Outcome
  side: Side
  /** Hundredths of a share. */
  sizeE2: number
}

type Manner = {
  /** Part of all taking that these do. */
  share: number
  /** Typical order, and how often they get out instead of in. */
  usd: number
  sells: number
}

const MANNERS: Record<Character, Manner> = {
  maker: { share: 2, usd: 60, sells: 0.5 },
  momentum: { share: 22, usd: 40, sells: 0.4 },
  whale: { share: 3, usd: 2_500, sells: 0.12 },
  arbitrageur: { share: 5, usd: 150, sells: 0.3 },
  sniper: { share: 12, usd: 120, sells: 0.25 },
  copier: { share: 8, usd: 25, sells: 0.1 },
  holder: { share: 6, usd: 80, sells: 0.03 },
  casual: { share: 30, usd: 12, sells: 0.2 },
  loser: { share: 12, usd: 15, sells: 0.45 },
}

const SIZE_E2_MIN = 500
/** How far ahead the fast ones seem to see: they read the exchanges before the oracle moves. */
const SNIPER_SIGHT_MS = 9_000
const MOMENTUM_LOOK_MS = 30_000
/** How often a whale is better informed than the market. */
const WHALE_EDGE = 0.6
const LEADERS_KEPT = 16
const LEADER_MS_MAX = 90_000

type Parts = { fair: Fair; quotes: Quotes; ledger: Ledger; floor: Floor }

/** The traders who take: who comes next, and what that one wants. */
export class Takers {
  readonly #seed: number
  readonly #parts: Parts
  readonly #lottery: Lottery<Wallet>
  /** Trades of whales and snipers that copiers have an eye on. */
  readonly #leaders: { intent: Intent; atMs: number }[] = []

  constructor(seed: number, population: Population, parts: Parts) {
    this.#seed = seed
    this.#parts = parts
    const characters = Object.keys(MANNERS) as Character[]
    const ranks = new Map(characters.map((character) => [character, rankWeights(character, population)]))
    this.#lottery = new Lottery(population.wallets, ({ character }) => ranks.get(character)?.pop() ?? 0)
  }

  /** `undefined` when the one who came has no reason to trade. */
  next(rng: Rng, atMs: number): Intent | undefined {
    const wallet = this.#lottery.draw(rng)
    if (wallet.createdMs > atMs) return undefined
    const intent = this.#exit(rng, wallet, atMs) ?? this.#entry(rng, wallet, atMs)
    if (intent !== undefined && (wallet.character === 'whale' || wallet.character === 'sniper')) {
      this.#leaders.push({ intent, atMs })
      if (this.#leaders.length > LEADERS_KEPT) this.#leaders.shift()
    }
    return intent
  }

  /** Who had the combo made buys of it first. */
  firstOf(rng: Rng, combo: Combo, atMs: number): Intent | undefined {
    const wallet = this.#lottery.draw(rng)
    if (wallet.createdMs > atMs) return undefined
    const outcome = this.#choose(rng, wallet.character, combo, atMs)
    return outcome === undefined ? undefined : this.#buy(rng, wallet, combo, outcome, atMs)
  }

  /** In the old era only what lasts could be traded, and only bought or sold on a whim. */
  nextInOldEra(rng: Rng, atMs: number): Intent | undefined {
    const wallet = this.#lottery.draw(rng)
    const market = this.#parts.floor.drawTopic(rng, atMs)
    if (market === undefined || wallet.createdMs > atMs) return undefined
    return this.#exit(rng, wallet, atMs) ?? this.#buy(rng, wallet, market, rng.chance(0.5) ? 0 : 1, atMs)
  }

  #exit(rng: Rng, wallet: Wallet, atMs: number): Intent | undefined {
    if (!rng.chance(MANNERS[wallet.character].sells)) return undefined
    const { ledger } = this.#parts
    const holdings = ledger.holdings(wallet)
    const token = nth(holdings.keys(), rng.below(Math.min(12, holdings.size)))
    if (token === undefined || !isTradable(token, atMs)) return undefined
    const heldE2 = Math.floor(ledger.balance(wallet, token) / 10_000)
    const sizeE2 = rng.chance(0.6) ? heldE2 : Math.floor(heldE2 / 2)
    if (sizeE2 < SIZE_E2_MIN) return undefined
    return { wallet, of: token.of, outcome: token.outcome, side: 'SELL', sizeE2 }
  }

  #entry(rng: Rng, wallet: Wallet, atMs: number): Intent | undefined {
    if (wallet.character === 'copier') return this.#copy(rng, wallet, atMs)
    const { floor } = this.#parts
    const of = wallet.character === 'sniper' ? floor.drawWindow(rng, atMs) : floor.draw(rng, atMs)
    if (of === undefined) return undefined
    const outcome = this.#choose(rng, wallet.character, of, atMs)
    return outcome === undefined ? undefined : this.#buy(rng, wallet, of, outcome, atMs)
  }

  #copy(rng: Rng, wallet: Wallet, atMs: number): Intent | undefined {
    const leader = this.#leaders[rng.below(this.#leaders.length)]
    if (leader === undefined || leader.intent.side === 'SELL') return undefined
    const { of, outcome } = leader.intent
    const isFresh = atMs - leader.atMs < LEADER_MS_MAX && leader.atMs <= atMs
    if (!isFresh || of.kind === 'combo' || !isOpen(of, atMs)) return undefined
    return this.#buy(rng, wallet, of, outcome, atMs)
  }

  #choose(rng: Rng, character: Character, of: Market | Combo, atMs: number): Outcome | undefined {
    const { fair } = this.#parts
    const now = fair.at(of, atMs)
    switch (character) {
      case 'sniper': {
        const move = fair.at(of, atMs + SNIPER_SIGHT_MS) - now
        if (Math.abs(move) < 0.015) return undefined
        return move > 0 ? 0 : 1
      }
      case 'momentum':
        return now >= fair.at(of, atMs - MOMENTUM_LOOK_MS) ? 0 : 1
      case 'whale': {
        const right = winnerOf(fair.truth(of)) ?? 0
        return rng.chance(WHALE_EDGE) ? right : otherOutcome(right)
      }
      case 'holder':
        return now >= 0.5 ? 0 : 1
      case 'loser':
        // Long shots, and what just fell.
        return rng.chance(0.75) === now < 0.5 ? 0 : 1
      default:
        return rng.chance(0.25 + now / 2) ? 0 : 1
    }
  }

  #buy(rng: Rng, wallet: Wallet, of: Market | Combo, outcome: Outcome, atMs: number): Intent {
    const { askE4 } = this.#parts.quotes.at(of, outcome, atMs)
    const purse = Math.exp(1.1 * (habit(this.#seed, wallet, 1) * 3 - 1.5))
    const usd = MANNERS[wallet.character].usd * purse * Math.exp(0.9 * rng.normal())
    const sizeE2 = Math.max(SIZE_E2_MIN, Math.round((usd * 1e6) / askE4))
    return { wallet, of, outcome, side: 'BUY', sizeE2 }
  }
}

/** The busiest of a kind do far more than the rest, except among the casual, who all trade now and then. */
function rankWeights(character: Character, population: Population): number[] {
  const wallets = population.ofCharacter(character)
  const weights = wallets.map((_, rank) => (character === 'casual' ? 1 : 1 / (rank + 3) ** 0.8))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => (weight / sum) * MANNERS[character].share)
}

function isTradable({ of }: Token, atMs: number): boolean {
  return of.kind === 'combo' ? of.legs.every(({ market }) => isOpen(market, atMs)) : isOpen(of, atMs)
}

export function nth<T>(items: Iterable<T>, index: number): T | undefined {
  let at = 0
  for (const item of items) if (at++ === index) return item
  return undefined
}
