import { Type } from 'typebox'
import { ID_PATTERNS, normalizeBuilderCode, normalizeConditionId, normalizeTokenId } from '../core/ids.js'
import { MILLISECONDS_MAX, MILLISECONDS_MIN } from '../core/unix-time.js'
import { BLANK_CHARACTERS } from '../lib/blank-characters.js'

const PERIODS_BY_WORD = new Map([
  ['day', '1d'],
  ['week', '7d'],
  ['month', '30d'],
])

const SCOPE_KINDS_BY_PLURAL = new Map([
  ['categories', 'category'],
  ['tags', 'tag'],
])

/**
 * How the text of a parameter becomes the one spelling that handlers see, by the `format` of its
 * schema. What is allowed is in the rest of the schema, for validation and generated clients alike.
 */
export const PARAMETER_READERS: Record<string, (text: string) => string> = {
  hex: (text) => text.toLowerCase(),
  'condition-id': normalizeConditionId,
  'builder-code': normalizeBuilderCode,
  'token-id': normalizeTokenId,
  'any-case': (text) => text.toLowerCase(),
  'any-case-capitals': (text) => text.toUpperCase(),
  trimmed: (text) => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, ''),
  // Control characters stay, and are refused.
  'outer-spaces': (text) => text.replace(/^ +| +$/g, ''),
  period: (text) => PERIODS_BY_WORD.get(text) ?? text,
  'scope-kind': (text) => SCOPE_KINDS_BY_PLURAL.get(text) ?? text,
  // A mixture of capitals and small letters is a mistake, and stays one.
  capitals: (text) => (text === text.toLowerCase() ? text.toUpperCase() : text),
}

export const Address = Type.String({
  title: 'Address',
  format: 'hex',
  pattern: ID_PATTERNS.address,
  description: '0x and 40 hexadecimal digits',
  examples: ['0x1111111111111111111111111111111111111111'],
})

const ADDRESSES_MAX = 20

/** Several addresses in one parameter, which `toAddresses` takes apart. */
export const AddressList = Type.String({
  title: 'AddressList',
  format: 'hex',
  pattern: `^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,${ADDRESSES_MAX - 1}}$`,
  description: `1 to ${ADDRESSES_MAX} addresses with commas between them`,
  examples: ['0x1111111111111111111111111111111111111111'],
})

/** Each address of an `AddressList` once. */
export const toAddresses = (list: string): string[] => [...new Set(list.split(','))]

export const TokenId = Type.String({
  title: 'TokenId',
  format: 'token-id',
  pattern: ID_PATTERNS.tokenId,
  description: 'an outcome token: a decimal number of 1 to 78 digits',
  examples: ['7123'],
})

export const ConditionId = Type.String({
  title: 'ConditionId',
  format: 'condition-id',
  pattern: ID_PATTERNS.conditionId,
  description: 'a condition: 0x and 64 hexadecimal digits',
})

export const OrderHash = Type.String({
  title: 'OrderHash',
  format: 'hex',
  pattern: ID_PATTERNS.bytes32,
  description: 'an order: 0x and 64 hexadecimal digits',
})

export const TxHash = Type.String({
  title: 'TxHash',
  format: 'hex',
  pattern: ID_PATTERNS.bytes32,
  description: 'a transaction: 0x and 64 hexadecimal digits',
})

export const BuilderCode = Type.String({
  title: 'BuilderCode',
  format: 'builder-code',
  pattern: ID_PATTERNS.builderCode,
  description: 'a builder: 64 hexadecimal digits',
})

export const Slug = Type.String({
  title: 'Slug',
  minLength: 1,
  maxLength: 300,
  pattern: '^[^\\u0000]*$',
  description: 'a slug',
})

const CONTROL = '\\u0000-\\u001f\\u007f'

/** What to search for. Its meaning is a title, so that the refusal of a request without it is bare. */
export const SearchText = Type.String({
  format: 'trimmed',
  minLength: 1,
  maxLength: 200,
  // At least one character that can be seen.
  pattern: `^[^${CONTROL}]*[^${BLANK_CHARACTERS}${CONTROL}][^${CONTROL}]*$`,
  title: 'words, without control characters',
  examples: ['bitcoin november'],
})

export const EventId = Type.Integer({
  title: 'EventId',
  minimum: 0,
  maximum: 2 ** 31 - 1,
  description: 'the number of an event',
})

/** Text, because a JavaScript number is not exact: `parseMillionths` of core/money.ts reads it. */
export const Usd = Type.String({
  title: 'Usd',
  pattern: '^[0-9]{1,12}(\\.[0-9]{1,6})?$',
  description: 'dollars, with at most 6 decimals',
  examples: ['12.5'],
})

/** Text, as `Usd` is. */
export const Shares = Type.String({
  title: 'Shares',
  pattern: '^[0-9]{1,12}(\\.[0-9]{1,6})?$',
  description: 'shares, with at most 6 decimals',
  examples: ['10.5'],
})

export const Millionths = Type.String({
  title: 'Millionths',
  pattern: '^[0-9]{1,18}$',
  description:
    'a whole number of millionths of a dollar or share: 12500000 is 12.50; `min_amount_usd` takes dollars',
  examples: ['12500000'],
})

/** A value that is too large was meant in milliseconds: the refusal has a hint then. */
export const UnixSeconds = Type.Integer({
  minimum: 0,
  maximum: MILLISECONDS_MIN - 1,
  description: 'Unix seconds',
  examples: [1793000000],
})

/** A value that is too small was meant in seconds: the refusal has a hint then. */
export const UnixMilliseconds = (description: string) =>
  Type.Integer({
    minimum: MILLISECONDS_MIN,
    maximum: MILLISECONDS_MAX,
    description,
    examples: [1793000000000],
  })

/** Not every such text is a day: `parseUtcDay` of core/unix-time.ts reads it. */
export const UtcDate = Type.String({
  title: 'UtcDate',
  pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$',
  description: 'a UTC day',
  examples: ['2026-11-12'],
})

/** Both ends are included. */
export const TimeBounds = {
  after: Type.Optional(UnixSeconds),
  before: Type.Optional(UnixSeconds),
}

/** A text out of few; the refusal lists them. `format`: how it is read before. `title`: its name in the document. */
export const oneOf = <const Value extends string>(
  values: readonly Value[],
  description: string,
  options: { title?: string; default?: NoInfer<Value>; format?: string } = {},
) => Type.Unsafe<Value>(Type.String({ enum: [...values], description, ...options }))

export const Order = Type.Optional(
  oneOf(['asc', 'desc'], '`desc`, the default, has the newest first', { title: 'SortOrder' }),
)

/** What the rows of a list are about; several must all be true. */
export const MarketFilters = {
  token_id: Type.Optional(TokenId),
  condition_id: Type.Optional(ConditionId),
  market_slug: Type.Optional(Slug),
  event_slug: Type.Optional(Slug),
  event_id: Type.Optional(EventId),
}
