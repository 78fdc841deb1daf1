import { Type } from 'typebox'
import { namedEnum, namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'

const Nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const WalletKindName = nullable(
  namedEnum('WalletType', ['deposit_wallet', 'safe', 'proxy']),
  'null for a key that trades itself, and for a contract that no known factory made',
)

export const WalletDetail = namedObject('WalletDetail', {
  address: Type.String(),
  wallet_type: WalletKindName,
  deployed: Type.Boolean(),
  current: Type.Boolean({ description: 'whether it is the one in `safe`' }),
})

export const ResolveParams = Type.Object({
  query: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\u0000]*$',
    description: 'a wallet, the key that signs for it (both `0x` and 40 hexadecimal digits), or a username',
    examples: ['0x1111111111111111111111111111111111111111'],
  }),
})

export const ResolveReply = Type.Object(
  {
    safe: Type.String({ description: 'the wallet that is traded with' }),
    eoa: Nullable('the key that signs for it; null when it is not known'),
    username: Nullable("the name on the platform's profile page"),
    type: WalletKindName,
    wallets: Type.Object(
      {
        deposit_wallet: Nullable('the address'),
        safe: Nullable('the address'),
        proxy_wallet: Nullable('the address'),
      },
      { description: 'deployed wallets of the key, by kind' },
    ),
    wallet_details: Type.Array(WalletDetail, {
      description: 'the current wallet first, then all others that are deployed',
    }),
  },
  { title: 'ResolvedIdentity', description: 'Who is behind it' },
)
