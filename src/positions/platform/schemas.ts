import { Type } from 'typebox'
import { Decimal } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { PlatformMarketFields, PlatformOutcomeFields } from '../../lookups/platform-market.js'
import { PlatformTrade } from '../../lookups/trades/platform-trades.js'

/** A position in the names of the platform's Data API. */
const PlatformPosition = namedObject('PlatformPosition', {
  proxyWallet: Type.String({ description: 'the wallet' }),
  ...PlatformMarketFields,
  ...PlatformOutcomeFields,
  size: Decimal('shares held now'),
  avgPrice: Decimal('what a share cost on average; 0 when none was ever bought'),
  initialValue: Decimal('size times average price'),
  currentValue: Decimal('dollars at the current price'),
  cashPnl: Decimal('what the shares that were bought would earn at the current price'),
  percentPnl: Type.Number({ description: '`cashPnl` in percent of `initialValue`; 0 of nothing' }),
  totalBought: Decimal('all shares that were ever bought'),
  realizedPnl: Decimal('dollars'),
  percentRealizedPnl: Type.Number({ description: '`realizedPnl` in percent of all that was paid' }),
  curPrice: Decimal('dollars for a share; 0 when none is known'),
  redeemable: Type.Boolean({ description: 'there is a result, and there are shares' }),
})

const Count = Type.Integer({ minimum: 0 })

const WalletSet = {
  wallet: Type.String(),
  count: Count,
  positions: Type.Array(PlatformPosition),
}

export const PlatformWalletPositions = namedObject('PlatformWalletPositions', {
  ...WalletSet,
  limit: Type.Integer(),
  offset: Type.Integer(),
})

export const PlatformWalletsPositions = namedObject('PlatformWalletsPositions', {
  count: Type.Integer({ minimum: 0, description: 'wallets' }),
  wallets: Type.Array(namedObject('WalletPositionSet', WalletSet), {
    description: 'in the order of the request, each once',
  }),
})

const Holder = namedObject('PlatformHolder', {
  ...PlatformPosition.properties,
  name: PlatformTrade.properties.name,
  trades: Type.Optional(
    Type.Array(PlatformTrade, { description: 'with `includeTrades`: the newest of this position' }),
  ),
})

const { asset, outcome, outcomeIndex } = PlatformMarketFields

export const PlatformMarketHolders = namedObject('PlatformMarketHolders', {
  market: Type.String({ description: 'as it was asked for' }),
  limit: Type.Integer(),
  offset: Type.Integer(),
  count: Type.Integer({ minimum: 0, description: 'positions in the answer' }),
  outcomes: Type.Array(
    namedObject('PlatformOutcomeHolders', {
      asset,
      outcome,
      outcomeIndex,
      count: Count,
      positions: Type.Array(Holder),
    }),
  ),
})
