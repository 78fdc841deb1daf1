import { readList } from '../server/query.js'
import type { Combo, Market, MarketEvent } from '../universe/market.js'
import type { Settled } from '../universe/settled-acts.js'
import type { Universe } from '../universe/universe.js'
import { BadRequest } from './query.js'

/** Which markets a list is about. `undefined` sets: all of them. */
export class Scope {
  readonly #conditions: ReadonlySet<string> | undefined
  readonly #events: ReadonlySet<string> | undefined

  constructor(conditions: readonly string[], events: readonly string[]) {
    this.#conditions = conditions.length === 0 ? undefined : new Set(conditions)
    this.#events = events.length === 0 ? undefined : new Set(events)
  }

  get isEverything(): boolean {
    return this.#conditions === undefined && this.#events === undefined
  }

  covers(of: Market | Combo): boolean {
    if (this.#conditions !== undefined) return this.#conditions.has(of.conditionId)
    return this.#events === undefined || (of.kind === 'market' && this.#events.has(of.event.id))
  }

  coversEvent(event: MarketEvent): boolean {
    return this.#events?.has(event.id) ?? event.markets.some((market) => this.covers(market))
  }

  /** The matches of these markets, oldest first. */
  matches(universe: Universe): readonly Settled[] {
    if (this.isEverything) return universe.settledActs.matches
    const lists = this.#markets(universe).map((of) => universe.settledActs.ofMarket(of))
    const [only] = lists
    return lists.length === 1 && only !== undefined ? only : lists.flat().sort(byChainPosition)
  }

  #markets({ catalogue }: Universe): (Market | Combo)[] {
    return [
      ...[...(this.#conditions ?? [])].flatMap(
        (id) => catalogue.marketByCondition(id) ?? catalogue.comboByCondition(id) ?? [],
      ),
      ...[...(this.#events ?? [])].flatMap((id) => catalogue.eventById(id)?.markets ?? []),
    ]
  }
}

/** What a condition is called, which the newer routes take a few of at once. */
type ConditionKey = 'market' | 'condition_id' | 'market_id'

const CONDITIONS_MAX = 20

/** Conditions and events exclude each other. */
export function readScope(query: URLSearchParams, key: ConditionKey): Scope {
  const conditions = readConditions(query, key)
  const events = readList(query, 'event_id')
  if (conditions.length > 0 && events.length > 0) {
    throw new BadRequest(`'${key}' and 'eventId' are mutually exclusive`)
  }
  if (!events.every(isEventId)) throw new BadRequest("invalid query param 'eventId'")
  return new Scope(conditions, events)
}

const EVENT_ID_MAX = 2 ** 31 - 1

export const isEventId = (id: string): boolean => /^[1-9]\d{0,9}$/.test(id) && Number(id) <= EVENT_ID_MAX

/** The markets that must be asked for. Unknown ones are left out. */
export function readMarkets({ catalogue }: Universe, query: URLSearchParams, key: ConditionKey): Market[] {
  const conditions = readConditions(query, key)
  if (conditions.length === 0) throw new BadRequest(`required query param '${key}' not provided`)
  return conditions.flatMap((id) => catalogue.marketByCondition(id) ?? [])
}

/** In lower case, each once. */
export function readConditions(query: URLSearchParams, key: ConditionKey): string[] {
  const ids = readList(query, key).map((id) => id.toLowerCase())
  if (!ids.every((id) => /^0x(?:[0-9a-f]{64}|[0-9a-f]{62})$/.test(id))) {
    throw new BadRequest(`invalid query param '${key}'`)
  }
  const conditions = [...new Set(ids.map(withoutPadding))]
  if (key !== 'market' && conditions.length > CONDITIONS_MAX) {
    throw new BadRequest(`too many values in '${key}'`)
  }
  return conditions
}

/**
 * Structured conditions have 31 bytes. Clients pad those of markets with a zero, and send a position of a combo,
 * whose last byte is the outcome, for its condition.
 */
const withoutPadding = (id: string): string =>
  /^0x0[123][0-9a-f]{36}0{16}[0-9a-f]{8}0[01]$/.test(id) ? id.slice(0, -2) : id

const byChainPosition = (a: Settled, b: Settled): number =>
  a.block.number - b.block.number || txIndexOf(a) - txIndexOf(b)

export const txIndexOf = ({ block, tx }: Settled): number => block.transactions.indexOf(tx)
