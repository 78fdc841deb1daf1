import { type TSchema, Type } from 'typebox'
import { parseAddress } from '../../core/ids.js'
import { parseConditionId } from '../../core/structured-id.js'
import { MILLISECONDS_MAX } from '../../core/unix-time.js'
import { PRESETS, SELECTABLE_TYPES } from '../../events/registry.js'
import { showValue } from '../../lib/show-value.js'
import { type Feed, feedOf, SYMBOLS } from '../../prices/streams.js'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { Refusal } from '../connection.js'

/** A message of a client, or an object in it, before it is read. */
export type ClientFields = Readonly<Record<string, unknown>>

/** Reads one value of a client; `undefined`: it is not valid. */
type Reader<Value> = (value: unknown) => Value | undefined

/** What one filter may be. */
type FilterRule<Value> = {
  /** Its length counts as filter items. */
  isList: boolean
  /** `undefined`: another name of a filter, which documents leave out. */
  schema: TSchema | undefined
  /** `undefined`: the same as no filter. Throws a `Refusal` that names the filter. */
  parse: (value: unknown, name: string) => Value | undefined
}

/** `meaning` completes "must hold …"; `description` is that of the documents. */
const list = <Item>(
  read: Reader<Item>,
  meaning: string,
  description?: string,
  item: TSchema = Type.String(),
): FilterRule<ReadonlySet<Item>> => ({
  isList: true,
  schema: description === undefined ? undefined : Type.Array(item, { description }),
  parse: (values, name) => {
    if (!Array.isArray(values)) throw invalid(name, 'must be a list', values)
    const items = new Set<Item>()
    for (const value of values) {
      const item = read(value)
      if (item === undefined) throw invalid(name, `must hold ${meaning}`, value)
      items.add(item)
    }
    return items.size === 0 ? undefined : items
  },
})

/** `meaning` completes "must be …". */
const single = <Value>(read: Reader<Value>, meaning: string, schema: TSchema): FilterRule<Value> => ({
  isList: false,
  schema,
  parse: (input, name) => {
    const value = read(input)
    if (value === undefined) throw invalid(name, `must be ${meaning}`, input)
    return value
  },
})

const invalid = (name: string, problem: string, value: unknown): Refusal =>
  new Refusal('invalid_filter', `${name} ${problem}, not ${showValue(value)}`)

const text =
  (read: (item: string) => string | undefined): Reader<string> =>
  (item) =>
    typeof item === 'string' ? read(item) : undefined

const matching = (item: string, pattern: RegExp): string | undefined =>
  pattern.test(item) ? item : undefined

/** One of few texts, in any letter case. */
const oneOf = <const Name extends string>(names: readonly Name[]): Reader<Name> => {
  const byLower = new Map(names.map((name) => [name.toLowerCase(), name]))
  return (item) => (typeof item === 'string' ? byLower.get(item.toLowerCase()) : undefined)
}

/** From 0 to the most that there can be. */
const upTo =
  (max: number): Reader<number> =>
  (item) =>
    typeof item === 'number' && item >= 0 && item <= max ? item : undefined

const whole: Reader<number> = (item) =>
  typeof item === 'number' && Number.isSafeInteger(item) && item >= 0 ? item : undefined

/** 29 bytes, or padded to more. */
const EVENT_ID = /^0x[0-9a-f]{58,64}$/
const EVENT_ID_LENGTH = 60
const LEAGUE = /^[a-z0-9_-]{1,40}$/
const SLUG_LENGTH_MAX = 300
/** No trade is worth more. */
const AMOUNT_USD_MAX = 1e12

const tokens = (description?: string) => list(readToken, 'token ids: decimal numbers as text', description)
/** In the spelling of the data: a decimal number without leading zeros. */
const readToken = text((item) => matching(item, /^\d{1,78}$/)?.replace(/^0+(?=\d)/, ''))

/** Of 31 or 32 bytes; padded to 32. */
const conditions = (description: string) => list(text(parseConditionId), 'condition ids in hex', description)

const slugs = (description: string) => list(readSlug, 'slugs of 1 to 300 characters', description)
const readSlug = text((item) =>
  item.length > 0 && item.length <= SLUG_LENGTH_MAX && !item.includes('\0') ? item : undefined,
)

const dollars = (description: string) =>
  single(
    upTo(AMOUNT_USD_MAX),
    `a number of dollars from 0 to ${AMOUNT_USD_MAX}`,
    Type.Number({ minimum: 0, maximum: AMOUNT_USD_MAX, description }),
  )

const count = (meaning: string, description: string) =>
  single(whole, meaning, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

const choice = <const Name extends string>(names: readonly Name[], meaning: string, description: string) =>
  single(oneOf(names), meaning, Type.String({ description }))

const STATUSES = ['pending', 'confirmed', 'all'] as const
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

export const FEEDS = SYMBOLS.map(feedOf)
const readFeedName = oneOf(FEEDS)
const readSymbol = oneOf(SYMBOLS)

function readFeed(item: unknown): Feed | undefined {
  const symbol = readSymbol(item)
  return symbol === undefined ? readFeedName(item) : feedOf(symbol)
}

const readWindow: Reader<PriceKind> = (item) => (item === 30 ? 'twap30' : item === 60 ? 'twap60' : undefined)

const MODULE_IDS: readonly unknown[] = [1, 2, 3, 4]
const readModule: Reader<number> = (item) =>
  typeof item === 'number' && MODULE_IDS.includes(item) ? item : undefined

/** What events are compared with. Documents show them inside of `filters` only. */
const EVENT_FILTERS = {
  wallets: list(
    text((item) => parseAddress(item.toLowerCase())),
    'addresses: 0x and 40 hexadecimal digits',
    'Addresses that take part in the event, in any role and letter case',
  ),
  tokens: tokens('Token ids; for combos also those of the combo and of its legs'),
  markets: tokens('The same as `tokens`'),
  token_ids: tokens(),
  slugs: slugs('Market slugs, resolved to tokens when the subscription is made'),
  condition_ids: conditions('Condition ids, resolved like slugs; for combos compared as they are'),
  side: choice(
    ['BUY', 'SELL', 'YES', 'NO'],
    'BUY or SELL, for combos YES or NO',
    '`BUY` or `SELL`; for combos `YES` or `NO`',
  ),
  direction: choice(['BUY', 'SELL'], 'BUY or SELL', 'Combos: `BUY` or `SELL` of the requester'),
  min_size: dollars('Worth in dollars, at least'),
  max_size: dollars('Worth in dollars, at most'),
  status: single(
    oneOf(STATUSES),
    'pending, confirmed or all',
    Type.String({
      enum: [...STATUSES],
      description: 'Before the event is in a block, from then on, or both',
    }),
  ),
  combo_condition_ids: conditions('Combos: their condition ids'),
  leg_position_ids: list(readToken, 'position ids: decimal numbers', 'Combos: position ids of legs'),
  event_ids: list(
    text((item) => matching(item.toLowerCase(), EVENT_ID)?.slice(0, EVENT_ID_LENGTH)),
    'event ids: 0x and 58 hexadecimal digits',
    'Combos: structured ids of the events of their legs',
  ),
  module_ids: list(
    readModule,
    'module ids: 1, 2 or 3',
    'Combos: 1 binary, 2 neg-risk, 3 combinatorial',
    Type.Integer({ minimum: 1, maximum: 4 }),
  ),
  action: choice(ACTIONS, `one of ${ACTIONS.join(', ')}`, '`combo_lifecycle`: the action, such as `Split`'),
}

/** Which events, what of the past, which coin prices and which scores. Above `filters` or in them. */
const SELECTIONS = {
  event_types: list(
    oneOf(SELECTABLE_TYPES),
    `event types. Valid ones: ${SELECTABLE_TYPES.join(', ')}`,
    'Event types to receive, in place of those of the preset',
    Type.String({ enum: [...SELECTABLE_TYPES] }),
  ),
  snapshot_count: count(
    'a whole number',
    'Replay so many of the newest matching events; the plan caps it. 0: none',
  ),
  since: single(
    upTo(MILLISECONDS_MAX),
    'a Unix time in milliseconds',
    Type.Number({
      minimum: 0,
      maximum: MILLISECONDS_MAX,
      description: 'Replay all matching events after this time, in Unix milliseconds',
    }),
  ),
  since_seq: count('the seq of an event', 'Replay all matching events behind the event with this `seq`'),
  feeds: list(
    readFeed,
    `feeds. Valid ones: ${FEEDS.join(', ')}`,
    'Coin prices: names such as `BTC/USD`, in any letter case. Left out: all',
  ),
  price_source: single(
    oneOf(['spot']),
    '"spot"',
    Type.Literal('spot', { description: 'Coin prices: the spot price alone' }),
  ),
  twap_windows: list(
    readWindow,
    '30 or 60',
    'Coin prices: the means over so many seconds, in place of the spot price',
    Type.Integer({ enum: [30, 60] }),
  ),
  leagues: list(
    text((item) => matching(item.toLowerCase(), LEAGUE)),
    'codes of leagues: 1 to 40 letters, digits, hyphens and underscores',
    'Scores: codes of leagues such as `nba`, in any letter case. Left out: all',
  ),
  game_slugs: slugs('Scores: slugs of games. Left out: all'),
}

const TABLE = { ...EVENT_FILTERS, ...SELECTIONS }
type Values = { [Name in keyof typeof TABLE]: Exclude<ReturnType<(typeof TABLE)[Name]['parse']>, undefined> }
type FilterName = keyof Values

/** Every filter: the parser, the schema of the subscribe message and the documents follow from it. */
const FILTERS: { readonly [Name in FilterName]: FilterRule<Values[Name]> } = TABLE
const LISTS = (Object.keys(FILTERS) as FilterName[]).filter((name) => FILTERS[name].isList)

const describe = (filters: { readonly [name: string]: FilterRule<unknown> }) =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, { schema }]) =>
      schema === undefined ? [] : [[name, Type.Optional(schema)]],
    ),
  )

/** What a subscribe message may say besides its action. */
export const SUBSCRIBE_FIELDS = {
  type: Type.Optional(
    Type.String({
      enum: [...PRESETS.keys()],
      default: 'settlements',
      description: 'The preset: which events to receive',
    }),
  ),
  filters: Type.Optional(
    Type.Object(describe(FILTERS), {
      description: 'A filter that is left out, or empty, matches everything',
    }),
  ),
  ...describe(SELECTIONS),
}

const UNKNOWN_NAMED_MAX = 10
/** Items of a list that are read before the sockets are read again. */
const PIECE_ITEMS = 1_000

/**
 * The filters of a subscribe message. A filter stands in `filters` or beside them, and `filters` wins.
 * `null` and empty lists count as left out. What is wrong throws a `Refusal` that names the field.
 */
export class FilterFields {
  readonly #message: ClientFields
  readonly #filters: ClientFields
  /** Lists that were read already. */
  readonly #read = new Map<FilterName, ReadonlySet<unknown>>()

  constructor(message: ClientFields) {
    const filters = message.filters ?? {}
    if (!isRecord(filters)) throw invalid('filters', 'must be an object', filters)
    this.#message = message
    this.#filters = filters
  }

  /** Sum of the lengths of all lists. */
  get itemCount(): number {
    const lists = LISTS.map((name) => this.#get(name))
    return lists.reduce((sum: number, items) => sum + (Array.isArray(items) ? items.length : 0), 0)
  }

  /** Names in `filters` that mean nothing here. */
  get unknownNames(): string[] {
    const unknown = Object.keys(this.#filters).filter((name) => !Object.hasOwn(FILTERS, name))
    return unknown.slice(0, UNKNOWN_NAMED_MAX).map((name) => showValue(name))
  }

  has(...names: readonly FilterName[]): boolean {
    return names.some((name) => {
      const value = this.#get(name)
      return value !== undefined && !(Array.isArray(value) && value.length === 0)
    })
  }

  /** Reads long lists in pieces, and does something else between them. */
  async readLists(between: () => Promise<void>): Promise<void> {
    for (const name of LISTS) {
      const values = this.#get(name)
      if (!Array.isArray(values) || values.length <= PIECE_ITEMS) continue
      const items = new Set<unknown>()
      for (let from = 0; from < values.length; from += PIECE_ITEMS) {
        const piece = FILTERS[name].parse(values.slice(from, from + PIECE_ITEMS), name)
        if (piece instanceof Set) for (const item of piece) items.add(item)
        await between()
      }
      this.#read.set(name, items)
    }
  }

  /** `undefined`: the filter is left out. */
  read<Name extends FilterName>(name: Name): Values[Name] | undefined {
    const known = this.#read.get(name)
    if (known !== undefined) return known as Values[Name]
    const value = this.#get(name)
    return value === undefined ? undefined : FILTERS[name].parse(value, name)
  }

  #get(name: FilterName): unknown {
    const inside = this.#filters[name] ?? undefined
    // Beside the filters, `action` is what the message is.
    return inside !== undefined || name === 'action' ? inside : (this.#message[name] ?? undefined)
  }
}

export const isRecord = (value: unknown): value is ClientFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
