import type { CursorPage } from '../transport/cursor.js'
import {
  readArray,
  readBoolean,
  readFields,
  readId,
  readInteger,
  readNumber,
  readOptional,
  readString,
  readTimeMs,
} from '../transport/read.js'
import type { DataTrade, PositionV2 } from './messages.js'
import { readOutcomeIndex, readSide } from './parse.js'

/** `{data, pagination}`: `data` is null when there is nothing. */
export function parsePageV2<T>(readItem: (value: unknown, path: string) => T) {
  return (value: unknown, path: string): CursorPage<T> => {
    const fields = readFields(value, path)
    const items = fields.required('data', (rows, at) =>
      readOptional(rows, at, () => readArray(rows, at, readItem)),
    )
    return { items: items ?? [], nextCursor: fields.optional('pagination', readNextCursor) }
  }
}

function readNextCursor(value: unknown, path: string): string | undefined {
  const fields = readFields(value, path)
  const hasMore = fields.optional('has_more', readBoolean)
  return hasMore === false ? undefined : fields.optional('next_cursor', readString)
}

/** The same trade as in v1, under other names. */
export function parseTradeV2(value: unknown, path: string): DataTrade {
  const fields = readFields(value, path)
  return {
    proxyWallet: fields.required('proxy_wallet', readString),
    name: fields.optional('name', readString),
    pseudonym: fields.optional('pseudonym', readString),
    bio: fields.optional('bio', readString),
    profileImage: fields.optional('profile_image', readString),
    profileImageOptimized: fields.optional('profile_image_optimized', readString),
    asset: fields.optional('token_id', readId),
    conditionId: fields.optional('condition_id', readString),
    title: fields.optional('title', readString),
    slug: fields.optional('slug', readString),
    icon: fields.optional('icon', readString),
    eventSlug: fields.optional('event_slug', readString),
    outcome: fields.optional('outcome', readString),
    outcomeIndex: fields.optional('outcome_index', readOutcomeIndex),
    side: fields.required('side', readSide),
    size: fields.required('size', readNumber),
    price: fields.required('price', readNumber),
    timestampSec: fields.required('timestamp', readInteger),
    transactionHash: fields.optional('transaction_hash', readString),
  }
}

export function parsePositionV2(value: unknown, path: string): PositionV2 {
  const fields = readFields(value, path)
  return {
    proxyWallet: fields.required('proxy_wallet', readString),
    tokenId: fields.required('token_id', readId),
    conditionId: fields.optional('condition_id', readString),
    currentSize: fields.required('current_size', readNumber),
    avgPrice: fields.required('avg_price', readNumber),
    entryCostUsdc: fields.optional('entry_cost_usdc', readNumber),
    entryFeesUsdc: fields.optional('entry_fees_usdc', readNumber),
    totalCostUsdc: fields.optional('total_cost_usdc', readNumber),
    currentPrice: fields.optional('current_price', readNumber),
    currentValue: fields.optional('current_value', readNumber),
    totalSize: fields.optional('total_size', readNumber),
    realizedPnl: fields.optional('realized_pnl', readNumber),
    unrealizedPnl: fields.optional('unrealized_pnl', readNumber),
    totalPnl: fields.optional('total_pnl', readNumber),
    percentPnl: fields.optional('percent_pnl', readNumber),
    percentRealizedPnl: fields.optional('percent_realized_pnl', readNumber),
    status: fields.optional('status', readString),
    redeemable: fields.optional('redeemable', readBoolean),
    mergeable: fields.optional('mergeable', readBoolean),
    negativeRisk: fields.optional('negative_risk', readBoolean),
    archived: fields.optional('archived', readBoolean),
    title: fields.optional('title', readString),
    slug: fields.optional('slug', readString),
    icon: fields.optional('icon', readString),
    eventId: fields.optional('event_id', readId),
    eventSlug: fields.optional('event_slug', readString),
    outcome: fields.optional('outcome', readString),
    outcomeIndex: fields.optional('outcome_index', readOutcomeIndex),
    oppositeOutcome: fields.optional('opposite_outcome', readString),
    oppositeTokenId: fields.optional('opposite_token_id', readId),
    endDateMs: fields.optional('end_date', readTimeMs),
    lastEventAtMs: fields.optional('last_event_at', readMomentMs),
    name: fields.optional('name', readString),
    profileImage: fields.optional('profile_image', readString),
    verified: fields.optional('verified', readBoolean),
  }
}

// Unix seconds or a date: the upstream's own pages show both.
const readMomentMs = (value: unknown, path: string): number =>
  typeof value === 'number' ? readInteger(value, path) * 1_000 : readTimeMs(value, path)
