import { Type } from 'typebox'
import { nullable } from '../../lib/nullable.js'

const OBJECT = { additionalProperties: false }

/** A payload has exactly these fields. */
export const payloadOf = <Fields extends Parameters<typeof Type.Object>[0]>(fields: Fields) =>
  Type.Object(fields, OBJECT)

/** The pieces that payloads are made of. */
export const Field = {
  Address: Type.String({ pattern: '^0x[0-9a-f]{40}$' }),
  Hash: Type.String({ pattern: '^0x[0-9a-f]{64}$' }),
  TokenId: Type.String({ pattern: '^[0-9]{1,78}$' }),
  /** `<tx_hash>_<log_index>`. */
  LogId: Type.String({ pattern: '^0x[0-9a-f]{64}_[0-9]+$' }),
  /** 31 bytes where the condition is a structured one. */
  ConditionId: Type.String({ pattern: '^0x([0-9a-f]{62}|[0-9a-f]{64})$' }),
  Seconds: Type.String({ pattern: '^[0-9]{10}$' }),
  TimeText: Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}$',
  }),
  Braces: Type.String({ pattern: '^\\{.*\\}$' }),
  Amount: Type.Number({ minimum: 0 }),
  /** Null: the catalogue does not know it. */
  Text: nullable(Type.String()),
}

/** What `tokenFields` gives. */
export const TOKEN_FIELDS = {
  market: Field.Text,
  slug: Field.Text,
  outcome: Field.Text,
  condition_id: nullable(Field.ConditionId),
}
