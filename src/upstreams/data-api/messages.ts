export type Side = 'BUY' | 'SELL'

/** Rows carry the Data API's own words. `undefined` is what it leaves out, sends as null or as "". */
type DataMarketPart = {
  asset: string | undefined
  conditionId: string | undefined
  title: string | undefined
  slug: string | undefined
  icon: string | undefined
  eventSlug: string | undefined
  outcome: string | undefined
  /** `undefined` also for 999, which stands for unknown. */
  outcomeIndex: number | undefined
}

type Opposite = {
  oppositeOutcome: string | undefined
  oppositeAsset: string | undefined
  endDateMs: number | undefined
}

export type ClosedPosition = DataMarketPart &
  Opposite & {
    proxyWallet: string
    avgPrice: number
    totalBought: number
    realizedPnl: number
    curPrice: number
    timestampSec: number
  }

export type Position = DataMarketPart &
  Opposite & {
    proxyWallet: string
    size: number
    avgPrice: number
    initialValue: number
    grossInitialValue: number | undefined
    entryFeesUsdc: number | undefined
    currentValue: number
    cashPnl: number
    percentPnl: number | undefined
    totalBought: number | undefined
    realizedPnl: number | undefined
    percentRealizedPnl: number | undefined
    curPrice: number | undefined
    redeemable: boolean | undefined
    mergeable: boolean | undefined
    negativeRisk: boolean | undefined
    eventId: string | undefined
  }

type Trader = {
  proxyWallet: string
  name: string | undefined
  pseudonym: string | undefined
  bio: string | undefined
  profileImage: string | undefined
  profileImageOptimized: string | undefined
}

export type DataTrade = DataMarketPart &
  Trader & {
    side: Side
    size: number
    price: number
    /** The time of the block. */
    timestampSec: number
    transactionHash: string | undefined
  }

/** `type` is TRADE, SPLIT, MERGE, REDEEM, REWARD, CONVERSION or one of the newer ones. */
export type Activity = DataMarketPart &
  Trader & {
    type: string
    side: Side | undefined
    size: number | undefined
    price: number | undefined
    usdcSize: number | undefined
    timestampSec: number
    transactionHash: string | undefined
    isCombo: boolean | undefined
  }

export type Holder = Trader & {
  asset: string | undefined
  amount: number
  outcomeIndex: number | undefined
  displayUsernamePublic: boolean | undefined
  verified: boolean | undefined
}

export type TokenHolders = { token: string; holders: Holder[] }

export type LeaderboardEntry = {
  rank: number
  proxyWallet: string
  userName: string | undefined
  vol: number
  pnl: number
  profileImage: string | undefined
  xUsername: string | undefined
  verifiedBadge: boolean | undefined
}

export type PositionV2 = {
  proxyWallet: string
  tokenId: string
  conditionId: string | undefined
  currentSize: number
  avgPrice: number
  entryCostUsdc: number | undefined
  entryFeesUsdc: number | undefined
  totalCostUsdc: number | undefined
  currentPrice: number | undefined
  currentValue: number | undefined
  totalSize: number | undefined
  realizedPnl: number | undefined
  unrealizedPnl: number | undefined
  totalPnl: number | undefined
  percentPnl: number | undefined
  percentRealizedPnl: number | undefined
  status: string | undefined
  redeemable: boolean | undefined
  mergeable: boolean | undefined
  negativeRisk: boolean | undefined
  archived: boolean | undefined
  title: string | undefined
  slug: string | undefined
  icon: string | undefined
  eventId: string | undefined
  eventSlug: string | undefined
  outcome: string | undefined
  outcomeIndex: number | undefined
  oppositeOutcome: string | undefined
  oppositeTokenId: string | undefined
  endDateMs: number | undefined
  lastEventAtMs: number | undefined
  name: string | undefined
  profileImage: string | undefined
  verified: boolean | undefined
}
