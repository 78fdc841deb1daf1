import { type Static, type TProperties, Type } from 'typebox'
import { optional } from '../../events/message.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { BOOK_ERRORS, ERROR_FIELDS, SOCKET_ERRORS } from './book-messages.js'

/** Why a message about events was not taken. */
export const STREAM_ERRORS = {
  ...SOCKET_ERRORS,
  invalid_filter: 'a filter has a wrong type or value, or an unknown feed',
  unknown_type: 'no preset has this `type`',
  unknown_subscription: 'the connection has no subscription with this id',
  unresolved_slugs: 'none of the slugs is in the catalogue',
  unresolved_condition_ids: 'none of the condition ids is in the catalogue',
  filter_limit: 'more filter items than the plan allows',
  subscription_limit: 'more subscriptions than a connection may have',
} as const
export type StreamError = keyof typeof STREAM_ERRORS

const message = <const Name extends string, Fields extends TProperties>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), ...fields })

const Ms = Type.Integer({ description: 'Unix milliseconds' })
const SubscriberId = Type.String({ description: 'A UUID, one for each connection' })
const SubscriptionId = Type.String({ description: '`<subscriber_id>:<n>`, counted from 1' })

/** Answers a subscribe. Replay and live events come behind it. */
export const SubscribedMessage = message('subscribed', {
  subscriber_id: SubscriberId,
  subscription_id: SubscriptionId,
  subscription_type: Type.String(),
  warnings: Type.Array(Type.String(), {
    description: 'Slugs and condition ids that were not found, values that were capped',
  }),
  ...optional({
    resume: Type.Union([Type.Literal('exact'), Type.Literal('confirmed'), Type.Literal('gap')], {
      description:
        'Answers `since_seq`. `exact`: nothing is missing. `confirmed`: the service was restarted; ' +
        'pending events may be missing, confirmed ones are not. `gap`: it does not reach back so far',
    }),
    price_source: Type.String({ description: 'Coin prices: what is sent' }),
    twap_windows: nullable(Type.Array(Type.Integer())),
  }),
})

/** The past, oldest first. Long ones come in several messages. */
export const SnapshotMessage = message('snapshot', {
  count: Type.Integer({ minimum: 0 }),
  events: Type.Array(namedObject('ReplayedEvent', { type: Type.String() }), {
    description: 'Event messages as they were sent live',
  }),
})

/** Every 30 seconds, together with a WebSocket ping. */
export const HeartbeatMessage = message('heartbeat', { ts: Ms })

/** Answers `ping`. */
export const PongMessage = message('pong', { ts: Ms })

/** Answers an unsubscribe; without `subscription_id` all subscriptions have ended. */
export const UnsubscribedMessage = message('unsubscribed', {
  subscriber_id: SubscriberId,
  subscription_id: Type.Optional(SubscriptionId),
})

/** Answers a message that was not taken, or says why the connection ends. */
export const ErrorMessage = message('error', {
  code: Type.String({
    enum: [...new Set([...Object.keys(STREAM_ERRORS), ...Object.keys(BOOK_ERRORS)])],
  }),
  message: Type.String(),
  ...ERROR_FIELDS,
})

export type SubscribedMessage = Static<typeof SubscribedMessage>
