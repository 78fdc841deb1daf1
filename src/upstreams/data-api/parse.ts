import {
  type JsonFields,
  parseArray,
  parseBoolean,
  parseFields,
  parseId,
  parseInteger,
  parseNumber,
  parseString,
  parseTimeMs,
  refuseValue,
} from '../transport/parse-json.js'
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
  const fields = parseFields(value, path)
  return {
    proxyWallet: fields.required('proxyWallet', parseString),
    avgPrice: fields.required('avgPrice', parseNumber),
    totalBought: fields.required('totalBought', parseNumber),
    realizedPnl: fields.required('realizedPnl', parseNumber),
    curPrice: fields.required('curPrice', parseNumber),
    timestampSec: fields.required('timestamp', parseInteger),
    ...marketPart(fields),
    ...oppositePart(fields),
  }
}

export function parsePosition(value: unknown, path: string): Position {
  const fields = parseFields(value, path)
  return {
    proxyWallet: fields.required('proxyWallet', parseString),
    size: fields.required('size', parseNumber),
    avgPrice: fields.required('avgPrice', parseNumber),
    initialValue: fields.required('initialValue', parseNumber),
    grossInitialValue: fields.optional('grossInitialValue', parseNumber),
    entryFeesUsdc: fields.optional('entryFeesUsdc', parseNumber),
    currentValue: fields.required('currentValue', parseNumber),
    cashPnl: fields.required('cashPnl', parseNumber),
    percentPnl: fields.optional('percentPnl', parseNumber),
    totalBought: fields.optional('totalBought', parseNumber),
    realizedPnl: fields.optional('realizedPnl', parseNumber),
    percentRealizedPnl: fields.optional('percentRealizedPnl', parseNumber),
    curPrice: fields.optional('curPrice', parseNumber),
    redeemable: fields.optional('redeemable', parseBoolean),
    mergeable: fields.optional('mergeable', parseBoolean),
    negativeRisk: fields.optional('negativeRisk', parseBoolean),
    eventId: fields.optional('eventId', parseId),
    ...marketPart(fields),
    ...oppositePart(fields),
  }
}

export function parseTrade(value: unknown, path: string): DataTrade {
  const fields = parseFields(value, path)
  return {
    side: fields.required('side', parseDataSide),
    size: fields.required('size', parseNumber),
    price: fields.required('price', parseNumber),
    timestampSec: fields.required('timestamp', parseInteger),
    transactionHash: fields.optional('transactionHash', parseString),
    ...traderPart(fields),
    ...marketPart(fields),
  }
}

export function parseActivity(value: unknown, path: string): Activity {
  const fields = parseFields(value, path)
  return {
    type: fields.required('type', parseString),
    side: fields.optional('side', parseDataSide),
    size: fields.optional('size', parseNumber),
    price: fields.optional('price', parseNumber),
    usdcSize: fields.optional('usdcSize', parseNumber),
    timestampSec: fields.required('timestamp', parseInteger),
    transactionHash: fields.optional('transactionHash', parseString),
    isCombo: fields.optional('isCombo', parseBoolean),
    ...traderPart(fields),
    ...marketPart(fields),
  }
}

export function parseTokenHolders(value: unknown, path: string): TokenHolders {
  const fields = parseFields(value, path)
  return {
    token: fields.required('token', parseId),
    holders: fields.list('holders', parseHolder),
  }
}

function parseHolder(value: unknown, path: string): Holder {
  const fields = parseFields(value, path)
  return {
    asset: fields.optional('asset', parseId),
    amount: fields.required('amount', parseNumber),
    outcomeIndex: fields.optional('outcomeIndex', parseOutcomeIndex),
    displayUsernamePublic: fields.optional('displayUsernamePublic', parseBoolean),
    verified: fields.optional('verified', parseBoolean),
    ...traderPart(fields),
  }
}

export function parseLeaderboardEntry(value: unknown, path: string): LeaderboardEntry {
  const fields = parseFields(value, path)
  return {
    rank: fields.required('rank', parseInteger),
    proxyWallet: fields.required('proxyWallet', parseString),
    userName: fields.optional('userName', parseString),
    vol: fields.required('vol', parseNumber),
    pnl: fields.required('pnl', parseNumber),
    profileImage: fields.optional('profileImage', parseString),
    xUsername: fields.optional('xUsername', parseString),
    verifiedBadge: fields.optional('verifiedBadge', parseBoolean),
  }
}

/** A wallet of which nothing is known has no row: it is worth nothing. */
export function parseValue(value: unknown, path: string): number {
  const parseRow = (row: unknown, at: string) => parseFields(row, at).required('value', parseNumber)
  return parseArray(value, path, parseRow)[0] ?? 0
}

export function parseDataSide(value: unknown, path: string): Side {
  return value === 'BUY' || value === 'SELL' ? value : refuseValue(path, 'BUY or SELL', value)
}

const OUTCOME_UNKNOWN = 999

export function parseOutcomeIndex(value: unknown, path: string): number | undefined {
  const index = parseInteger(value, path)
  return index === OUTCOME_UNKNOWN ? undefined : index
}

// Spread last: an object that begins with a spread takes ten times as long to make.
const marketPart = (fields: JsonFields) => ({
  asset: fields.optional('asset', parseId),
  conditionId: fields.optional('conditionId', parseString),
  title: fields.optional('title', parseString),
  slug: fields.optional('slug', parseString),
  icon: fields.optional('icon', parseString),
  eventSlug: fields.optional('eventSlug', parseString),
  outcome: fields.optional('outcome', parseString),
  outcomeIndex: fields.optional('outcomeIndex', parseOutcomeIndex),
})

const oppositePart = (fields: JsonFields) => ({
  oppositeOutcome: fields.optional('oppositeOutcome', parseString),
  oppositeAsset: fields.optional('oppositeAsset', parseId),
  endDateMs: fields.optional('endDate', parseTimeMs),
})

const traderPart = (fields: JsonFields) => ({
  proxyWallet: fields.required('proxyWallet', parseString),
  name: fields.optional('name', parseString),
  pseudonym: fields.optional('pseudonym', parseString),
  bio: fields.optional('bio', parseString),
  profileImage: fields.optional('profileImage', parseString),
  profileImageOptimized: fields.optional('profileImageOptimized', parseString),
})
