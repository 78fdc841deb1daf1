import { Type } from 'typebox'
import { MILLISECONDS_MIN } from '../core/unix-time.js'

/**
 * A rule for the text of a parameter. `read` gives the one spelling that handlers see; the pattern is
 * tried after that. A schema names its rule as its `format`.
 */
export type ParameterFormat = { read: (text: string) => string; pattern: RegExp }

const lower = (text: string): string => text.toLowerCase()

export const PARAMETER_FORMATS: Record<string, ParameterFormat> = {
  address: { read: lower, pattern: /^0x[0-9a-f]{40}$/ },
  hash: { read: lower, pattern: /^0x[0-9a-f]{64}$/ },
  // A structured condition id lacks its last byte in some answers of the platform.
  'condition-id': {
    read: (text) => lower(text).replace(/^(0x[0-9a-f]{62})$/, '$100'),
    pattern: /^0x[0-9a-f]{64}$/,
  },
  'token-id': { read: (text) => text.replace(/^0+(?=\d)/, ''), pattern: /^\d{1,78}$/ },
  usd: { read: (text) => text, pattern: /^\d{1,12}(\.\d{1,6})?$/ },
  millionths: { read: (text) => text, pattern: /^\d{1,18}$/ },
}

export const Address = Type.String({
  format: 'address',
  description: '0x and 40 hexadecimal digits',
  examples: ['0x1111111111111111111111111111111111111111'],
})

export const TokenId = Type.String({
  format: 'token-id',
  description: 'an outcome token: a decimal number of 1 to 78 digits',
  examples: ['7123'],
})

export const ConditionId = Type.String({
  format: 'condition-id',
  description: 'a condition: 0x and 64 hexadecimal digits',
})

export const OrderHash = Type.String({
  format: 'hash',
  description: 'an order: 0x and 64 hexadecimal digits',
})

export const Slug = Type.String({ minLength: 1, maxLength: 300, description: 'a slug' })

export const EventId = Type.Integer({
  minimum: 0,
  maximum: 2 ** 31 - 1,
  description: 'the number of an event',
})

/** Text, because a JavaScript number is not exact: `parseMillionths` of core/money.ts reads it. */
export const Usd = Type.String({
  format: 'usd',
  description: 'dollars, with at most 6 decimals',
  examples: ['12.5'],
})

export const Millionths = Type.String({
  format: 'millionths',
  description: 'a whole number of millionths',
  examples: ['12500000'],
})

/** A value that is too large was meant in milliseconds: the refusal has a hint then. */
export const UnixSeconds = Type.Integer({
  minimum: 0,
  maximum: MILLISECONDS_MIN - 1,
  description: 'Unix seconds',
  examples: [1793000000],
})

/** Both ends are included. */
export const TimeBounds = {
  after: Type.Optional(UnixSeconds),
  before: Type.Optional(UnixSeconds),
}

/** A text out of few; the refusal lists them. */
export const oneOf = <const Value extends string>(
  values: readonly Value[],
  description: string,
  byDefault?: Value,
) =>
  Type.Unsafe<Value>(
    Type.String({
      enum: [...values],
      description,
      ...(byDefault !== undefined && { default: byDefault }),
    }),
  )

export const Order = Type.Optional(
  oneOf(['asc', 'desc'], '`desc`, the default, has the newest first'),
)

/** What the rows of a list are about; several must all be true. */
export const MarketFilters = {
  token_id: Type.Optional(TokenId),
  condition_id: Type.Optional(ConditionId),
  market_slug: Type.Optional(Slug),
  event_slug: Type.Optional(Slug),
  event_id: Type.Optional(EventId),
}
