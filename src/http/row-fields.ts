import { type TNumberOptions, type TSchema, type TStringOptions, Type } from 'typebox'
import { namedEnum } from '../lib/named-object.js'

/**
 * What a value stands for where its JSON type does not say it: money, prices and shares are numbers or
 * texts, times are numbers or texts. Formats with types of their own store it by this.
 *
 *   decimal       up to six decimals
 *   integer       a whole number as text, such as millionths
 *   seconds       Unix seconds, as number or text
 *   milliseconds  Unix milliseconds, as number or text
 *   utc           a time as text: ISO 8601 and the spellings of `core/unix-time.ts`
 *   day           `2026-01-31`
 */
export type Meaning = 'decimal' | 'integer' | 'seconds' | 'milliseconds' | 'utc' | 'day'

/** A symbol stays out of the OpenAPI document and is kept by every copy that TypeBox makes. */
const MEANING = Symbol('meaning')

/** `undefined`: the JSON type says everything. */
export const meaningOf = (schema: TSchema): Meaning | undefined =>
  (schema as { [MEANING]?: Meaning })[MEANING]

/** Dollars, dollars for a share, or shares. */
export const Decimal = (description?: string, options: TNumberOptions = {}) =>
  Type.Number({ ...described(description), ...options, [MEANING]: 'decimal' })

/** The same as text, where the platform writes it so. */
export const DecimalText = (description?: string, options: TStringOptions = {}) =>
  Type.String({ ...described(description), ...options, [MEANING]: 'decimal' })

/** A whole number that may be too large for a JSON number, such as millionths. */
export const IntegerText = (description?: string, options: TStringOptions = {}) =>
  Type.String({ ...described(description), ...options, [MEANING]: 'integer' })

export const UnixTime = (description = 'Unix seconds') => Type.Integer({ description, [MEANING]: 'seconds' })

export const MillisecondTime = (description = 'Unix milliseconds') =>
  Type.Integer({ description, [MEANING]: 'milliseconds' })

export const SecondsText = (description = 'Unix seconds') =>
  Type.String({ description, [MEANING]: 'seconds' })

export const MillisecondsText = (description = 'Unix milliseconds') =>
  Type.String({ description, [MEANING]: 'milliseconds' })

/** A time as text, UTC. */
export const UtcText = (options: TStringOptions = {}) => Type.String({ ...options, [MEANING]: 'utc' })

export const Day = (description = 'UTC') => Type.String({ description, [MEANING]: 'day' })

/** What the subject of a row does. */
export const TradeSideField = (description?: string) => namedEnum('TradeSide', ['BUY', 'SELL'], description)

/** Whether an order rested or took. */
export const FillRoleField = (description?: string) => namedEnum('FillRole', ['maker', 'taker'], description)

const described = (description: string | undefined) => (description === undefined ? {} : { description })
