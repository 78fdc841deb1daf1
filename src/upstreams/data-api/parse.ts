import {
  type Fields,
  readArray,
  readBoolean,
  readFields,
  readId,
  readInteger,
  readNumber,
  readString,
  readTimeMs,
  refuse,
} from '../transport/read.js'
import type {
  Activity,
  ClosedPosition,
  DataTrade,
  Holder,
  LeaderboardEntry,
  Position,
  Side,
  TokenHolders,
} from './messages.js'

export function parseClosedPosition(value: unknown, path: string): ClosedPosition {
  const fields = readFields(value, path)
  return {
    proxyWallet: fields.required('proxyWallet', readString),
    avgPrice: fields.required('avgPrice', readNumber),
    totalBought: fields.required('totalBought', readNumber),
    realizedPnl: fields.required('realizedPnl', readNumber),
    curPrice: fields.required('curPrice', readNumber),
    timestampSec: fields.required('timestamp', readInteger),
    ...marketPart(fields),
    ...oppositePart(fields),
  }
}

export function parsePosition(value: unknown, path: string): Position {
  const fields = readFields(value, path)
  return {
    proxyWallet: fields.required('proxyWallet', readString),
    size: fields.required('size', readNumber),
    avgPrice: fields.required('avgPrice', readNumber),
    initialValue: fields.required('initialValue', readNumber),
    grossInitialValue: fields.optional('grossInitialValue', readNumber),
    entryFeesUsdc: fields.optional('entryFeesUsdc', readNumber),
    currentValue: fields.required('currentValue', readNumber),
    cashPnl: fields.required('cashPnl', readNumber),
    percentPnl: fields.optional('percentPnl', readNumber),
    totalBought: fields.optional('totalBought', readNumber),
    realizedPnl: fields.optional('realizedPnl', readNumber),
    percentRealizedPnl: fields.optional('percentRealizedPnl', readNumber),
    curPrice: fields.optional('curPrice', readNumber),
    redeemable: fields.optional('redeemable', readBoolean),
    mergeable: fields.optional('mergeable', readBoolean),
    negativeRisk: fields.optional('negativeRisk', readBoolean),
    eventId: fields.optional('eventId', readId),
    ...marketPart(fields),
    ...oppositePart(fields),
  }
}

export function parseTrade(value: unknown, path: string): DataTrade {
  const fields = readFields(value, path)
  return {
    side: fields.required('side', readSide),
    size: fields.required('size', readNumber),
    price: fields.required('price', readNumber),
    timestampSec: fields.required('timestamp', readInteger),
    transactionHash: fields.optional('transactionHash', readString),
    ...traderPart(fields),
    ...marketPart(fields),
  }
}

export function parseActivity(value: unknown, path: string): Activity {
  const fields = readFields(value, path)
  return {
    type: fields.required('type', readString),
    side: fields.optional('side', readSide),
    size: fields.optional('size', readNumber),
    price: fields.optional('price', readNumber),
    usdcSize: fields.optional('usdcSize', readNumber),
    timestampSec: fields.required('timestamp', readInteger),
    transactionHash: fields.optional('transactionHash', readString),
    isCombo: fields.optional('isCombo', readBoolean),
    ...traderPart(fields),
    ...marketPart(fields),
  }
}

export function parseTokenHolders(value: unknown, path: string): TokenHolders {
  const fields = readFields(value, path)
  return {
    token: fields.required('token', readId),
    holders: fields.list('holders', parseHolder),
  }
}

function parseHolder(value: unknown, path: string): Holder {
  const fields = readFields(value, path)
  return {
    asset: fields.optional('asset', readId),
    amount: fields.required('amount', readNumber),
    outcomeIndex: fields.optional('outcomeIndex', readOutcomeIndex),
    displayUsernamePublic: fields.optional('displayUsernamePublic', readBoolean),
    verified: fields.optional('verified', readBoolean),
    ...traderPart(fields),
  }
}

export function parseLeaderboardEntry(value: unknown, path: string): LeaderboardEntry {
  const fields = readFields(value, path)
  return {
    rank: fields.required('rank', readInteger),
    proxyWallet: fields.required('proxyWallet', readString),
    userName: fields.optional('userName', readString),
    vol: fields.required('vol', readNumber),
    pnl: fields.required('pnl', readNumber),
    profileImage: fields.optional('profileImage', readString),
    xUsername: fields.optional('xUsername', readString),
    verifiedBadge: fields.optional('verifiedBadge', readBoolean),
  }
}

/** A wallet of which nothing is known has no row: it is worth nothing. */
export function parseValue(value: unknown, path: string): number {
  const readRow = (row: unknown, at: string) => readFields(row, at).required('value', readNumber)
  return readArray(value, path, readRow)[0] ?? 0
}

export function readSide(value: unknown, path: string): Side {
  return value === 'BUY' || value === 'SELL' ? value : refuse(path, 'BUY or SELL', value)
}

const OUTCOME_UNKNOWN = 999

export function readOutcomeIndex(value: unknown, path: string): number | undefined {
  const index = readInteger(value, path)
  return index === OUTCOME_UNKNOWN ? undefined : index
}

// Spread last: an object that begins with a spread takes ten times as long to make.
const marketPart = (fields: Fields) => ({
  asset: fields.optional('asset', readId),
  conditionId: fields.optional('conditionId', readString),
  title: fields.optional('title', readString),
  slug: fields.optional('slug', readString),
  icon: fields.optional('icon', readString),
  eventSlug: fields.optional('eventSlug', readString),
  outcome: fields.optional('outcome', readString),
  outcomeIndex: fields.optional('outcomeIndex', readOutcomeIndex),
})

const oppositePart = (fields: Fields) => ({
  oppositeOutcome: fields.optional('oppositeOutcome', readString),
  oppositeAsset: fields.optional('oppositeAsset', readId),
  endDateMs: fields.optional('endDate', readTimeMs),
})

const traderPart = (fields: Fields) => ({
  proxyWallet: fields.required('proxyWallet', readString),
  name: fields.optional('name', readString),
  pseudonym: fields.optional('pseudonym', readString),
  bio: fields.optional('bio', readString),
  profileImage: fields.optional('profileImage', readString),
  profileImageOptimized: fields.optional('profileImageOptimized', readString),
})
