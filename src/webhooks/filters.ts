import {
  ID_PATTERNS,
  normalizeBuilderCode,
  normalizeConditionId,
  parseTokenId,
  toTokenId,
} from '../core/ids.js'

/** What a position of a wallet in a token can be. */
export const WATCHED_STATUSES = ['none', 'open', 'closed', 'redeemable', 'redeemed'] as const
export type WatchedStatus = (typeof WATCHED_STATUSES)[number]

/** What a value of a list may be. */
export type ItemRule = {
  pattern: string
  /** Completes "each value must be …". */
  meaning: string
  lengthMax: number
  /** The one spelling that is stored; `undefined`: the text is not what it looks like. */
  read: (text: string) => string | undefined
}

type FilterRule =
  | { kind: 'list'; itemsMax: number; item: ItemRule }
  | { kind: 'number'; max: number; meaning: string }
  | { kind: 'integer'; max: number; meaning: string }
  | { kind: 'choice'; values: readonly string[]; meaning: string }

const lower = (text: string): string => text.toLowerCase()

const ADDRESS: ItemRule = {
  pattern: ID_PATTERNS.address,
  meaning: 'an address: 0x and 40 hexadecimal digits',
  lengthMax: 42,
  read: lower,
}

const TOKEN: ItemRule = {
  pattern: '^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$',
  meaning: 'a token id as text: a decimal number, or 0x and hexadecimal digits',
  lengthMax: 78,
  read: (text) => {
    const bytes = text.startsWith('0x') ? text : parseTokenId(text)
    return bytes === undefined ? undefined : toTokenId(bytes)
  },
}

const CONDITION: ItemRule = {
  pattern: ID_PATTERNS.conditionId,
  meaning: 'a condition id: 0x and 64 hexadecimal digits',
  lengthMax: 66,
  read: normalizeConditionId,
}

const BUILDER: ItemRule = {
  pattern: ID_PATTERNS.builderCode,
  meaning: 'a builder code: 0x and 64 hexadecimal digits',
  lengthMax: 66,
  read: normalizeBuilderCode,
}

/** Text of a catalogue that is not ours: everything but what JSON of the database cannot hold. */
const NAME: ItemRule = {
  pattern: '^[^\\u0000-\\u001f\\ud800-\\udfff]+$',
  meaning: 'text of 1 to 300 characters without control characters',
  lengthMax: 300,
  read: (text) => text,
}

const USD_MAX = 1e12
const dollars = (meaning: string) => ({ kind: 'number', max: USD_MAX, meaning }) as const
const list = (itemsMax: number, item: ItemRule) => ({ kind: 'list', itemsMax, item }) as const

/** What each filter may be: the types, the parser and the OpenAPI document follow from it. */
const RULES = {
  wallet_addresses: list(500, ADDRESS),
  token_ids: list(100, TOKEN),
  condition_ids: list(100, CONDITION),
  event_slugs: list(50, NAME),
  tags: list(20, NAME),
  builder_codes: list(100, BUILDER),
  receiver_addresses: list(500, ADDRESS),
  min_amount_usd: dollars('dollars, inclusive'),
  min_fee_usd: dollars('dollars, inclusive'),
  min_delta_pct: { kind: 'number', max: 1e9, meaning: 'percent of the price before' },
  min_pnl_change_usd: dollars('dollars, up or down'),
  min_total_usd: dollars('dollars, inclusive'),
  side: { kind: 'choice', values: ['BUY', 'SELL'], meaning: "the direction of the maker's order" },
  status_from: { kind: 'choice', values: WATCHED_STATUSES, meaning: 'what a position was' },
  status_to: {
    kind: 'choice',
    values: WATCHED_STATUSES.filter((status) => status !== 'none'),
    meaning: 'what a position is now',
  },
  confirmations: {
    kind: 'integer',
    max: 64,
    meaning: 'events wait until so many blocks are on top of theirs',
  },
} as const satisfies Record<string, FilterRule>

/**
 * The filters of a webhook as they are stored and shown, checked by `parseFilters`. Values of a list are
 * alternatives; different filters must all hold; an absent or empty one lets everything pass. A type
 * ignores filters that it does not know. Addresses, condition ids and builder codes are in lower case.
 */
export type WebhookFilters = { -readonly [Name in FilterName]?: ValueOf<(typeof RULES)[Name]> }

export type FilterName = keyof typeof RULES

type ValueOf<Rule extends FilterRule> = Rule extends { kind: 'list' }
  ? readonly string[]
  : Rule extends { values: readonly (infer Value)[] }
    ? Value
    : number

export const FILTER_RULES: Readonly<Record<FilterName, FilterRule>> = RULES

export const FILTER_NAMES = Object.keys(RULES) as FilterName[]
