/**
 * What published client libraries require of answers: fields that must be there, not null, and of this type. Written from
 * what they validate, not from our schemas. A field in an array is required of each of its rows.
 */
export type Required =
  | 'text'
  | 'number'
  | 'integer'
  | 'flag'
  | 'texts'
  | 'object'
  | [Required]
  | { [field: string]: Required }

const each = <Type extends Required>(type: Type, names: string): Record<string, Type> =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))

const settlements = {
  count: 'integer',
  settlements: [
    each(
      'text',
      'id tx_hash taker_side taker_size taker_price taker_wallet taker_token timestamp detected_at status outcome ' +
        'market_title market_slug market_image event_title block_number trades_json',
    ),
  ],
} as const satisfies Required

const position = {
  ...each('text', 'conditionId asset outcome title slug icon'),
  size: 'number',
  outcomes: 'texts',
  token_ids: 'texts',
  negativeRisk: 'flag',
} as const satisfies Required

const book = {
  ...each('text', 'asset_id market hash last_trade_price min_order_size tick_size timestamp'),
  neg_risk: 'flag',
  bids: [each('text', 'price size')],
  asks: [each('text', 'price size')],
} as const satisfies Required

export const SHAPES = {
  keys: { ...each('text', 'api_key name message'), rate_limit_per_minute: 'integer' },
  status: {
    node_connected: 'flag',
    ...each(
      'integer',
      'uptime_seconds stream_length events_stream_length pending_txs ws_subscribers firehose_connections',
    ),
    redis_memory: 'text',
    state: each(
      'integer',
      'market_count wallet_count metadata_count events_buffered events_processed latest_block',
    ),
    metadata_observability: each(
      'integer',
      'ws_settlement_missing_full ws_settlement_missing_title ws_status_missing_full ws_status_missing_title ' +
        'hydration_queued hydration_retries hydration_failures gamma_hydration_success gamma_hydration_no_markets ' +
        'gamma_hydration_unusable gamma_hydration_request_errors gamma_hydration_status_errors gamma_hydration_parse_errors',
    ),
  },
  connections: 'object',
  settlements,
  tokenSettlements: { token_id: 'text', ...settlements },
  walletSettlements: { wallet: 'text', ...settlements },
  wallet: {
    wallet: 'text',
    activity: each(
      'number',
      'last_active trade_count trade_volume_usd transfer_count deposit_count deposit_volume_usd',
    ),
  },
  walletPositions: { positions: [position] },
  book,
  midpoint: { mid: 'text' },
  spread: { spread: 'text' },
  leaderboard: {
    ...each('text', 'period sort'),
    count: 'integer',
    traders: [{ ...each('text', 'wallet name'), ...each('number', 'rank pnl volume') }],
  },
  activity: {
    count: 'integer',
    trades: [
      {
        ...each('text', 'wallet side tokenId conditionId title slug eventSlug outcome name txHash'),
        ...each('number', 'size price timestamp'),
      },
    ],
  },
  trader: {
    ...each('text', 'wallet name pseudonym profileSlug joinDate'),
    ...each('integer', 'trades marketsTraded views'),
    ...each('number', 'largestWin totalVolume totalPnl realizedPnl unrealizedPnl positionValue'),
  },
  traderPnl: {
    ...each('text', 'wallet period'),
    count: 'integer',
    series: [each('number', 'timestamp pnl')],
  },
  sportsSeries: {
    count: 'integer',
    series: [
      {
        ...each('text', 'id slug title seriesType recurrence'),
        active: 'flag',
        ...each('number', 'volume24hr volume liquidity'),
      },
    ],
  },
  builderLeaderboard: {
    ...each(
      'text',
      'builder_code period sort order as_of volume_scope volume_semantics fee_semantics pnl_scope',
    ),
    ...each('integer', 'limit offset'),
    has_more: 'flag',
    window: 'object',
    coverage: 'object',
    data: [
      {
        ...each(
          'text',
          'wallet trader_address volume_e6 volume buy_volume_e6 buy_volume sell_volume_e6 sell_volume ' +
            'trader_paid_fees_e6 trader_paid_fees',
        ),
        ...each('integer', 'rank trades active_days first_activity_at last_activity_at'),
      },
    ],
  },
  comboLeaderboard: {
    ...each('text', 'period pnl_scope as_of source'),
    as_of_block: 'integer',
    window: 'object',
    coverage: {
      status: 'text',
      raw_wallet_transfers_included: 'flag',
      ...each(
        'integer',
        'eligible_wallet_count excluded_wallet_count transfer_incomplete_wallet_count unmarked_wallet_count',
      ),
    },
    data: [
      {
        ...each('text', 'wallet_address realized_pnl'),
        ...each('integer', 'rank open_combo_count closed_combo_count position_count event_count'),
      },
    ],
  },
  comboDays: {
    ...each(
      'text',
      'start_date end_date interval timezone coverage_start complete_through as_of share_volume_unit ' +
        'share_volume_semantics side_semantics',
    ),
    as_of_block: 'integer',
    count_semantics: each('text', 'fills lifecycle transfers exact_redemptions'),
    days: [
      {
        date: 'text',
        complete: 'flag',
        ...each(
          'integer',
          'fill_count signed_order_buy_fill_count signed_order_sell_fill_count lifecycle_count prepare_event_count ' +
            'prepared_combo_count split_count merge_count redeem_event_count mapped_transfer_count ' +
            'exact_redemption_count full_redemption_count partial_redemption_count transformation_count',
        ),
        ...each(
          'text',
          'share_volume signed_order_buy_share_volume signed_order_sell_share_volume share_volume_e6 ' +
            'signed_order_buy_share_volume_e6 signed_order_sell_share_volume_e6',
        ),
      },
    ],
  },
} as const satisfies Record<string, Required>

/** What an answer lacks, with its place. An array without rows proves nothing: it lacks them. */
export function findFaults(value: unknown, required: Required, at = 'body'): string[] {
  if (required === 'texts') return Array.isArray(value) && value.every(isText) ? [] : [`${at}: no texts`]
  if (Array.isArray(required)) {
    if (!Array.isArray(value) || value.length === 0) return [`${at}: no rows`]
    return value.flatMap((row, index) => findFaults(row, required[0], `${at}[${index}]`))
  }
  if (typeof required === 'string')
    return isOf(value, required) ? [] : [`${at}: ${JSON.stringify(value)}, no ${required}`]
  if (!isObject(value)) return [`${at}: no object`]
  return Object.entries(required).flatMap(([field, type]) => findFaults(value[field], type, `${at}.${field}`))
}

const isText = (value: unknown): boolean => typeof value === 'string'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isOf(value: unknown, type: 'text' | 'number' | 'integer' | 'flag' | 'object'): boolean {
  if (type === 'text') return isText(value)
  if (type === 'flag') return typeof value === 'boolean'
  if (type === 'integer') return Number.isInteger(value)
  return type === 'number' ? Number.isFinite(value) : isObject(value)
}
