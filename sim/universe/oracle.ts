import { keccakText } from '../contracts/keccak.js'
import type { Act, Era, OraclePrice } from './acts.js'
import type { Fair } from './fair.js'
import { isAnsweredByFeed, type Market, type MarketEvent } from './market.js'
import { winnerOf } from './outcomes.js'
import { unit } from './random.js'
import { PROPOSAL_LEAD_MS } from './topic-event.js'

/** The questions that stand before the oracle: who asks, who answers, who doubts. */
export class Oracle {
  readonly #seed: number
  readonly #fair: Fair
  /** When each open question was put, the last time. */
  readonly #askedSec = new Map<Market, number>()

  constructor(seed: number, fair: Fair) {
    this.#seed = seed
    this.#fair = fair
  }

  ask(event: MarketEvent, era: Era, atSec: number): Act[] {
    const markets = event.markets.map((market): Act => {
      this.#askedSec.set(market, atSec)
      return { kind: 'prepareMarket', era, market, askedSec: atSec }
    })
    return event.negRisk === undefined ? markets : [{ kind: 'prepareEvent', event }, ...markets]
  }

  propose(market: Market, atSec: number): Act {
    const proposer = proposerOf(market)
    const price = this.#isDoubtful(market) ? this.#wrongPrice(market) : this.#price(market)
    return { kind: 'propose', market, price, proposer, askedSec: this.#asked(market), atSec }
  }

  /** A doubted answer is dropped, and the question is put again. */
  dispute(market: Market, atSec: number): Act {
    const askedSec = this.#asked(market)
    this.#askedSec.set(market, atSec)
    const proposer = proposerOf(market)
    const disputer = unknownAddress(`disputer:${Number(market.id) % 3}`)
    const price = this.#wrongPrice(market)
    return { kind: 'dispute', market, price, proposer, disputer, askedSec, atSec }
  }

  resolve(market: Market): Act {
    const askedSec = this.#asked(market)
    this.#askedSec.delete(market)
    const payouts = this.#fair.truth(market)
    return { kind: 'resolve', market, payouts, proposer: proposerOf(market), askedSec }
  }

  /** Undoes an act whose block was reverted. */
  undo(act: Act): void {
    if (act.kind === 'dispute' || act.kind === 'resolve') {
      this.#askedSec.set(act.market, act.askedSec)
    }
  }

  /** Whether the answer that comes next will be doubted: the first one, to a question that has a doubter. */
  #isDoubtful(market: Market): boolean {
    const disputed = oracleLife(this.#seed, market)?.disputed
    return disputed !== undefined && this.#asked(market) * 1000 < disputed.disputedMs
  }

  #asked(market: Market): number {
    const askedSec = this.#askedSec.get(market)
    if (askedSec === undefined) throw new RangeError(`no question is open about ${market.slug}`)
    return askedSec
  }

  #price(market: Market): OraclePrice {
    const winner = winnerOf(this.#fair.truth(market))
    return winner === undefined ? 0.5 : winner === 0 ? 1 : 0
  }

  #wrongPrice(market: Market): OraclePrice {
    return this.#price(market) === 0 ? 1 : 0
  }
}

const proposerOf = (market: Market): string => unknownAddress(`proposer:${Number(market.id) % 7}`)

/** The address of an actor that is no wallet of the universe, by name. */
export const unknownAddress = (name: string): string => `0x${keccakText(name).slice(24)}`

const DISPUTE_SHARE = 0.05
/** Where between the end and the answer that counts the disputed one and its dispute lie. */
const DISPUTED_AT = { proposed: 0.3, disputed: 0.7 }

/** When an answer is proposed. Some are doubted at first: then there is one that is disputed before it. */
type OracleLife = {
  proposedMs: number
  disputed: { proposedMs: number; disputedMs: number } | undefined
}

/** `undefined` for windows of coins and games, whose results come from a feed without a proposal. */
export function oracleLife(seed: number, market: Market): OracleLife | undefined {
  if (isAnsweredByFeed(market.event)) return undefined
  const proposedMs = market.resolvesMs - PROPOSAL_LEAD_MS
  if (unit(seed, Number(market.id), 141) >= DISPUTE_SHARE) {
    return { proposedMs, disputed: undefined }
  }
  const at = (share: number) => market.endMs + Math.floor((proposedMs - market.endMs) * share)
  const disputed = { proposedMs: at(DISPUTED_AT.proposed), disputedMs: at(DISPUTED_AT.disputed) }
  return { proposedMs, disputed }
}
