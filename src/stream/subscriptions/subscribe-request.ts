import { MILLISECONDS_MAX, MILLISECONDS_MIN } from '../../core/unix-time.js'
import { type Feed, feedOf, SYMBOLS } from '../../prices/streams.js'
import type { ComboFilter, EventFilter } from './event-filter.js'
import {
  AMOUNT_USD_MAX,
  FilterFields,
  readCondition,
  readCount,
  readEventId,
  readLeague,
  readNumber,
  readOneOf,
  readSlug,
  readToken,
  readWallet,
} from './filter-fields.js'
import { findPreset, type Preset, SELECTABLE_TYPES } from './presets.js'
import { Refusal } from './refusal.js'

/** Which coin prices a subscription receives. */
export type PriceSelection = {
  feeds: ReadonlySet<Feed>
  sources: ReadonlySet<PriceChoice>
  /** Neither a source nor a window was chosen. */
  isDefault: boolean
}
type PriceChoice = 'spot' | 'twap30' | 'twap60'

/** What of the past the client wants. `default`: it did not say. */
export type ReplayWish =
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
  replay: ReplayWish
  warnings: readonly string[]
}

/** What every client that names them wants to have, whichever wallets or markets it follows. */
const UNFILTERED_TYPES: readonly string[] = ['block', 'reorg']

/** Throws a `Refusal`. `itemsMax`: filter items that the plan allows; null: without limit. */
export function readSubscribe(
  message: Readonly<Record<string, unknown>>,
  itemsMax: number | null,
): SubscribeRequest {
  const { type, preset } = findPreset(message.type)
  const fields = new FilterFields(message)
  const { itemCount } = fields
  if (itemsMax !== null && itemCount > itemsMax) {
    const limit = { max: itemsMax, requested: itemCount }
    throw new Refusal('filter_limit', `at most ${itemsMax} filter items, not ${itemCount}`, limit)
  }
  const prices = readPrices(fields, preset)
  const scores = readScores(fields, preset)
  const { types, unfilteredTypes } = readTypes(fields, preset)
  const markets = {
    tokens: readTokens(fields),
    slugs: fields.list('slugs', readSlug, 'slugs of 1 to 300 characters'),
    conditionIds: fields.list('condition_ids', readCondition, 'condition ids in hex'),
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

const EVENT_TYPES = `event types. Valid ones: ${SELECTABLE_TYPES.join(', ')}`

function readTypes(fields: FilterFields, preset: Preset) {
  const named = fields.list('event_types', readOneOf(SELECTABLE_TYPES), EVENT_TYPES)
  if (named === undefined) {
    // A client that chooses among coin prices wants nothing else.
    const events = preset.hasPrices && choosesPrices(fields) ? [] : preset.events
    return { types: new Set<string>(events), unfilteredTypes: new Set<string>() }
  }
  const all = preset.isFlat ? [...preset.events, ...named] : [...named]
  return {
    types: new Set<string>(all.filter((type) => !UNFILTERED_TYPES.includes(type))),
    unfilteredTypes: new Set<string>(all.filter((type) => UNFILTERED_TYPES.includes(type))),
  }
}

const SIDES = ['BUY', 'SELL', 'YES', 'NO'] as const
const DIRECTIONS = ['BUY', 'SELL'] as const
const STATUSES = ['pending', 'confirmed', 'all'] as const

const DOLLARS = `a number of dollars from 0 to ${AMOUNT_USD_MAX}`
const readDollars = readNumber(AMOUNT_USD_MAX)

function readValues(fields: FilterFields, { minSize }: Preset) {
  const status = fields.value('status', readOneOf(STATUSES), 'pending, confirmed or all')
  const sizeMin = fields.value('min_size', readDollars, DOLLARS) ?? minSize
  const sizeMax = fields.value('max_size', readDollars, DOLLARS)
  if (sizeMin !== undefined && sizeMax !== undefined && sizeMin > sizeMax) {
    throw new Refusal('invalid_filter', `max_size ${sizeMax} is below min_size ${sizeMin}`)
  }
  return {
    status: status === 'all' ? undefined : status,
    wallets: fields.list('wallets', readWallet, 'addresses: 0x and 40 hexadecimal digits'),
    side: fields.value('side', readOneOf(SIDES), 'BUY or SELL, for combos YES or NO'),
    sizeMin,
    sizeMax,
  }
}

const TOKEN_LISTS = ['tokens', 'markets', 'token_ids'] as const

/** The three names mean the same: they are one filter. */
function readTokens(fields: FilterFields): ReadonlySet<string> | undefined {
  const lists = TOKEN_LISTS.flatMap(
    (name) => fields.list(name, readToken, 'token ids: decimal numbers as text') ?? [],
  )
  const [first] = lists
  return lists.length < 2 ? first : new Set(lists.flatMap((list) => [...list]))
}

const MODULE_IDS: readonly unknown[] = [1, 2, 3, 4]
const ACTIONS = [
  'Prepare',
  'Split',
  'Merge',
  'HorizontalSplit',
  'HorizontalMerge',
  'Convert',
  'Redeem',
  'Wrap',
  'Unwrap',
  'Transfer',
  'Compress',
  'Extract',
  'Inject',
  'ConvertToYesBasket',
  'MergeFromYesBasket',
] as const

function readCombo(fields: FilterFields): ComboFilter | undefined {
  const conditions = fields.list('combo_condition_ids', readCondition, 'condition ids in hex')
  const combo: ComboFilter = {
    conditionIds: conditions && bothSpellings(conditions),
    legPositionIds: fields.list('leg_position_ids', readToken, 'position ids: decimal numbers'),
    eventIds: fields.list('event_ids', readEventId, 'event ids: 0x and 58 hexadecimal digits'),
    moduleIds: fields.list('module_ids', readModule, 'module ids: 1, 2 or 3'),
    direction: fields.value('direction', readOneOf(DIRECTIONS), 'BUY or SELL'),
    action: fields.value('action', readOneOf(ACTIONS), `one of ${ACTIONS.join(', ')}`),
  }
  return Object.values(combo).every((filter) => filter === undefined) ? undefined : combo
}

const readModule = (item: unknown): number | undefined =>
  typeof item === 'number' && MODULE_IDS.includes(item) ? item : undefined

const CONDITION_LENGTH = 64

/** A structured condition is written with and without the byte that pads it. */
export function bothSpellings(conditionIds: ReadonlySet<string>): Set<string> {
  const spellings = new Set(conditionIds)
  for (const id of conditionIds) if (id.endsWith('00')) spellings.add(id.slice(0, CONDITION_LENGTH))
  return spellings
}

const FEEDS = SYMBOLS.map(feedOf)
const readFeedName = readOneOf(FEEDS)
const readSymbol = readOneOf(SYMBOLS)

function readFeed(item: unknown): Feed | undefined {
  const symbol = readSymbol(item)
  return symbol === undefined ? readFeedName(item) : feedOf(symbol)
}

const choosesPrices = (fields: FilterFields): boolean => fields.has('feeds', 'price_source', 'twap_windows')

function readPrices(fields: FilterFields, { hasPrices }: Preset): PriceSelection | undefined {
  const feeds = fields.list('feeds', readFeed, `feeds. Valid ones: ${FEEDS.join(', ')}`)
  const source = fields.value('price_source', readOneOf(['spot']), '"spot"')
  const windows = fields.list('twap_windows', readWindow, '30 or 60')
  if (source !== undefined && windows !== undefined) {
    throw new Refusal('invalid_filter', 'price_source and twap_windows exclude each other')
  }
  // Types that are named take the place of everything that the preset has.
  if (!hasPrices || (fields.has('event_types') && !choosesPrices(fields))) return undefined
  return {
    feeds: feeds ?? new Set(FEEDS),
    sources: windows ?? new Set(['spot']),
    isDefault: source === undefined && windows === undefined,
  }
}

const readWindow = (item: unknown): PriceChoice | undefined =>
  item === 30 ? 'twap30' : item === 60 ? 'twap60' : undefined

const SCORE_TYPES: ReadonlySet<string> = new Set(['score_update'])
const LEAGUES = 'codes of leagues: 1 to 40 letters, digits, hyphens and underscores'

const choosesScores = (fields: FilterFields): boolean => fields.has('leagues', 'game_slugs')

function readScores(fields: FilterFields, { hasScores }: Preset): EventFilter | undefined {
  const leagues = fields.list('leagues', readLeague, LEAGUES)
  const gameSlugs = fields.list('game_slugs', readSlug, 'slugs of 1 to 300 characters')
  if (!hasScores || (fields.has('event_types') && !choosesScores(fields))) return undefined
  return { types: SCORE_TYPES, scopes: [], leagues, gameSlugs }
}

function readReplay(fields: FilterFields): ReplayWish {
  const count = fields.value('snapshot_count', readCount, 'a whole number')
  const since = fields.value('since', readNumber(MILLISECONDS_MAX), 'a Unix time in milliseconds')
  const afterSeq = fields.value('since_seq', readCount, 'the seq of an event')
  if (afterSeq !== undefined) return { kind: 'seq', afterSeq }
  if (since !== undefined) {
    // Flat fills have times in seconds, and clients send back the last one they saw.
    const sinceMs = since < MILLISECONDS_MIN ? since * 1000 : since
    return { kind: 'since', sinceMs }
  }
  return count === undefined ? { kind: 'default' } : { kind: 'count', count }
}
