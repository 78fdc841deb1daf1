import type { Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Builder, Wallet } from '../universe/wallet.js'
import type { Period } from './periods.js'
import { Portfolios } from './portfolio.js'

/** What the routes share. */
export type Api = {
  universe: Universe
  /** At the present. */
  portfolios: Portfolios
  /** At the start of each period, which moves with the present. */
  past: { readonly [Name in Period]: Portfolios }
  standings: MinuteMemory<Standing[]>
  wins: MinuteMemory<Win[]>
  builders: MinuteMemory<BuilderVolume[]>
}

/** What a wallet earned and traded in a period. */
export type Standing = { wallet: Wallet; pnl: number; volumeUsd: number; volumeShares: number }

/** A position that won: its outcome came true. */
export type Win = {
  wallet: Wallet
  token: Token
  pnl: number
  /** Of all shares that were bought. */
  costUsd: number
  resolvedMs: number
}

/** What came through one app on one day, or in a longer bucket that begins with it. */
export type BuilderVolume = {
  builder: Builder
  daySec: number
  usd: number
  shares: number
  users: Set<Wallet>
}

/** Answers from a query whose keys are in snake_case. May throw a BadRequest. */
export type Route = (api: Api, query: URLSearchParams) => unknown

export const createApi = (universe: Universe): Api => ({
  universe,
  portfolios: new Portfolios(universe),
  past: {
    DAY: new Portfolios(universe),
    WEEK: new Portfolios(universe),
    MONTH: new Portfolios(universe),
    ALL: new Portfolios(universe),
  },
  standings: new MinuteMemory(universe),
  wins: new MinuteMemory(universe),
  builders: new MinuteMemory(universe),
})

const MINUTE_MS = 60_000

/** Keeps what is costly to compute until the next minute of the universe. */
class MinuteMemory<Value> {
  readonly #universe: Universe
  readonly #values = new Map<string, Value>()
  #minute = 0

  constructor(universe: Universe) {
    this.#universe = universe
  }

  get(key: string, compute: () => Value): Value {
    const minute = Math.floor(this.#universe.nowMs / MINUTE_MS)
    if (minute !== this.#minute) this.#values.clear()
    this.#minute = minute
    const kept = this.#values.get(key) ?? compute()
    this.#values.set(key, kept)
    return kept
  }
}
