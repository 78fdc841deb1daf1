import { Type } from 'typebox'
import { Address } from '../../http/parameters.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { WalletDetail, WalletKindName } from '../schemas.js'

const Text = nullable(Type.String())
const Flag = (description: string) => nullable(Type.Boolean(), description)

const identityFields = {
  username: nullable(
    Type.String(),
    "the name on the platform's profile page; null: none that is public and known",
  ),
  eoa: nullable(Type.String(), 'the key that signs for it; null: not known'),
  wallet_type: WalletKindName,
  deployed: Flag('null: not known without asking the chain'),
  current: Flag('whether the key trades with it; null: not known without asking the chain'),
}

export const IdentityBatchBody = Type.Object({
  wallets: Type.Array(Address, {
    minItems: 1,
    maxItems: 1_000,
    description: 'addresses; one that is given twice is answered once',
  }),
})

const KnownIdentity = namedObject('KnownIdentity', identityFields)

export const IdentityBatchReply = namedObject('IdentityBatch', {
  requested: Type.Integer({ minimum: 1, description: 'different addresses' }),
  found: Type.Integer({ minimum: 0 }),
  identities: Type.Record(Type.String(), Type.Union([KnownIdentity, Type.Null()]), {
    description: 'by address; null: nothing here names it',
  }),
})

export const IdentitySearchQuery = Type.Object({
  q: Type.String({
    minLength: 2,
    maxLength: 60,
    pattern: '^[^\\u0000-\\u001f\\u007f]*$',
    description: 'a part of a username, 2 to 60 characters',
    examples: ['whale'],
  }),
  limit: Type.Integer({ default: 20, description: 'results in the answer, at most 50' }),
})

export const IdentitySearchReply = namedObject('IdentitySearch', {
  query: Type.String(),
  count: Type.Integer({ minimum: 0 }),
  results: Type.Array(
    namedObject('IdentitySearchResult', {
      wallet: Type.String(),
      ...identityFields,
      exact: Type.Boolean({ description: 'the name is the one that was asked for' }),
    }),
    { description: 'exact ones first, then those whose name begins so' },
  ),
})

export const IdentityReply = namedObject('AddressIdentity', {
  query: Type.String(),
  matched_by: Type.String({ enum: ['wallet', 'eoa'] }),
  wallet: Type.String({ description: 'the wallet that is traded with' }),
  identity: namedObject('Identity', {
    username: identityFields.username,
    eoa: identityFields.eoa,
    wallet_type: WalletKindName,
    deployed: Type.Boolean(),
    current: Type.Literal(true),
    wallet_details: Type.Array(WalletDetail, { description: 'all of them, the current one first' }),
    other_wallets: Type.Array(WalletDetail, { description: 'deployed wallets but the current one' }),
  }),
})

export const ProfileReply = namedObject('PublicProfile', {
  address: Type.String(),
  proxy_wallet: Text,
  username: nullable(Type.String(), 'null: its owner does not show it'),
  pseudonym: Text,
  display_username_public: nullable(Type.Boolean()),
  profile_image: Text,
  x_username: Text,
  verified_badge: nullable(Type.Boolean()),
  source: Type.Literal('polymarket_public_profile'),
})

export const UsernameQuery = Type.Object({
  username: Type.String({
    minLength: 1,
    maxLength: 60,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
    description: 'a username, in any letter case',
    examples: ['some-new-name'],
  }),
})

export const UsernameReply = namedObject('UsernameAvailability', {
  username: Type.String(),
  available: Type.Boolean({ description: 'no public profile has it' }),
  source: Type.Literal('polymarket_public_search'),
})
