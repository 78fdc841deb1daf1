import { padId } from '../../core/structured-id.js'
import { eventTypeRow, type WebhookEventType } from '../event-types.js'
import type { FilterName, WebhookFilters } from '../filters.js'
import type { OccurrenceKeys } from './detector.js'

const NONE: readonly string[] = []
const only = (key: string | undefined): readonly string[] => (key === undefined ? NONE : [key])

type ListName = {
  [Name in FilterName]: WebhookFilters[Name] extends readonly string[] | undefined ? Name : never
}[FilterName]

type KeyList = {
  name: ListName
  /** Its index in the table. */
  number: number
  /** The keys of an occurrence that it is compared with. */
  keysOf: (keys: OccurrenceKeys) => readonly string[]
}

/** The filters that are lists of keys, those that fewest occurrences meet first. */
export const KEY_LISTS: readonly KeyList[] = [
  { name: 'wallet_addresses', number: 0, keysOf: ({ wallets = NONE }) => wallets },
  { name: 'token_ids', number: 1, keysOf: ({ tokenId }) => only(tokenId) },
  { name: 'condition_ids', number: 2, keysOf: ({ conditionIds = NONE }) => conditionIds },
  { name: 'builder_codes', number: 3, keysOf: ({ builder }) => only(builder) },
  { name: 'receiver_addresses', number: 4, keysOf: ({ receiver }) => only(receiver) },
  { name: 'event_slugs', number: 5, keysOf: ({ eventSlug }) => only(eventSlug) },
  { name: 'tags', number: 6, keysOf: ({ tags = NONE }) => tags },
]

export const WALLET_LIST = 0

/** The thresholds that are compared with the money of an occurrence. */
const THRESHOLDS = ['min_amount_usd', 'min_fee_usd', 'min_total_usd'] as const

const SPELL: { readonly [Name in ListName]?: (key: string) => string } = {
  condition_ids: padId,
  tags: (tag) => tag.toLowerCase(),
}

/** Which filters a type knows, looked up once for each. */
export type TypeFilters = {
  lists: readonly KeyList[]
  /** Its index among all thresholds; -1: it has none. */
  threshold: number
  hasSide: boolean
  hasStatus: boolean
}

export function typeFiltersOf(type: WebhookEventType): TypeFilters {
  const { filters } = eventTypeRow(type)
  return {
    lists: KEY_LISTS.filter(({ name }) => filters.includes(name)),
    threshold: THRESHOLDS.findIndex((name) => filters.includes(name)),
    hasSide: filters.includes('side'),
    hasStatus: filters.includes('status_from'),
  }
}

/** The keys of a list as occurrences spell them; `undefined`: the filter lets everything pass. */
export function keysOfList(filters: WebhookFilters, name: ListName): string[] | undefined {
  const keys = filters[name]
  if (keys === undefined || keys.length === 0) return undefined
  return [...new Set(keys.map(SPELL[name] ?? ((key) => key)))]
}

/** Below every amount. */
export const NO_THRESHOLD = -1n

/** The lowest amounts that pass, in millionths, by index. */
export const thresholdsOf = (filters: WebhookFilters): bigint[] =>
  THRESHOLDS.map((name) => {
    const amount = filters[name]
    return amount === undefined ? NO_THRESHOLD : ceilMillionths(amount)
  })

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

/** A number as it is written in decimal digits, in millionths, rounded up: exact where it has six decimals. */
export function ceilMillionths(amount: number): bigint {
  const match = NUMBER.exec(String(amount))
  if (match === null) throw new RangeError(`${amount} is not a finite number`)
  const [, sign = '', whole = '', decimals = '', exponent = '0'] = match
  const digits = BigInt(`${sign}${whole}${decimals}`)
  const power = 6 - decimals.length + Number(exponent)
  if (power >= 0) return digits * 10n ** BigInt(power)
  const divisor = 10n ** BigInt(-power)
  const floor = digits / divisor // towards zero: for negative amounts that is up already
  return digits > 0n && digits % divisor !== 0n ? floor + 1n : floor
}
