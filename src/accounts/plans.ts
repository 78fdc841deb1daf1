export const PLAN_IDS = ['free', 'starter', 'growth', 'pro', 'enterprise'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** What is counted per account and month. The WebSocket meters count payload bytes. */
export type Meter = 'api_requests' | 'ws_market' | 'ws_onchain' | 'social'

type Row<T> = readonly [free: T, starter: T, growth: T, pro: T, enterprise: T]

const row = <T>(...values: Row<T>) => values

const GB = 1_000_000_000

/**
 * The one table of plans: REST, WebSocket and webhook doors all read their numbers here. `null` means
 * without limit; 0 means not at all. Pro differs from growth in social calls alone.
 */
const GRANTS = {
  /** Higher ranks include what lower ranks may do. */
  rank: row(0, 1, 2, 3, 4),
  priceUsdPerMonth: row<number | null>(0, 50, 200, null, 750),
  keysMax: row(1, 3, 10, 10, 25),
  restPerMinute: row(60, 1_000, 2_000, 2_000, 4_000),
  v3PerMinute: row(0, 1_000, 2_000, 2_000, 4_000),
  v3HeavyPerMinute: row(0, 1_000, 1_500, 1_500, 1_500),
  /** Large answers of an account that are sent at the same time. */
  largeAnswersMax: row(2, 4, 6, 6, 8),
  conditionPositionsPageMax: row(0, 300, 1_000, 1_000, 1_000),
  tradeExport: row<boolean>(false, false, true, true, true),
  copyPnlPoolMax: row(0, 1_000, 1_000, 1_000, 1_000),
  socialPerMonth: row(0, 500, 1_000, 1_500, 5_000),
  eventSocketsMax: row<number | null>(1, 10, 50, 50, null),
  orderbookSocketsMax: row<number | null>(1, 10, 50, 50, null),
  firehosesMax: row<number | null>(1, 10, 50, 50, null),
  filterItemsMax: row<number | null>(10_000, 10_000, 10_000, 10_000, null),
  socketSecondsPerDay: row<number | null>(3_600, null, null, null, null),
  snapshotCountMax: row(20, 100, 200, 200, 500),
  sinceLookbackMs: row(30_000, 120_000, 300_000, 300_000, 300_000),
  webhooksMax: row(0, 10, 50, 50, 500),
  webhookDeliveriesPerDay: row<number | null>(0, 50_000, 500_000, 500_000, null),
  requestsPerMonth: row<number | null>(100_000, 10_000_000, 50_000_000, 50_000_000, null),
  marketBytesPerMonth: row<number | null>(5 * GB, 250 * GB, 1_000 * GB, 1_000 * GB, null),
  onchainBytesPerMonth: row<number | null>(5 * GB, 250 * GB, 1_000 * GB, 1_000 * GB, null),
}

/** Everything a plan grants. */
export type Plan = { id: PlanId } & {
  [Grant in keyof typeof GRANTS]: (typeof GRANTS)[Grant][number]
}

export const PLANS = Object.fromEntries(
  PLAN_IDS.map((id, index) => {
    const grants = Object.entries(GRANTS).map(([grant, values]) => [grant, values[index]])
    return [id, { id, ...Object.fromEntries(grants) }]
  }),
) as Record<PlanId, Plan>

export const isPlanId = (text: string): text is PlanId => PLAN_IDS.some((id) => id === text)
