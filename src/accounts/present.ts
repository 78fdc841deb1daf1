import { showAccount } from './accounts.js'
import type { Caller } from './key-ring.js'
import type { Meter, Plan } from './plans.js'
import { monthEnd, monthStart } from './usage-meter.js'

export const presentPlan = (plan: Plan) => ({
  id: plan.id,
  price_usd_per_month: plan.priceUsdPerMonth,
  api_keys: plan.keysMax,
  rest_per_minute: plan.restPerMinute,
  v3_per_minute: plan.v3PerMinute,
  v3_heavy_per_minute: plan.v3HeavyPerMinute,
  work_per_second: plan.workPerSecond,
  large_answers: plan.largeAnswersMax,
  condition_positions_page: plan.conditionPositionsPageMax,
  trade_export: plan.tradeExport,
  copy_pnl_pool: plan.copyPnlPoolMax,
  social_per_month: plan.socialPerMonth,
  websocket: {
    event_connections: plan.eventSocketsMax,
    orderbook_connections: plan.orderbookSocketsMax,
    firehose_connections: plan.firehosesMax,
    replays: plan.replaysMax,
    replay_hours: plan.replayHoursMax,
    filter_items: plan.filterItemsMax,
    session_seconds_per_day: plan.socketSecondsPerDay,
    snapshot_count: plan.snapshotCountMax,
    since_lookback_ms: plan.sinceLookbackMs,
  },
  webhooks: { count: plan.webhooksMax, deliveries_per_day: plan.webhookDeliveriesPerDay },
  included_per_month: {
    api_requests: plan.requestsPerMonth,
    ws_market_bytes: plan.marketBytesPerMonth,
    ws_onchain_bytes: plan.onchainBytesPerMonth,
  },
})

/** `usedOf` says what each meter has counted in the month of `nowMs`. */
export function presentUsage({ accountId, plan }: Caller, nowMs: number, usedOf: (meter: Meter) => number) {
  const start = monthStart(nowMs) / 1000
  const end = monthEnd(nowMs) / 1000
  const meters = [
    { meter: 'api_requests', unit: 'requests', included: plan.requestsPerMonth },
    { meter: 'ws_market', unit: 'bytes', included: plan.marketBytesPerMonth },
    { meter: 'ws_onchain', unit: 'bytes', included: plan.onchainBytesPerMonth },
  ] as const
  return {
    account: showAccount(accountId),
    tier: plan.id,
    period: { start, end },
    meters: meters.map((entry) => ({ ...entry, used: usedOf(entry.meter) })),
    social: { used: usedOf('social'), limit: plan.socialPerMonth, resets_at: end },
    enforced: false as const,
  }
}
