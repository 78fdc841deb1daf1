import type { Static, TObject, TOptional, TProperties, TSchema } from 'typebox'
import { Type } from 'typebox'
import type { ComboKeys, EventData, EventDraft, EventKeys } from '../bus/event.js'
import { CANONICAL_PATTERNS } from '../core/ids.js'
import { toDecimal } from '../core/money.js'
import { blockOf, logIndexOf } from '../core/seq.js'
import { padId } from '../core/structured-id.js'
import { namedEnum } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'

/** What subscriptions, plans and documents have to know of an event type. */
export type EventTraits = {
  /** What the event says, for readers of the documents. */
  summary: string
  /** The messages that the documents show, by name: each is one whose data has these values. */
  examples: { readonly [name: string]: EventData }
  /** It may be published before it is in a block. */
  canBePending?: boolean
  /** There are few of them: a subscription to all of them does not count as a firehose. */
  isRare?: boolean
  /** A client that names it receives all of them, whichever wallets or markets it follows. */
  ignoresFilters?: boolean
  /** Which meter counts the transfer; `ws_onchain` unless given. */
  meter?: 'ws_market'
}

/** A kind of message: its event type and the schema of everything that a client receives. */
export type Message<Name extends string = string> = EventTraits & { type: Name; schema: TSchema }

type Definition<Name extends string, Fields extends TProperties> = EventTraits & {
  type: Name
  fields: Fields
}

/**
 * Defines the message of one event type. `fields` are those of its data. The schema gives the type
 * that `draft` checks, and is what tests and documents of the stream use.
 */
export function defineMessage<const Name extends string, Fields extends TProperties>({
  type,
  fields,
  ...traits
}: Definition<Name, Fields>) {
  const data = closed({ event_type: Type.Literal(type), ...fields })
  return {
    ...traits,
    type,
    schema: closed({ type: Type.Literal(type), timestamp: Wire.Ms, seq: Wire.Seq, data }),
    draft(timestampMs: number, values: Values<Fields>, keys: KeyFields): EventDraft {
      return { type, timestampMs, data: { event_type: type, ...values }, keys: toKeys(keys) }
    },
  }
}

/** Defines the message of events that come from a log: its position on the chain is added to the fields. */
export function defineLogMessage<const Name extends string, Fields extends TProperties>(
  definition: Definition<Name, Fields>,
) {
  const { type, fields } = definition
  return {
    ...defineMessage({ ...definition, fields: { ...LOG, ...fields } }),
    draft(fact: LoggedFact, values: Values<Fields>, keys: KeyFields): EventDraft {
      const log = presentLog(fact)
      const data: EventDraft['data'] = { event_type: type, ...log, ...values }
      return { type, timestampMs: log.timestamp, data, keys: toKeys(keys) }
    },
  }
}

/** The values of these fields. Optional ones may be `undefined`: they are left out of the message. */
export type Values<Fields extends TProperties> = Loose<Static<TObject<Fields>>>

type Loose<T> = T extends readonly (infer Item)[]
  ? readonly Loose<Item>[]
  : T extends object
    ? {
        readonly [K in keyof T]: Record<never, never> extends Pick<T, K>
          ? Loose<T[K]> | undefined
          : Loose<T[K]>
      }
    : T

/** An object without other fields than these. */
export const closed = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })

/** The same with a name, which its schema has in the documents. */
export const closedRow = <Fields extends TProperties>(name: string, fields: Fields) =>
  Type.Object(fields, { additionalProperties: false, title: name })

export const optional = <Fields extends TProperties>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, Type.Optional(type)])) as {
    [K in keyof Fields]: TOptional<Fields[K]>
  }

/** The same schema with a description, for readers of the documents that show it. */
export function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  // Typebox tells schemas apart by properties that a spread would lose.
  const copy: Schema = Object.defineProperties(Object.create(null), Object.getOwnPropertyDescriptors(schema))
  return Object.assign(copy, { description })
}

/** Types of single fields. */
export const Wire = {
  Text: Type.String({ minLength: 1 }),
  Count: Type.Integer({ minimum: 0 }),
  Amount: Type.Number({ minimum: 0 }),
  TokenId: Type.String({ pattern: '^[1-9][0-9]*$' }),
  Hash: Type.String({ pattern: CANONICAL_PATTERNS.bytes32 }),
  Ms: Type.Integer({ minimum: 1_600_000_000_000, description: 'Unix milliseconds' }),
  /** Nearly always up to 1, but no exchange refuses an order above it. */
  Price: Type.Number({ minimum: 0, description: 'dollars for a share' }),
  Side: namedEnum('TradeSide', ['BUY', 'SELL']),
  Digits: Type.String({ pattern: '^[0-9]+$' }),
  /** 31 bytes where it is structured. Only messages about combos write it so. */
  ConditionId: Type.String({ pattern: '^0x([0-9a-f]{64}|[0-9a-f]{62})$' }),
  Address: Type.String({ pattern: CANONICAL_PATTERNS.address }),
  Seq: Type.Integer({ minimum: 1, description: 'number of the event in its stream, ascending' }),
  IsTakerOrder: Type.Boolean({
    description: 'the fill of the order that takes, one in each match: the sum over these is the volume',
  }),
  YesNo: Type.Union([Type.Literal('YES'), Type.Literal('NO')]),
  ExchangeVersion: Type.String({
    pattern: '^v[2-9]$',
    description: 'absent on the first exchanges',
  }),
}

/** The market of an event, as far as the catalogue has it. */
export const MARKET = {
  market_title: Type.String(),
  market_slug: Type.String(),
  event_title: Type.Optional(Wire.Text),
  event_slug: Type.Optional(Wire.Text),
  market_image: Type.Optional(Wire.Text),
  neg_risk: Type.Boolean(),
  tick_size: Type.Optional(Wire.Amount),
  taker_base_fee: nullable(Wire.Count, 'basis points; null: no fee'),
  condition_id: described(Wire.Hash, 'a structured one of 31 bytes is padded with zeros'),
  outcomes: Type.Array(Type.String()),
  token_ids: described(Type.Array(Wire.TokenId), 'in the order of `outcomes`'),
  tokens: Type.Record(Type.String(), Type.String(), { description: 'outcomes by token id' }),
}
export type MarketFields = Values<typeof MARKET>

/** Of markets whose ids are structured, traded on exchange V3; absent on all others. */
export const PROTOCOL = {
  protocol_version: Type.Literal('v2'),
  module: Type.Union([Type.Literal('binary'), Type.Literal('neg_risk')]),
}
export type ProtocolFields = Values<typeof PROTOCOL>

/** What is known of the market of an event. Absent fields: the catalogue does not have it yet. */
export const ENRICHED = optional({ ...MARKET, ...PROTOCOL })

/** The same for an event about one token, whose outcome is named too. */
export const ENRICHED_TOKEN = {
  ...ENRICHED,
  outcome: Type.Optional(described(Type.String(), 'what the token of the event stands for')),
}

/** The position on the chain of an event that comes from a log. */
const LOG = {
  tx_hash: Wire.Hash,
  block_number: Wire.Count,
  log_index: Wire.Count,
  timestamp: described(Wire.Ms, 'time of the block, Unix milliseconds'),
}

type LoggedFact = { seq: number; timeSec: number; txHash: string }

export const presentLog = (fact: LoggedFact) => ({
  tx_hash: fact.txHash,
  block_number: blockOf(fact.seq),
  log_index: logIndexOf(fact.seq),
  timestamp: fact.timeSec * 1000,
})

export type KeyFields = {
  wallets?: readonly string[] | undefined
  tokens?: readonly string[] | undefined
  market?: MarketFields | undefined
  /** As the chain has it, for markets that the catalogue does not have. */
  conditionId?: string | undefined
  /** Replaces the condition of the market, where there may be several. */
  conditionIds?: readonly string[] | undefined
  side?: string | undefined
  usd?: bigint | undefined
  status?: EventKeys['status'] | undefined
  combo?: ComboKeys | undefined
}

export function toKeys(fields: KeyFields): EventKeys {
  const { wallets = [], tokens = [], market, side, usd, status = 'confirmed', combo } = fields
  const conditionId = market?.condition_id ?? fields.conditionId ?? []
  const conditionIds = fields.conditionIds ?? [conditionId].flat()
  return {
    wallets: distinct(wallets),
    tokens: distinct(tokens),
    conditionIds: distinct(conditionIds.map(padId)),
    marketSlug: market?.market_slug,
    eventSlug: market?.event_slug,
    side,
    sizeUsd: usd === undefined ? undefined : toDecimal(usd),
    status,
    ...(combo && { combo }),
  }
}

export const distinct = (texts: readonly string[]): readonly string[] =>
  texts.length < 2 ? texts : [...new Set(texts)]
