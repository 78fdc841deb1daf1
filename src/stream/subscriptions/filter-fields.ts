import { ID_PATTERNS, normalizeTokenId, parseAddress } from '../../core/ids.js'
import { parseConditionId } from '../../core/structured-id.js'
import { showValue } from '../../lib/show-value.js'
import { Refusal } from './refusal.js'

type Fields = Readonly<Record<string, unknown>>

/** How one item of a list is read; `undefined`: it is not one. */
export type ItemReader<Item> = (item: unknown) => Item | undefined

/** The lists of a client, whose lengths are its filter items. */
const LISTS = [
  'wallets',
  'tokens',
  'markets',
  'token_ids',
  'slugs',
  'condition_ids',
  'event_types',
  'feeds',
  'twap_windows',
  'combo_condition_ids',
  'leg_position_ids',
  'event_ids',
  'module_ids',
  'leagues',
  'game_slugs',
] as const
type ListName = (typeof LISTS)[number]

const VALUES = [
  'side',
  'direction',
  'min_size',
  'max_size',
  'status',
  'snapshot_count',
  'since',
  'since_seq',
  'price_source',
  'action',
] as const
type ValueName = (typeof VALUES)[number]

const NAMES: ReadonlySet<string> = new Set([...LISTS, ...VALUES])
const UNKNOWN_NAMED_MAX = 10

/**
 * The fields of a subscribe message. A filter stands in `filters` or beside them, and `filters` wins.
 * `null` and empty lists count as left out. What is wrong throws a `Refusal` that names the field.
 */
export class FilterFields {
  readonly #message: Fields
  readonly #filters: Fields

  constructor(message: Fields) {
    const filters = message.filters ?? {}
    if (!isRecord(filters)) throw invalid('filters', 'must be an object', filters)
    this.#message = message
    this.#filters = filters
  }

  /** Sum of the lengths of all lists. */
  get itemCount(): number {
    let count = 0
    for (const name of LISTS) {
      const list = this.#get(name)
      if (Array.isArray(list)) count += list.length
    }
    return count
  }

  /** Names in `filters` that mean nothing here. */
  get unknownNames(): string[] {
    const unknown = Object.keys(this.#filters).filter((name) => !NAMES.has(name))
    return unknown.slice(0, UNKNOWN_NAMED_MAX).map((name) => showValue(name))
  }

  has(...names: (ListName | ValueName)[]): boolean {
    return names.some((name) => {
      const value = this.#get(name)
      return value !== undefined && !(Array.isArray(value) && value.length === 0)
    })
  }

  /** `undefined`: the list is left out. `meaning` is what an item has to be. */
  list<Item>(name: ListName, read: ItemReader<Item>, meaning: string): Set<Item> | undefined {
    const list = this.#get(name)
    if (list === undefined) return undefined
    if (!Array.isArray(list)) throw invalid(name, 'must be a list', list)
    const items = new Set<Item>()
    for (const each of list) {
      const item = read(each)
      if (item === undefined) throw invalid(name, `must hold ${meaning}`, each)
      items.add(item)
    }
    return items.size === 0 ? undefined : items
  }

  value<Value>(name: ValueName, read: ItemReader<Value>, meaning: string): Value | undefined {
    const given = this.#get(name)
    if (given === undefined) return undefined
    const value = read(given)
    if (value === undefined) throw invalid(name, `must be ${meaning}`, given)
    return value
  }

  #get(name: ListName | ValueName): unknown {
    const inside = this.#filters[name] ?? undefined
    // Beside the filters, `action` is what the message is.
    return inside !== undefined || name === 'action' ? inside : (this.#message[name] ?? undefined)
  }
}

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (name: string, problem: string, value: unknown): Refusal =>
  new Refusal('invalid_filter', `${name} ${problem}, not ${showValue(value)}`)

const TOKEN = new RegExp(ID_PATTERNS.tokenId)
/** 29 bytes, or padded to more. */
const EVENT_ID = /^0x[0-9a-f]{58,64}$/
const EVENT_ID_LENGTH = 60
const SLUG_LENGTH_MAX = 300

const text =
  (read: (item: string) => string | undefined): ItemReader<string> =>
  (item) =>
    typeof item === 'string' ? read(item) : undefined

const matching = (item: string, pattern: RegExp): string | undefined =>
  pattern.test(item) ? item : undefined

export const readWallet = text((item) => parseAddress(item.toLowerCase()))

/** In the spelling of the data: a decimal number without leading zeros. */
export const readToken = text((item) => (TOKEN.test(item) ? normalizeTokenId(item) : undefined))

/** Of 31 or 32 bytes; padded to 32. */
export const readCondition = text(parseConditionId)

export const readEventId = text((item) => matching(item.toLowerCase(), EVENT_ID)?.slice(0, EVENT_ID_LENGTH))

export const readSlug = text((item) =>
  item.length > 0 && item.length <= SLUG_LENGTH_MAX && !item.includes('\0') ? item : undefined,
)

const LEAGUE = /^[a-z0-9_-]{1,40}$/

/** The code of a league, in any letter case. */
export const readLeague = text((item) => matching(item.toLowerCase(), LEAGUE))

/** One of few texts, in any letter case. */
export const readOneOf = <const Name extends string>(names: readonly Name[]): ItemReader<Name> => {
  const byLower = new Map(names.map((name) => [name.toLowerCase(), name]))
  return (item) => (typeof item === 'string' ? byLower.get(item.toLowerCase()) : undefined)
}

/** No trade is worth more. */
export const AMOUNT_USD_MAX = 1e12

/** From 0 to the most that there can be. */
export const readNumber =
  (max: number): ItemReader<number> =>
  (item) =>
    typeof item === 'number' && item >= 0 && item <= max ? item : undefined

/** A whole number that is not negative. */
export const readCount: ItemReader<number> = (item) =>
  typeof item === 'number' && Number.isSafeInteger(item) && item >= 0 ? item : undefined
