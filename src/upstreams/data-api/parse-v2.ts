import type { CursorPage } from '../transport/paging.js'
import {
  arrayOf,
  type Parser,
  parseBoolean,
  parseFields,
  parseId,
  parseInteger,
  parseNumber,
  parseOptional,
  parseString,
  parseTimeMs,
} from '../transport/parse-json.js'
import type { DataTrade, PositionV2 } from './messages.js'
import { parseDataSide, parseOutcomeIndex } from './parse.js'

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

export function parsePositionV2(value: unknown, path: string): PositionV2 {
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
