import { coinFacts } from './coins.js'
import type { Combo, Market, Payouts } from './market.js'
import { worthOf } from './outcomes.js'
import { type Prices, SETTLEMENT_SEC } from './prices.js'
import { bell, hash32 } from './random.js'
import { settlesOnExchange } from './windows.js'

const DAY_SEC = 86_400
/** No probability is ever quite 0 or 1. */
const DOUBT = 0.004
/** This much knowledge leaves no room for opinions. */
const CERTAIN = 12
/** Waves of opinion: length in seconds, and how far each carries the log-odds. */
const WAVES = [
  [172_800, 0.55],
  [21_600, 0.35],
  [3_600, 0.18],
  [600, 0.09],
] as const

/** What the outcomes are worth, and how they come out: both follow from prices and seed alone. */
export class Fair {
  readonly #seed: number
  readonly #prices: Prices
  readonly #truths = new WeakMap<Market | Combo, Payouts>()

  constructor(seed: number, prices: Prices) {
    this.#seed = seed
    this.#prices = prices
  }

  /** Probability of outcome 0 at that moment, strictly between 0 and 1. */
  at(of: Market | Combo, atMs: number): number {
    return Math.min(1 - DOUBT, Math.max(DOUBT, this.#raw(of, atMs)))
  }

  /** How it comes out, known here long before it is known there. */
  truth(of: Market | Combo): Payouts {
    let truth = this.#truths.get(of)
    if (truth === undefined) {
      truth = this.#decide(of)
      this.#truths.set(of, truth)
    }
    return truth
  }

  #decide(of: Market | Combo): Payouts {
    if (of.kind === 'combo') return comboTruth(of, (market) => this.truth(market))
    const { model, window, endMs } = of.event
    switch (model.kind) {
      case 'window':
        if (window === undefined) throw new TypeError('an up-or-down market has a window')
        return this.#prices.closeE8(window) >= this.#prices.openE8(window) ? [1, 0] : [0, 1]
      case 'opinion':
      case 'game':
        return model.truths[of.index] ?? [0, 1]
      case 'strikes': {
        const priceE8 = this.#prices.spotE8(model.coin, endMs / 1000)
        const { lowE8, highE8 } = strikeRange(model, of.index)
        return priceE8 >= lowE8 && priceE8 < highE8 ? [1, 0] : [0, 1]
      }
    }
  }

  #raw(of: Market | Combo, atMs: number): number {
    if (of.kind === 'combo') {
      return of.legs.reduce((product, { market, outcome }) => {
        const up = this.at(market, atMs)
        return product * (outcome === 0 ? up : 1 - up)
      }, 1)
    }
    if (atMs >= of.endMs) {
      return worthOf(this.truth(of), 0)
    }
    switch (of.event.model.kind) {
      case 'window':
        return this.#windowUp(of, atMs)
      case 'opinion':
      case 'game':
        return this.#opinion(of, atMs)
      case 'strikes':
        return this.#strike(of, atMs)
    }
  }

  #windowUp({ event: { window } }: Market, atMs: number): number {
    if (window === undefined || atMs < window.startMs) return 0.5
    const sec = Math.floor(atMs / 1000)
    const leftSec = window.endMs / 1000 - sec
    const openE8 = this.#prices.openE8(window)
    let priceE8 = this.#prices.spotE8(window.coin, sec)
    // In the last minute part of the mean that decides is known already.
    if (leftSec < SETTLEMENT_SEC && !settlesOnExchange(window.interval)) {
      const knownSec = SETTLEMENT_SEC - leftSec
      const knownE8 = knownSec > 0 ? this.#prices.twapE8(window.coin, sec, knownSec) : 0
      priceE8 = (knownE8 * knownSec + priceE8 * leftSec) / SETTLEMENT_SEC
    }
    return this.#chanceAbove(window.coin, priceE8, openE8, leftSec)
  }

  #strike({ event, index }: Market, atMs: number): number {
    if (event.model.kind !== 'strikes') throw new TypeError('not a market of strikes')
    const { coin } = event.model
    const sec = Math.floor(atMs / 1000)
    const priceE8 = this.#prices.spotE8(coin, sec)
    const leftSec = event.endMs / 1000 - sec
    const { lowE8, highE8 } = strikeRange(event.model, index)
    const above = (levelE8: number) => this.#chanceAbove(coin, priceE8, levelE8, leftSec)
    const low = lowE8 === 0 ? 1 : above(lowE8)
    return highE8 === Number.POSITIVE_INFINITY ? low : low - above(highE8)
  }

  #chanceAbove(coin: Parameters<typeof coinFacts>[0], priceE8: number, levelE8: number, leftSec: number) {
    const deviation = coinFacts(coin).volatility * Math.sqrt(Math.max(1, leftSec) / DAY_SEC)
    return normalCdf(Math.log(priceE8 / levelE8) / deviation)
  }

  #opinion({ event, index }: Market, atMs: number): number {
    const { model } = event
    if (model.kind !== 'opinion' && model.kind !== 'game') {
      throw new TypeError('not a matter of opinion')
    }
    const knowledge = model.kind === 'game' ? gameKnowledge(model, index, atMs) : knowledgeOf(event, atMs)
    // The questions of a game hang together: none wanders far from what is likely.
    const calm = model.kind === 'game' ? 0.35 : 1
    if (!model.exclusive) {
      const prior = model.priors[index] ?? 0.5
      const [first, second] = model.truths[index] ?? [0, 1]
      const mood = calm * this.#mood(event.id, index, atMs)
      const odds = Math.log(prior / (1 - prior)) + mood
      return 1 / (1 + Math.exp(-(odds + knowledge * Math.sign(first - second))))
    }
    let sum = 0
    let own = 0
    for (let question = 0; question < model.priors.length; question++) {
      const [first] = model.truths[question] ?? [0, 1]
      const mood = 0.8 * calm * this.#mood(event.id, question, atMs)
      const weight = (model.priors[question] ?? 0) * Math.exp(mood + knowledge * first)
      sum += weight
      if (question === index) own = weight
    }
    return own / sum
  }

  #mood(eventId: string, question: number, atMs: number): number {
    const salt = hash32(this.#seed, Number(eventId), question, 51)
    const sec = atMs / 1000
    let mood = 0
    for (const [lengthSec, height] of WAVES) {
      const cell = Math.floor(sec / lengthSec)
      const from = bell(salt, cell, lengthSec)
      const to = bell(salt, cell + 1, lengthSec)
      mood += height * (from + (to - from) * (sec / lengthSec - cell))
    }
    return mood
  }
}

/** Nothing leaks for most of the time; then the truth comes out faster and faster. */
const knowledgeOf = ({ createdMs, endMs }: Market['event'], atMs: number): number =>
  7 * ((atMs - createdMs) / (endMs - createdMs)) ** 8

/** Nothing is known before the kick-off, and all when the question is decided. */
function gameKnowledge({ fromMs, decidedMs }: GameModel, index: number, atMs: number): number {
  const certainMs = decidedMs[index] ?? Number.POSITIVE_INFINITY
  if (atMs < fromMs) return 0
  return atMs >= certainMs ? CERTAIN : 4 * ((atMs - fromMs) / (certainMs - fromMs)) ** 2
}

type GameModel = Extract<Market['event']['model'], { kind: 'game' }>
type Strikes = Extract<Market['event']['model'], { kind: 'strikes' }>

/** Between which prices the question is answered Yes. Exclusive: below the first, between two, above the last. */
function strikeRange({ strikesE8, exclusive }: Strikes, index: number) {
  if (!exclusive) return { lowE8: strikesE8[index] ?? 0, highE8: Number.POSITIVE_INFINITY }
  return {
    lowE8: strikesE8[index - 1] ?? 0,
    highE8: strikesE8[index] ?? Number.POSITIVE_INFINITY,
  }
}

/** All legs must win. A draw of a leg halves what the combo pays; shares are of a million. */
function comboTruth(combo: Combo, truth: (market: Market) => Payouts): Payouts {
  const share = combo.legs.reduce((product, { market, outcome }) => {
    const payouts = truth(market)
    return (product * payouts[outcome]) / (payouts[0] + payouts[1])
  }, 1_000_000)
  const first = Math.floor(share)
  return [first, 1_000_000 - first]
}

/** The normal distribution function, to about 10^-7 (Abramowitz and Stegun 26.2.17). */
export function normalCdf(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const density = 0.3989422804014327 * Math.exp((-x * x) / 2)
  const tail =
    density * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return x > 0 ? 1 - tail : tail
}
