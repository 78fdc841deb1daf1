export const PLAN_IDS = ['free', 'starter', 'growth', 'pro', 'enterprise'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** Everything a plan grants. `null` means without limit; 0 means not at all. */
export type Plan = {
  id: PlanId
  /** Higher ranks include what lower ranks may do. */
  rank: number
  priceUsdPerMonth: number | null
  keysMax: number
  restPerMinute: number
  v3PerMinute: number
  v3HeavyPerMinute: number
  conditionPositionsPageMax: number
  tradeExport: boolean
  copyPnlPoolMax: number
  socialPerMonth: number
  eventSocketsMax: number | null
  orderbookSocketsMax: number | null
  firehosesMax: number | null
  filterItemsMax: number | null
  socketSecondsPerDay: number | null
  snapshotCountMax: number
  sinceLookbackMs: number
  webhooksMax: number
  webhookDeliveriesPerDay: number | null
  includedPerMonth: Record<Meter, number | null>
}

/** What is counted per account and month. The WebSocket meters count payload bytes. */
export const METERS = ['api_requests', 'ws_market', 'ws_onchain', 'social'] as const
export type Meter = (typeof METERS)[number]

const GB = 1_000_000_000

const growth: Plan = {
  id: 'growth',
  rank: 2,
  priceUsdPerMonth: 200,
  keysMax: 10,
  restPerMinute: 2_000,
  v3PerMinute: 2_000,
  v3HeavyPerMinute: 1_500,
  conditionPositionsPageMax: 1_000,
  tradeExport: true,
  copyPnlPoolMax: 1_000,
  socialPerMonth: 1_000,
  eventSocketsMax: 50,
  orderbookSocketsMax: 50,
  firehosesMax: 50,
  filterItemsMax: 10_000,
  socketSecondsPerDay: null,
  snapshotCountMax: 200,
  sinceLookbackMs: 300_000,
  webhooksMax: 50,
  webhookDeliveriesPerDay: 500_000,
  includedPerMonth: {
    api_requests: 50_000_000,
    ws_market: 1_000 * GB,
    ws_onchain: 1_000 * GB,
    social: 1_000,
  },
}

/** The one table of plans: REST, WebSocket and webhook doors all read their numbers here. */
export const PLANS: Record<PlanId, Plan> = {
  free: {
    id: 'free',
    rank: 0,
    priceUsdPerMonth: 0,
    keysMax: 1,
    restPerMinute: 60,
    v3PerMinute: 0,
    v3HeavyPerMinute: 0,
    conditionPositionsPageMax: 0,
    tradeExport: false,
    copyPnlPoolMax: 0,
    socialPerMonth: 0,
    eventSocketsMax: 1,
    orderbookSocketsMax: 1,
    firehosesMax: 1,
    filterItemsMax: 10_000,
    socketSecondsPerDay: 3_600,
    snapshotCountMax: 20,
    sinceLookbackMs: 30_000,
    webhooksMax: 0,
    webhookDeliveriesPerDay: 0,
    includedPerMonth: { api_requests: 100_000, ws_market: 5 * GB, ws_onchain: 5 * GB, social: 0 },
  },
  starter: {
    id: 'starter',
    rank: 1,
    priceUsdPerMonth: 50,
    keysMax: 3,
    restPerMinute: 1_000,
    v3PerMinute: 1_000,
    v3HeavyPerMinute: 1_000,
    conditionPositionsPageMax: 300,
    tradeExport: false,
    copyPnlPoolMax: 1_000,
    socialPerMonth: 500,
    eventSocketsMax: 10,
    orderbookSocketsMax: 10,
    firehosesMax: 10,
    filterItemsMax: 10_000,
    socketSecondsPerDay: null,
    snapshotCountMax: 100,
    sinceLookbackMs: 120_000,
    webhooksMax: 10,
    webhookDeliveriesPerDay: 50_000,
    includedPerMonth: {
      api_requests: 10_000_000,
      ws_market: 250 * GB,
      ws_onchain: 250 * GB,
      social: 500,
    },
  },
  growth,
  // Appears in the webhook and social tables alone; everywhere else it is growth.
  pro: {
    ...growth,
    id: 'pro',
    rank: 3,
    priceUsdPerMonth: null,
    socialPerMonth: 1_500,
    includedPerMonth: { ...growth.includedPerMonth, social: 1_500 },
  },
  enterprise: {
    id: 'enterprise',
    rank: 4,
    priceUsdPerMonth: 750,
    keysMax: 25,
    restPerMinute: 4_000,
    v3PerMinute: 4_000,
    v3HeavyPerMinute: 1_500,
    conditionPositionsPageMax: 1_000,
    tradeExport: true,
    copyPnlPoolMax: 1_000,
    socialPerMonth: 5_000,
    eventSocketsMax: null,
    orderbookSocketsMax: null,
    firehosesMax: null,
    filterItemsMax: null,
    socketSecondsPerDay: null,
    snapshotCountMax: 500,
    sinceLookbackMs: 300_000,
    webhooksMax: 500,
    webhookDeliveriesPerDay: null,
    includedPerMonth: { api_requests: null, ws_market: null, ws_onchain: null, social: 5_000 },
  },
}

export const isPlanId = (text: string): text is PlanId => PLAN_IDS.some((id) => id === text)
