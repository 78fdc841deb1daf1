import { MILLISECONDS_MIN } from '../../core/unix-time.js'
import { PRESETS, type Preset, typesThat } from '../../events/registry.js'
import { showValue } from '../../lib/show-value.js'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { Refusal } from '../connection.js'
import type { ComboFilter, EventFilter } from './event-filter.js'
import { type ClientFields, FEEDS, FilterFields, isRecord } from './filter-rules.js'

/** What a client of the event socket says. */
export type ClientMessage =
  | { action: 'subscribe'; fields: ClientFields }
  /** `undefined`: all subscriptions. */
  | { action: 'unsubscribe'; subscriptionId: string | undefined }
  | { action: 'ping' }
  /** For orderbooks, whose protocol reads the fields. */
  | { action: 'books'; fields: ClientFields }

const ACTIONS = 'subscribe, unsubscribe, ping'

/** Throws a `Refusal`. */
export function parseClientMessage(text: string): ClientMessage {
  const fields = parseFields(text)
  const { action } = fields
  if (isOfBooks(fields)) return { action: 'books', fields }
  switch (action) {
    case 'subscribe':
      return { action, fields }
    case 'unsubscribe':
      return { action, subscriptionId: readSubscriptionId(fields.subscription_id) }
    case 'ping':
      return { action }
    default:
      throw new Refusal(
        'invalid_message',
        action === undefined
          ? `action is missing. Valid actions: ${ACTIONS}`
          : `unknown action ${showValue(action)}. Valid actions: ${ACTIONS}`,
      )
  }
}

function parseFields(text: string): ClientFields {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    throw new Refusal('invalid_json', 'the message is not JSON')
  }
  if (isRecord(message)) return message
  throw new Refusal('invalid_message', 'the message is not a JSON object')
}

/** On this socket too clients may follow books, with the messages of the other one. */
function isOfBooks({ action, type, markets, token_ids }: ClientFields): boolean {
  const namesBooks = Array.isArray(markets) || Array.isArray(token_ids)
  if (action === 'subscribe') return type === 'orderbook' || (type === undefined && namesBooks)
  return action === 'unsubscribe' ? type === 'orderbook' || namesBooks : action === 'resync'
}

function readSubscriptionId(id: unknown): string | undefined {
  if (id === undefined || id === null) return undefined
  if (typeof id === 'string') return id
  throw new Refusal('invalid_message', `subscription_id must be text, not ${showValue(id)}`)
}

/** Which coin prices a subscription receives. */
export type PriceSelection = EventFilter & {
  priceKinds: ReadonlySet<PriceKind>
  /** Neither a source nor a window was chosen. */
  isDefault: boolean
}

/** What of the past the client wants. `default`: it did not say. */
export type ReplayRequest =
  | { kind: 'default' }
  | { kind: 'count'; count: number }
  | { kind: 'since'; sinceMs: number }
  | { kind: 'seq'; afterSeq: number }

/** A subscribe message that has been read; its slugs and conditions are not resolved yet. */
export type SubscribeRequest = {
  /** As the client wrote it. */
  type: string
  isFlat: boolean
  /** All but the markets. */
  filter: Omit<EventFilter, 'scopes'>
  /** Received whatever the filters say. */
  unfilteredTypes: ReadonlySet<string>
  tokens: ReadonlySet<string> | undefined
  slugs: ReadonlySet<string> | undefined
  /** Padded to 32 bytes. */
  conditionIds: ReadonlySet<string> | undefined
  prices: PriceSelection | undefined
  /** Which scores; `undefined`: none. */
  scores: EventFilter | undefined
  replay: ReplayRequest
  warnings: readonly string[]
}

const UNFILTERED_TYPES = typesThat('ignoresFilters')

/**
 * The filters of a subscribe message, before any of them is read. Throws a `Refusal` when they have more items than the
 * plan allows; null: without limit.
 */
export function openFilters(message: ClientFields, itemsMax: number | null): FilterFields {
  findPreset(message.type)
  const fields = new FilterFields(message)
  const { itemCount } = fields
  if (itemsMax === null || itemCount <= itemsMax) return fields
  const limit = { max: itemsMax, requested: itemCount }
  throw new Refusal('filter_limit', `at most ${itemsMax} filter items, not ${itemCount}`, limit)
}

/** Throws a `Refusal`. */
export function readSubscribe(message: ClientFields, fields: FilterFields): SubscribeRequest {
  const { type, preset } = findPreset(message.type)
  const prices = readPrices(fields, preset)
  const scores = readScores(fields, preset)
  const { types, unfilteredTypes } = readTypes(fields, preset)
  const markets = {
    tokens: readTokens(fields),
    slugs: fields.read('slugs'),
    conditionIds: fields.read('condition_ids'),
  }
  const isOfScores = scores !== undefined && types.size + unfilteredTypes.size === 0
  return {
    type,
    isFlat: preset.isFlat ?? false,
    filter: { types, ...readValues(fields, preset), combo: readCombo(fields) },
    unfilteredTypes,
    // What is ignored need not be in the catalogue.
    ...(isOfScores ? NO_MARKETS : markets),
    prices,
    scores,
    replay: readReplay(fields),
    warnings: readWarnings(fields, preset, isOfScores),
  }
}

const NO_MARKETS = { tokens: undefined, slugs: undefined, conditionIds: undefined }

/** Filters that a client may take for those of scores. */
const CHAIN_LISTS = ['wallets', 'tokens', 'markets', 'token_ids', 'slugs', 'condition_ids'] as const

function readWarnings(fields: FilterFields, { hasPrices, hasScores }: Preset, isOfScores: boolean): string[] {
  const warnings = fields.unknownNames.map((name) => `there is no filter ${name}: it was ignored`)
  if (!hasPrices && choosesPrices(fields)) {
    warnings.push('feeds, price_source and twap_windows apply to coin prices: they were ignored')
  }
  if (!hasScores && choosesScores(fields)) {
    warnings.push('leagues and game_slugs apply to scores: they were ignored')
  }
  if (isOfScores && fields.has(...CHAIN_LISTS)) {
    warnings.push('scores have the filters leagues and game_slugs: all others were ignored')
  }
  return warnings
}

function readTypes(fields: FilterFields, preset: Preset) {
  const named = fields.read('event_types')
  if (named === undefined) {
    // A client that chooses among coin prices wants nothing else.
    const events = preset.hasPrices && choosesPrices(fields) ? [] : preset.events
    return { types: new Set<string>(events), unfilteredTypes: new Set<string>() }
  }
  const all = preset.isFlat ? [...preset.events, ...named] : [...named]
  return {
    types: new Set<string>(all.filter((type) => !UNFILTERED_TYPES.has(type))),
    unfilteredTypes: new Set<string>(all.filter((type) => UNFILTERED_TYPES.has(type))),
  }
}

function readValues(fields: FilterFields, { minSize }: Preset) {
  const status = fields.read('status')
  const sizeMin = fields.read('min_size') ?? minSize
  const sizeMax = fields.read('max_size')
  if (sizeMin !== undefined && sizeMax !== undefined && sizeMin > sizeMax) {
    throw new Refusal('invalid_filter', `max_size ${sizeMax} is below min_size ${sizeMin}`)
  }
  return {
    status: status === 'all' ? undefined : status,
    wallets: fields.read('wallets'),
    side: fields.read('side'),
    sizeMin,
    sizeMax,
  }
}

const TOKEN_LISTS = ['tokens', 'markets', 'token_ids'] as const

/** The three names mean the same: they are one filter. */
function readTokens(fields: FilterFields): ReadonlySet<string> | undefined {
  const lists = TOKEN_LISTS.flatMap((name) => fields.read(name) ?? [])
  const [first] = lists
  return lists.length < 2 ? first : new Set(lists.flatMap((list) => [...list]))
}

function readCombo(fields: FilterFields): ComboFilter | undefined {
  const conditions = fields.read('combo_condition_ids')
  const combo: ComboFilter = {
    conditionIds: conditions && bothSpellings(conditions),
    legPositionIds: fields.read('leg_position_ids'),
    eventIds: fields.read('event_ids'),
    moduleIds: fields.read('module_ids'),
    direction: fields.read('direction'),
    action: fields.read('action'),
  }
  return Object.values(combo).every((filter) => filter === undefined) ? undefined : combo
}

const CONDITION_LENGTH = 64

/** A structured condition is written with and without the byte that pads it. */
export function bothSpellings(conditionIds: ReadonlySet<string>): Set<string> {
  const spellings = new Set(conditionIds)
  for (const id of conditionIds) if (id.endsWith('00')) spellings.add(id.slice(0, CONDITION_LENGTH))
  return spellings
}

const choosesPrices = (fields: FilterFields): boolean => fields.has('feeds', 'price_source', 'twap_windows')

function readPrices(fields: FilterFields, { hasPrices }: Preset): PriceSelection | undefined {
  const feeds = fields.read('feeds')
  const source = fields.read('price_source')
  const windows = fields.read('twap_windows')
  if (source !== undefined && windows !== undefined) {
    throw new Refusal('invalid_filter', 'price_source and twap_windows exclude each other')
  }
  // Named types replace everything that the preset has.
  if (!hasPrices || (fields.has('event_types') && !choosesPrices(fields))) return undefined
  return {
    types: PRICE_TYPES,
    scopes: [],
    feeds: feeds ?? new Set(FEEDS),
    priceKinds: windows ?? new Set(['spot']),
    isDefault: source === undefined && windows === undefined,
  }
}

const PRICE_TYPES: ReadonlySet<string> = new Set(['price_feed'])
const SCORE_TYPES: ReadonlySet<string> = new Set(['score_update'])

const choosesScores = (fields: FilterFields): boolean => fields.has('leagues', 'game_slugs')

function readScores(fields: FilterFields, { hasScores }: Preset): EventFilter | undefined {
  const leagues = fields.read('leagues')
  const gameSlugs = fields.read('game_slugs')
  if (!hasScores || (fields.has('event_types') && !choosesScores(fields))) return undefined
  return { types: SCORE_TYPES, scopes: [], leagues, gameSlugs }
}

function readReplay(fields: FilterFields): ReplayRequest {
  const count = fields.read('snapshot_count')
  const since = fields.read('since')
  const afterSeq = fields.read('since_seq')
  if (afterSeq !== undefined) return { kind: 'seq', afterSeq }
  if (since !== undefined) {
    // Flat fills have times in seconds, and clients send back the last one they saw.
    const sinceMs = since < MILLISECONDS_MIN ? since * 1000 : since
    return { kind: 'since', sinceMs }
  }
  return count === undefined ? { kind: 'default' } : { kind: 'count', count }
}

const DEFAULT_TYPE = 'settlements'

/** Throws a `Refusal` that lists the types there are. */
function findPreset(type: unknown): { type: string; preset: Preset } {
  const name = type ?? DEFAULT_TYPE
  const preset = typeof name === 'string' ? PRESETS.get(name) : undefined
  if (typeof name === 'string' && preset !== undefined) return { type: name, preset }
  const valid = [...PRESETS.keys(), 'orderbook'].join(', ')
  throw new Refusal('unknown_type', `unknown type ${showValue(type)}. Valid types: ${valid}`)
}
