import { Type } from 'typebox'
import { KEY_SCOPES } from '../accounts/queries.js'
import { NameText, PlanLimits, PlanName } from '../accounts/schemas.js'
import { USAGE_DAYS_KEPT } from '../accounts/usage-queries.js'
import { errorReply } from '../lib/error-reply.js'
import { namedEnum, namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { USAGE_DIMENSIONS } from './usage.js'

const idOf = (prefix: string, description: string) =>
  Type.String({ pattern: `^(${prefix}_)?[0-9]{1,9}$`, description })

const AccountId = idOf('acc', 'an account, such as acc_7')
const KeyId = idOf('key', 'a key, such as key_12')
const Time = Type.String({ format: 'date-time' })

export const AccountParams = Type.Object({
  account: Type.String({ ...AccountId, examples: ['acc_1'] }),
})
/** Without an example, which the reference would prefill: an account is deleted for good. */
export const DeletedAccountParams = Type.Object({ account: AccountId })
export const KeyParams = Type.Object({ key: KeyId })

const Name = Type.String({ ...NameText, minLength: 1 })

const accountFields = {
  id: Type.String(),
  name: Type.String(),
  plan: PlanName,
  state: namedEnum('AccountState', ['active', 'suspended']),
  suspended_at: nullable(Time),
  suspended_reason: nullable(Type.String(), 'shown to its clients'),
  active_keys: Type.Integer({
    minimum: 0,
    description: 'keys that are neither revoked nor expired',
  }),
  created_at: Time,
}

export const AdminAccount = Type.Object(
  { ...accountFields, limits: nullable(PlanLimits, 'its plan with what was agreed with it') },
  { title: 'AccountWithLimits', description: 'The account, and what it is granted' },
)

export const AccountsQuery = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
  after: Type.Optional(AccountId),
})
export const AccountsReply = Type.Object(
  {
    accounts: Type.Array(namedObject('Account', accountFields)),
    next_after: nullable(Type.String(), '`after` of the next page; null on the last one'),
  },
  { description: 'Accounts in the order of their creation, without deleted ones' },
)

export const CreateAccountBody = Type.Object({
  name: Name,
  plan: Type.String({ default: 'free', maxLength: 32, description: 'its plan: see `/v1/plans`' }),
})
export const SetPlanBody = Type.Object({
  plan: Type.String({ maxLength: 32, description: 'the new plan: see `/v1/plans`' }),
})
/** The body may be missing altogether. */
export const SuspendBody = Type.Union([
  Type.Object({ reason: Type.Optional(nullable(NameText)) }),
  Type.Null(),
])

export const DeletedReply = Type.Object(
  { deleted: Type.Literal(true) },
  { description: 'The account is deleted' },
)

const AdminKey = namedObject('AccountKey', {
  id: Type.String(),
  account: Type.String(),
  name: Type.String(),
  ends: Type.String({ description: 'its last characters' }),
  scope: namedEnum('KeyScope', KEY_SCOPES),
  state: namedEnum('KeyState', ['active', 'expired', 'revoked']),
  created_at: Time,
  expires_at: nullable(Time),
  revoked_at: nullable(Time),
  last_used_at: nullable(Time, 'to the minute'),
})
export const AccountKeysReply = Type.Object(
  { keys: Type.Array(AdminKey) },
  { description: 'The keys of the account, revoked ones too, without their secrets' },
)

export const CreateAccountKeyBody = Type.Object({
  name: Type.String({ ...NameText, default: 'unnamed', minLength: 1 }),
  scope: Type.Enum([...KEY_SCOPES], {
    title: 'KeyScope',
    type: 'string',
    default: 'full',
    description: '`read`: it may not change webhooks, pools or listeners',
  }),
  expires_at: Type.Optional(
    nullable(
      Type.String({
        pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?Z$',
        description: 'a time such as 2027-01-31T00:00:00Z',
      }),
    ),
  ),
})
export const CreateAccountKeyReply = Type.Object(
  {
    id: Type.String(),
    account: Type.String(),
    api_key: Type.String({
      description: 'The key. It is shown this once and cannot be shown again.',
    }),
  },
  { description: 'The new key' },
)
export const RevokedReply = Type.Object(
  { id: Type.String(), revoked_at: Time },
  { description: 'Since when the key is revoked' },
)

export const AdminUsageQuery = Type.Object({
  account: Type.Optional(AccountId),
  // Not `key`, which may carry the operator's.
  key_id: Type.Optional(KeyId),
  family: Type.Optional(Type.String({ maxLength: 32, description: 'one family, such as trades' })),
  days: Type.Integer({
    minimum: 1,
    maximum: USAGE_DAYS_KEPT,
    default: 30,
    description: 'the last UTC days, today included',
  }),
  by: Type.String({
    default: USAGE_DIMENSIONS.join(','),
    maxLength: 40,
    description: `what rows are summed by: some of ${USAGE_DIMENSIONS.join(', ')}, with commas`,
  }),
  limit: Type.Integer({ minimum: 1, maximum: 10_000, default: 1_000 }),
  offset: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 }),
})
export const AdminUsageReply = Type.Object(
  {
    days: Type.Integer(),
    by: Type.Array(namedEnum('UsageDimension', USAGE_DIMENSIONS)),
    rows: Type.Array(
      namedObject('UsageRow', {
        account: Type.Optional(Type.String()),
        key: Type.Optional(Type.String()),
        day: Type.Optional(Type.String({ format: 'date' })),
        family: Type.Optional(
          Type.String({ description: 'a tag of this document, `ws_market` or `ws_onchain`' }),
        ),
        requests: Type.Integer({ minimum: 0 }),
        bytes: Type.Integer({ minimum: 0, description: 'sent over sockets' }),
      }),
    ),
    has_more: Type.Boolean(),
  },
  { description: 'What accounts used, in the order of `by`' },
)

export const NO_ACCOUNT = { 404: errorReply('There is no such account') }
export const NO_KEY = { 404: errorReply('There is no such key') }
export const TOO_MANY_KEYS = { 409: errorReply('The plan allows no more keys') }
