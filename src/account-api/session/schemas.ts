import { Type } from 'typebox'
import { NameText, PlanName } from '../../accounts/schemas.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'

/** Far more than a key or a code has, so that a wrong text gets the answer of a wrong key. */
const SECRET_LENGTH_MAX = 500

export const CreateSessionBody = Type.Object({
  api_key: Type.Optional(
    Type.String({ maxLength: SECRET_LENGTH_MAX, description: 'a key, which the session stands for' }),
  ),
  code: Type.Optional(
    Type.String({
      maxLength: SECRET_LENGTH_MAX,
      description: 'a code of `auspex dashboard` or of the first `auspex up`, in place of a key',
    }),
  ),
  account_name: Type.Optional(
    Type.String({
      ...NameText,
      minLength: 1,
      description: 'the name of the account that the code of a first start makes; else ignored',
    }),
  ),
})

const sessionFields = {
  account: namedObject('SessionAccount', { id: Type.String(), name: Type.String(), plan: PlanName }),
  key: namedObject('SessionKey', {
    id: Type.String(),
    name: Type.String(),
    hint: Type.String({ description: 'its last characters' }),
  }),
  expires_at: nullable(
    Type.String({ format: 'date-time' }),
    'when the session ends; of a request with a key, when the key expires. null: the key does not',
  ),
}

export const SessionReply = Type.Object(sessionFields, {
  title: 'Session',
  description: 'Who is signed in',
})

export const NewSessionReply = Type.Object(
  {
    ...sessionFields,
    api_key: Type.Optional(
      Type.String({
        description:
          'The key of an account that was just made. It is shown this once and cannot be shown again.',
      }),
    ),
  },
  { title: 'NewSession', description: 'The session has begun; its cookie is in `set-cookie`' },
)

export const SignedOut = Type.Null({ description: 'Signed out; the cookie is cleared' })
export const NotSignedIn = errorReply('The key or code does not work; the text says what to do')
export const OtherOrigin = errorReply('A page of another origin sent the request')
export const TooManyGuesses = errorReply('Too many wrong keys and codes from this address')
