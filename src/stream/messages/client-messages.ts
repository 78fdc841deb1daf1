import { type Static, type TProperties, Type } from 'typebox'
import { MILLISECONDS_MAX } from '../../core/unix-time.js'
import { optional } from '../../events/message.js'
import { AMOUNT_USD_MAX } from '../subscriptions/filter-fields.js'
import { PRESETS, SELECTABLE_TYPES } from '../subscriptions/presets.js'

const Texts = (description: string) => Type.Array(Type.String(), { description })
const Usd = (description: string) => Type.Number({ minimum: 0, maximum: AMOUNT_USD_MAX, description })

/** What the client wants of the past. Above `filters` or in them. */
const REPLAY = {
  event_types: Type.Array(Type.String({ enum: [...SELECTABLE_TYPES] }), {
    description: 'Event types to receive, in place of those of the preset',
  }),
  snapshot_count: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Replay so many of the newest matching events; the plan caps it. 0: none',
  }),
  since: Type.Number({
    minimum: 0,
    maximum: MILLISECONDS_MAX,
    description: 'Replay all matching events after this time, in Unix milliseconds',
  }),
  since_seq: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Replay all matching events behind the event with this `seq`',
  }),
}

/** What the client wants of the coin prices. Above `filters` or in them. */
const PRICES = {
  feeds: Texts('Coin prices: names such as `BTC/USD`, in any letter case. Left out: all'),
  price_source: Type.Literal('spot', { description: 'Coin prices: the spot price alone' }),
  twap_windows: Type.Array(Type.Integer({ enum: [30, 60] }), {
    description: 'Coin prices: the means over so many seconds, in place of the spot price',
  }),
}

/** Which scores the client wants. Above `filters` or in them. */
const SCORES = {
  leagues: Texts('Scores: codes of leagues such as `nba`, in any letter case. Left out: all'),
  game_slugs: Texts('Scores: slugs of games. Left out: all'),
}

/** One of several values matches within a filter; all filters of a subscription must match. */
export const SubscriptionFilters = Type.Object(
  optional({
    wallets: Texts('Addresses that take part in the event, in any role and letter case'),
    tokens: Texts('Token ids; for combos also those of the combo and of its legs'),
    markets: Texts('The same as `tokens`'),
    slugs: Texts('Market slugs, resolved to tokens when the subscription is made'),
    condition_ids: Texts('Condition ids, resolved like slugs; for combos compared as they are'),
    side: Type.String({ description: '`BUY` or `SELL`; for combos `YES` or `NO`' }),
    direction: Type.String({ description: 'Combos: `BUY` or `SELL` of the requester' }),
    min_size: Usd('Worth in dollars, at least'),
    max_size: Usd('Worth in dollars, at most'),
    status: Type.String({
      enum: ['pending', 'confirmed', 'all'],
      description: 'Before the event is in a block, from then on, or both',
    }),
    combo_condition_ids: Texts('Combos: their condition ids'),
    leg_position_ids: Texts('Combos: position ids of legs'),
    event_ids: Texts('Combos: structured ids of the events of their legs'),
    module_ids: Type.Array(Type.Integer({ minimum: 1, maximum: 4 }), {
      description: 'Combos: 1 binary, 2 neg-risk, 3 combinatorial',
    }),
    action: Type.String({ description: '`combo_lifecycle`: the action, such as `Split`' }),
    ...REPLAY,
    ...PRICES,
    ...SCORES,
  }),
  { description: 'A filter that is left out, or empty, matches everything' },
)
export type SubscriptionFilters = Static<typeof SubscriptionFilters>

const action = <const Name extends string>(name: Name, fields: TProperties = {}) =>
  Type.Object({ action: Type.Literal(name), ...fields })

/** Makes a subscription. Each one is independent: an event that several match is sent once. */
export const SubscribeMessage = action('subscribe', {
  type: Type.Optional(
    Type.String({
      enum: [...PRESETS.keys()],
      default: 'settlements',
      description: 'The preset: which events to receive',
    }),
  ),
  filters: Type.Optional(SubscriptionFilters),
  ...optional(REPLAY),
  ...optional(PRICES),
  ...optional(SCORES),
})

/** Ends one subscription, or all of them. */
export const UnsubscribeMessage = action('unsubscribe', {
  subscription_id: Type.Optional(
    Type.String({ description: 'From the acknowledgement; left out: all subscriptions' }),
  ),
})

export const PingMessage = action('ping')

const Identifiers = Texts(
  'Token ids, condition ids (both tokens), event slugs (all their tokens), or `*` alone for all books',
)
const BOOKS = optional({
  type: Type.Literal('orderbook', { description: 'Needed on the event socket with `markets`' }),
  markets: Identifiers,
  token_ids: Identifiers,
})

/** Follows books. It replaces the set of the connection; a list that resolves to nothing changes nothing. */
export const SubscribeBooksMessage = action('subscribe', BOOKS)

/** Ends all books of the connection, or those that are named. */
export const UnsubscribeBooksMessage = action('unsubscribe', BOOKS)

/** Integrity mode: asks for new anchors of some books, or of all. */
export const ResyncMessage = action('resync', optional({ markets: Identifiers }))
