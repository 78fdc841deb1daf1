export const PLAN_IDS = ['free', 'starter', 'growth', 'pro', 'enterprise'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** What is counted per account and month. The WebSocket meters count payload bytes. */
export type Meter = 'api_requests' | 'ws_market' | 'ws_onchain' | 'social'

type Row<T> = readonly [free: T, starter: T, growth: T, pro: T, enterprise: T]

const row = <T>(...values: Row<T>) => values

const GB = 1_000_000_000

/**
 * The plans of a service whose operator has set no others: REST, WebSocket and webhook doors all read their
 * numbers from a `Plan`. `null` means without limit; 0 means not at all. Pro differs from growth in social
 * calls alone.
 */
const GRANTS = {
  /** Higher ranks include what lower ranks may do. */
  rank: row(0, 1, 2, 3, 4),
  priceUsdPerMonth: row<number | null>(0, 50, 200, null, 750),
  keysMax: row(1, 3, 10, 10, 25),
  restPerMinute: row(60, 1_000, 2_000, 2_000, 4_000),
  v3PerMinute: row(0, 1_000, 2_000, 2_000, 4_000),
  v3HeavyPerMinute: row(0, 1_000, 1_500, 1_500, 1_500),
  /** Units of work that an account may spend while others work too: the pages that it may ask for cost as much. */
  workPerSecond: row(100, 225, 450, 450, 900),
  /** Large answers of an account that are sent at the same time. */
  largeAnswersMax: row(2, 4, 6, 6, 8),
  conditionPositionsPageMax: row(0, 300, 1_000, 1_000, 1_000),
  tradeExport: row<boolean>(false, false, true, true, true),
  copyPnlPoolMax: row(0, 1_000, 1_000, 1_000, 1_000),
  socialPerMonth: row(0, 500, 1_000, 1_500, 5_000),
  eventSocketsMax: row<number | null>(1, 10, 50, 50, null),
  orderbookSocketsMax: row<number | null>(1, 10, 50, 50, null),
  firehosesMax: row<number | null>(1, 10, 50, 50, null),
  /** Replays of an account at the same time, and how many hours one of them may be of. */
  replaysMax: row<number | null>(1, 2, 5, 5, 10),
  replayHoursMax: row<number | null>(1, 24, 168, 168, null),
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

/** What a plan, or the agreement with one account, grants. */
export type Grants = { [Grant in keyof typeof GRANTS]: (typeof GRANTS)[Grant][number] }

export type Plan = Grants & {
  id: string
  /** Whether `/v1/plans` shows it. */
  isOffered: boolean
}

export const DEFAULT_PLANS = Object.fromEntries(
  PLAN_IDS.map((id, index) => {
    const grants = Object.entries(GRANTS).map(([grant, values]) => [grant, values[index]])
    return [id, { id, isOffered: true, ...Object.fromEntries(grants) }]
  }),
) as Record<PlanId, Plan>

/** What was agreed with single accounts, by their numbers: it goes before what their plan grants. */
export type Agreements = ReadonlyMap<number, Partial<Grants>>

/** The plans of one service. The same account on the same plan always gets the same object. */
export class Plans {
  readonly #plans: ReadonlyMap<string, Plan>
  readonly #agreements: Agreements
  readonly #agreed = new Map<string, Plan>()

  constructor(plans: readonly Plan[] = Object.values(DEFAULT_PLANS), agreements: Agreements = new Map()) {
    this.#plans = new Map(plans.map((plan) => [plan.id, plan]))
    this.#agreements = agreements
  }

  /** The plan of keys that the service hands out for free. */
  get free(): Plan {
    return this.#plans.get('free') ?? DEFAULT_PLANS.free
  }

  /** By rank. */
  all(): Plan[] {
    return [...this.#plans.values()].sort((a, b) => a.rank - b.rank)
  }

  /** Those that clients are shown. */
  offered(): Plan[] {
    return this.all().filter(({ isOffered }) => isOffered)
  }

  ids(): string[] {
    return this.all().map(({ id }) => id)
  }

  find(id: string): Plan | undefined {
    return this.#plans.get(id)
  }

  /** What an account on a plan is granted. `undefined`: there is no such plan. */
  of(accountId: number, id: string): Plan | undefined {
    const plan = this.#plans.get(id)
    const agreement = this.#agreements.get(accountId)
    if (plan === undefined || agreement === undefined) return plan
    const key = `${accountId} ${id}`
    const agreed = this.#agreed.get(key) ?? { ...plan, ...agreement }
    this.#agreed.set(key, agreed)
    return agreed
  }
}
