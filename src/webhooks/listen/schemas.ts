import { type Static, Type } from 'typebox'
import { nullable } from '../../lib/nullable.js'

/** How long a poll may wait for events. */
const WAIT_MS_MAX = 25_000
/** Events of an answer, and results of a request. */
const EVENTS_MAX = 100
const LATENCY_MS_MAX = 600_000

/** Fields are checked as those of a webhook are, so that refusals read the same. */
export const ListenerBody = Type.Object({
  event_types: Type.Optional(Type.Unknown()),
  filters: Type.Optional(Type.Unknown()),
  secret: Type.Optional(Type.Unknown()),
})

export const ListenerParams = Type.Object({ id: Type.String({ maxLength: 100 }) })

export const ListenerReply = Type.Object({
  id: Type.String(),
  secret: Type.String({ description: 'what to sign forwarded events with' }),
})

export const PollQuery = Type.Object({
  wait_ms: Type.Integer({ minimum: 0, maximum: WAIT_MS_MAX, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: EVENTS_MAX, default: EVENTS_MAX }),
})

export const PollReply = Type.Object({
  events: Type.Array(
    Type.Object({
      event_id: Type.String(),
      event_type: Type.String(),
      body: Type.String({ description: 'the envelope as JSON text: what is signed and sent' }),
      created_at: Type.String(),
    }),
  ),
})

const ForwardResultSchema = Type.Object({
  event_id: Type.String({
    pattern: '^evt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    description: 'evt_ and a UUID',
  }),
  success: Type.Boolean(),
  status_code: nullable(Type.Integer({ minimum: 100, maximum: 999 }), 'null: no HTTP answer'),
  latency_ms: Type.Integer({ minimum: 0, maximum: LATENCY_MS_MAX }),
  // Without what JSON of the database cannot hold.
  error: nullable(Type.String({ maxLength: 500, pattern: '^[^\\u0000\\ud800-\\udfff]*$' }), 'null: success'),
})

/** What came of forwarding an event. */
export type ForwardResult = Static<typeof ForwardResultSchema>

export const ResultsBody = Type.Object({
  results: Type.Array(ForwardResultSchema, { minItems: 1, maxItems: EVENTS_MAX }),
})

export const ResultsReply = Type.Object({ recorded: Type.Integer({ minimum: 0 }) })

export const ListenerDeletedReply = Type.Object({ deleted: Type.Literal(true) })
