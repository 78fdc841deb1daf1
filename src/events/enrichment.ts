import assert from 'node:assert/strict'
import { LRUCache } from 'lru-cache'
import type { MarketInfo, MarketLookup } from '../catalogue/market-info.js'
import { PUSD } from '../chain/attribute/roles.js'
import { toTokenId } from '../core/ids.js'
import { conditionOfPosition, isStructuredId, parseStructuredId } from '../core/structured-id.js'
import { limitCount } from '../lib/limit-count.js'
import type { Sql } from '../store/connection.js'
import { CONTRACTS } from '../upstreams/polygon/contracts.js'
import type { MarketFields, ProtocolFields } from './message.js'
import { type StoredLegs, type StoredResult, selectNewestLegs, selectNewestResults } from './queries.js'

/** Those that events of now may be about. */
const RESULTS_MAX = 20_000
const COMBOS_MAX = 5_000

export type EnrichedToken = ReturnType<Enricher['token']>

/** Adds to the ids of a fact what the catalogue and earlier blocks say about them; all from memory. */
export class Enricher {
  readonly #markets: MarketLookup
  readonly #payouts = new LRUCache<string, readonly bigint[]>(limitCount(RESULTS_MAX))
  readonly #legs = new LRUCache<string, readonly string[]>(limitCount(COMBOS_MAX))
  /** Decimal ids: the buffered events of a market share their text. */
  readonly #tokenIds = new LRUCache<string, string>(limitCount(20_000))
  /** Made once for each object that the catalogue hands out. */
  readonly #fields = new WeakMap<MarketInfo, MarketFields>()

  constructor(markets: MarketLookup) {
    this.#markets = markets
  }

  /** To be called before the first batch: blocks that were booked before this process started say as much. */
  async recall(sql: Sql): Promise<void> {
    this.learn({
      resolutions: await selectNewestResults(sql, RESULTS_MAX),
      combos: await selectNewestLegs(sql, COMBOS_MAX),
    })
  }

  /** To be called with the facts of every batch, also of those that are not published. */
  learn({ resolutions, combos }: { resolutions: StoredResult[]; combos: StoredLegs[] }): void {
    for (const { condition, payouts } of resolutions) this.#payouts.set(condition, payouts)
    for (const { condition, legs } of combos) this.#legs.set(condition, legs)
  }

  /** The decimal id of a token. */
  tokenId(token: string): string {
    let id = this.#tokenIds.get(token)
    if (id === undefined) {
      id = toTokenId(token)
      this.#tokenIds.set(token, id)
    }
    return id
  }

  /** A token with its market. Of a token that the catalogue does not have only what its id says. */
  token(token: string) {
    const id = this.tokenId(token)
    const { conditionId, market, fields } = this.#enrich(token, this.#markets.byToken(token))
    const outcome = market?.tokens[id]
    return { id, outcome, conditionId, market, fields: { ...fields, outcome } }
  }

  /** A condition with its market, if the catalogue has it. */
  condition(condition: string) {
    const { market, fields } = this.#enrich(condition, this.#markets.byCondition(condition))
    return { market, fields: { condition_id: condition, ...fields } }
  }

  /** `key` is the token or the condition; a structured one says more than itself. */
  #enrich(key: string, info: MarketInfo | undefined) {
    const market = this.#fieldsOf(info)
    const structured = isStructuredId(key) ? conditionOfPosition(key) : undefined
    const conditionId = market?.condition_id ?? structured
    const known = conditionId === undefined ? undefined : { condition_id: conditionId }
    return { conditionId, market, fields: { ...protocolOf(key), ...market, ...known } }
  }

  /** `undefined`: no result, or one that was forgotten. */
  resultOf(condition: string): Result | undefined {
    const payouts = this.#payouts.get(condition)
    return payouts && toResult(payouts)
  }

  /** Legs of a combo, as far as they are remembered. */
  legsOf(condition: string): readonly string[] | undefined {
    return this.#legs.get(condition)
  }

  #fieldsOf(market: MarketInfo | undefined): MarketFields | undefined {
    if (market === undefined) return undefined
    let fields = this.#fields.get(market)
    if (fields === undefined) {
      fields = presentMarket(market)
      this.#fields.set(market, fields)
    }
    return fields
  }
}

function presentMarket(market: MarketInfo): MarketFields {
  const { outcomes, tokenIds } = market
  return {
    market_title: market.title,
    market_slug: market.slug,
    event_title: market.eventTitle || undefined,
    event_slug: market.eventSlug || undefined,
    market_image: market.image || undefined,
    neg_risk: market.negRisk,
    tick_size: market.tickSize,
    taker_base_fee: market.takerBaseFee ?? null,
    condition_id: market.conditionId,
    outcomes,
    token_ids: tokenIds,
    tokens: Object.fromEntries(tokenIds.map((id, index) => [id, outcomes[index] ?? ''])),
  }
}

const MODULES: Readonly<Record<number, ProtocolFields['module']>> = { 1: 'binary', 2: 'neg_risk' }

/** `undefined`: a market of the first contracts, or a combo. */
function protocolOf(id: string): ProtocolFields | undefined {
  const module = MODULES[parseStructuredId(id)?.moduleId ?? 0]
  return module && { protocol_version: 'v2', module }
}

export type Result = ReturnType<typeof toResult>

/** What follows from the payout numerators of a condition. */
export function toResult(payouts: readonly bigint[]) {
  const numbers = payouts.map(Number)
  const sum = numbers.reduce((total, payout) => total + payout, 0)
  const paying = numbers.filter((payout) => payout > 0).length
  return {
    payouts: numbers,
    /** Millionths that add up to a million; `undefined`: there are not two outcomes, or none pays. */
    ppm: sum > 0 && numbers.length === 2 ? toPpm((numbers[0] ?? 0) / sum) : undefined,
    /** They add up to 1; all zero while no outcome pays. */
    prices: numbers.map((payout) => (sum === 0 ? 0 : payout / sum)),
    /** Index of the only outcome that pays; `undefined`: several do. */
    winner: paying === 1 ? numbers.findIndex((payout) => payout > 0) : undefined,
  }
}

function toPpm(price: number): [number, number] {
  const first = Math.round(price * 1e6)
  return [first, 1e6 - first]
}

/** Address of the token that backs the positions of a condition. */
export function collateralOf(condition: string, negRisk: boolean): string {
  if (parseStructuredId(condition) !== undefined) return PUSD
  return negRisk ? WRAPPED_COLLATERAL : USDC_E
}

const USDC_E = firstCollateral(false)
const WRAPPED_COLLATERAL = firstCollateral(true)

function firstCollateral(isNegRisk: boolean): string {
  const contract = CONTRACTS.find(
    ({ role, generation, negRisk }) => role === 'erc20' && generation === 1 && negRisk === isNegRisk,
  )
  assert(contract !== undefined, 'the list of contracts has both collaterals')
  return contract.address
}
