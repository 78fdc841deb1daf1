import type { CursorPage } from '../transport/paging.js'
import {
  arrayOf,
  type JsonFields,
  type Parser,
  parseArray,
  parseBoolean,
  parseFields,
  parseId,
  parseInteger,
  parseNumber,
  parseOptional,
  parseString,
  parseTimeMs,
  refuseValue,
} from '../transport/parse-json.js'

/** Rows carry the Data API's own names. `undefined` is what it leaves out, sends as null or as "". */
export type DataClosedPosition = ReturnType<typeof parseClosedPosition>

export function parseClosedPosition(value: unknown, path: string) {
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

export type DataPosition = ReturnType<typeof parsePosition>

export function parsePosition(value: unknown, path: string) {
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

export type DataTrade = ReturnType<typeof parseTrade>

export function parseTrade(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    side: fields.required('side', parseDataSide),
    size: fields.required('size', parseNumber),
    price: fields.required('price', parseNumber),
    // The time of the block.
    timestampSec: fields.required('timestamp', parseInteger),
    transactionHash: fields.optional('transactionHash', parseString),
    ...traderPart(fields),
    ...marketPart(fields),
  }
}

export type DataActivity = ReturnType<typeof parseActivity>

export function parseActivity(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    // TRADE, SPLIT, MERGE, REDEEM, REWARD, CONVERSION or one of the newer ones.
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

export type DataTokenHolders = ReturnType<typeof parseTokenHolders>

export function parseTokenHolders(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    token: fields.required('token', parseId),
    holders: fields.list('holders', parseHolder),
  }
}

function parseHolder(value: unknown, path: string) {
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

export type DataLeader = ReturnType<typeof parseLeaderboardEntry>

export function parseLeaderboardEntry(value: unknown, path: string) {
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

/** A wallet without open positions has no row. */
export function parseValue(value: unknown, path: string): number {
  const parseRow = (row: unknown, at: string) => parseFields(row, at).required('value', parseNumber)
  return parseArray(value, path, parseRow)[0] ?? 0
}

export type DataSide = 'BUY' | 'SELL'

function parseDataSide(value: unknown, path: string): DataSide {
  return value === 'BUY' || value === 'SELL' ? value : refuseValue(path, 'BUY or SELL', value)
}

const OUTCOME_UNKNOWN = 999

/** `undefined` also for 999, which stands for unknown. */
function parseOutcomeIndex(value: unknown, path: string): number | undefined {
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

/** `{data, pagination}`: `data` is null when there is nothing. */
export function parsePageV2<T>(parseItem: Parser<T>) {
  return (value: unknown, path: string): CursorPage<T> => {
    const fields = parseFields(value, path)
    const items = fields.required('data', (rows, at) => parseOptional(rows, at, arrayOf(parseItem)))
    return { items: items ?? [], nextCursor: fields.optional('pagination', parseNextCursor) }
  }
}

function parseNextCursor(value: unknown, path: string): string | undefined {
  const fields = parseFields(value, path)
  const hasMore = fields.optional('has_more', parseBoolean)
  return hasMore === false ? undefined : fields.optional('next_cursor', parseString)
}

/** The same trade as in v1, under other names. */
export function parseTradeV2(value: unknown, path: string): DataTrade {
  const fields = parseFields(value, path)
  return {
    proxyWallet: fields.required('proxy_wallet', parseString),
    name: fields.optional('name', parseString),
    pseudonym: fields.optional('pseudonym', parseString),
    bio: fields.optional('bio', parseString),
    profileImage: fields.optional('profile_image', parseString),
    profileImageOptimized: fields.optional('profile_image_optimized', parseString),
    asset: fields.optional('token_id', parseId),
    conditionId: fields.optional('condition_id', parseString),
    title: fields.optional('title', parseString),
    slug: fields.optional('slug', parseString),
    icon: fields.optional('icon', parseString),
    eventSlug: fields.optional('event_slug', parseString),
    outcome: fields.optional('outcome', parseString),
    outcomeIndex: fields.optional('outcome_index', parseOutcomeIndex),
    side: fields.required('side', parseDataSide),
    size: fields.required('size', parseNumber),
    price: fields.required('price', parseNumber),
    timestampSec: fields.required('timestamp', parseInteger),
    transactionHash: fields.optional('transaction_hash', parseString),
  }
}

export type DataPositionV2 = ReturnType<typeof parsePositionV2>

export function parsePositionV2(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    proxyWallet: fields.required('proxy_wallet', parseString),
    tokenId: fields.required('token_id', parseId),
    conditionId: fields.optional('condition_id', parseString),
    currentSize: fields.required('current_size', parseNumber),
    avgPrice: fields.required('avg_price', parseNumber),
    entryCostUsdc: fields.optional('entry_cost_usdc', parseNumber),
    entryFeesUsdc: fields.optional('entry_fees_usdc', parseNumber),
    totalCostUsdc: fields.optional('total_cost_usdc', parseNumber),
    currentPrice: fields.optional('current_price', parseNumber),
    currentValue: fields.optional('current_value', parseNumber),
    totalSize: fields.optional('total_size', parseNumber),
    realizedPnl: fields.optional('realized_pnl', parseNumber),
    unrealizedPnl: fields.optional('unrealized_pnl', parseNumber),
    totalPnl: fields.optional('total_pnl', parseNumber),
    percentPnl: fields.optional('percent_pnl', parseNumber),
    percentRealizedPnl: fields.optional('percent_realized_pnl', parseNumber),
    status: fields.optional('status', parseString),
    redeemable: fields.optional('redeemable', parseBoolean),
    mergeable: fields.optional('mergeable', parseBoolean),
    negativeRisk: fields.optional('negative_risk', parseBoolean),
    archived: fields.optional('archived', parseBoolean),
    title: fields.optional('title', parseString),
    slug: fields.optional('slug', parseString),
    icon: fields.optional('icon', parseString),
    eventId: fields.optional('event_id', parseId),
    eventSlug: fields.optional('event_slug', parseString),
    outcome: fields.optional('outcome', parseString),
    outcomeIndex: fields.optional('outcome_index', parseOutcomeIndex),
    oppositeOutcome: fields.optional('opposite_outcome', parseString),
    oppositeTokenId: fields.optional('opposite_token_id', parseId),
    endDateMs: fields.optional('end_date', parseTimeMs),
    lastEventAtMs: fields.optional('last_event_at', parseMomentMs),
    name: fields.optional('name', parseString),
    profileImage: fields.optional('profile_image', parseString),
    verified: fields.optional('verified', parseBoolean),
  }
}

// Unix seconds or a date: the upstream's own pages show both.
const parseMomentMs = (value: unknown, path: string): number =>
  typeof value === 'number' ? parseInteger(value, path) * 1_000 : parseTimeMs(value, path)
