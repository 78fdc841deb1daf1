/** Gamma's objects with its own words. `undefined` is what it leaves out, sends as null or as "". */
export type GammaEvent = GammaEventHead & { markets: GammaMarket[] }

/** An event as it stands on a market or a series: without its markets. */
export type GammaEventHead = {
  id: string
  slug: string | undefined
  ticker: string | undefined
  title: string | undefined
  subtitle: string | undefined
  description: string | undefined
  resolutionSource: string | undefined
  category: string | undefined
  subcategory: string | undefined
  seriesSlug: string | undefined
  parentEventId: string | undefined
  image: string | undefined
  icon: string | undefined

  /**
   * When trading began, which for an up-or-down window is about a day before it opens. Here and in
   * `endDateMs` a fraction has the microseconds.
   */
  startDateMs: number | undefined
  creationDateMs: number | undefined
  endDateMs: number | undefined
  closedTimeMs: number | undefined
  startTimeMs: number | undefined
  finishedTimestampMs: number | undefined
  createdAtMs: number | undefined
  updatedAtMs: number | undefined
  eventDate: string | undefined
  eventWeek: number | undefined

  active: boolean | undefined
  closed: boolean | undefined
  archived: boolean | undefined
  new: boolean | undefined
  featured: boolean | undefined
  restricted: boolean | undefined
  enableOrderBook: boolean | undefined
  negRisk: boolean | undefined
  negRiskMarketId: string | undefined
  negRiskFeeBips: number | undefined
  negRiskAugmented: boolean | undefined
  showAllOutcomes: boolean | undefined

  liquidity: number | undefined
  liquidityClob: number | undefined
  volume: number | undefined
  volume24hr: number | undefined
  volume1wk: number | undefined
  volume1mo: number | undefined
  volume1yr: number | undefined
  openInterest: number | undefined
  competitive: number | undefined
  commentCount: number | undefined

  gameId: string | undefined
  live: boolean | undefined
  ended: boolean | undefined
  score: string | undefined
  period: string | undefined
  elapsed: string | undefined
  gameStatus: string | undefined
  homeTeamName: string | undefined
  awayTeamName: string | undefined
  teams: GammaTeam[]

  /** Of an up-or-down window, some minutes after it ended. */
  eventMetadata: { priceToBeat: number | undefined; finalPrice: number | undefined } | undefined
  series: GammaSeriesHead[]
  tags: GammaTag[]
}

/** An outcome with what Gamma lists for it in three separate arrays. */
export type GammaToken = { tokenId: string; outcome: string; price: number | undefined }

export type GammaMarket = {
  id: string
  conditionId: string | undefined
  questionId: string | undefined
  slug: string | undefined
  question: string | undefined
  description: string | undefined
  category: string | undefined
  resolutionSource: string | undefined
  groupItemTitle: string | undefined
  groupItemThreshold: string | undefined
  image: string | undefined
  icon: string | undefined

  outcomes: string[]
  /** Empty while the market has no tokens yet. */
  tokens: GammaToken[]

  startDateMs: number | undefined
  endDateMs: number | undefined
  /** When the window of an up-or-down market opens. */
  eventStartTimeMs: number | undefined
  gameStartTimeMs: number | undefined
  closedTimeMs: number | undefined
  umaEndDateMs: number | undefined
  acceptingOrdersTimestampMs: number | undefined
  createdAtMs: number | undefined
  updatedAtMs: number | undefined

  active: boolean | undefined
  closed: boolean | undefined
  archived: boolean | undefined
  restricted: boolean | undefined
  enableOrderBook: boolean | undefined
  acceptingOrders: boolean | undefined
  negRisk: boolean | undefined
  negRiskOther: boolean | undefined
  negRiskMarketId: string | undefined
  negRiskRequestId: string | undefined
  feesEnabled: boolean | undefined
  automaticallyResolved: boolean | undefined
  umaResolutionStatus: string | undefined
  resolvedBy: string | undefined

  volume: number | undefined
  volume24hr: number | undefined
  volume1wk: number | undefined
  volume1mo: number | undefined
  volume1yr: number | undefined
  liquidity: number | undefined
  lastTradePrice: number | undefined
  bestBid: number | undefined
  bestAsk: number | undefined
  spread: number | undefined
  oneHourPriceChange: number | undefined
  oneDayPriceChange: number | undefined
  oneWeekPriceChange: number | undefined
  oneMonthPriceChange: number | undefined
  competitive: number | undefined
  orderPriceMinTickSize: number | undefined
  orderMinSize: number | undefined
  rewardsMinSize: number | undefined
  rewardsMaxSpread: number | undefined

  /** Basis points. */
  takerBaseFee: number | undefined
  feeType: string | undefined
  feeSchedule: GammaFeeSchedule | undefined
  cryptoMarketConfig: GammaCryptoMarketConfig | undefined

  sportsMarketType: string | undefined
  line: number | undefined
  gameId: string | undefined

  tags: GammaTag[]
  /** Only where markets are listed by themselves. */
  events: GammaEventHead[]
}

/** Takers pay shares × rate × (p × (1 − p)) ^ exponent. */
export type GammaFeeSchedule = {
  exponent: number
  rate: number
  takerOnly: boolean | undefined
  rebateRate: number | undefined
}

export type GammaCryptoMarketConfig = {
  id: string
  asset: string | undefined
  duration: string | undefined
  twapEnabled: boolean | undefined
  twapLookbackSeconds: number | undefined
}

export type GammaSeries = GammaSeriesHead & { events: GammaEventHead[] }

/** A series as it stands on an event: without its events. */
export type GammaSeriesHead = {
  id: string
  slug: string | undefined
  ticker: string | undefined
  title: string | undefined
  subtitle: string | undefined
  seriesType: string | undefined
  /** Not always the interval: the slug tells that. */
  recurrence: string | undefined
  image: string | undefined
  icon: string | undefined
  active: boolean | undefined
  closed: boolean | undefined
  archived: boolean | undefined
  competitive: number | undefined
  volume: number | undefined
  volume24hr: number | undefined
  liquidity: number | undefined
  commentCount: number | undefined
  startDateMs: number | undefined
  createdAtMs: number | undefined
  updatedAtMs: number | undefined
  tags: GammaTag[]
}

export type GammaTag = {
  id: string
  label: string | undefined
  slug: string | undefined
  forceShow: boolean | undefined
  isCarousel: boolean | undefined
  activeEventsCount: number | undefined
  createdAtMs: number | undefined
  updatedAtMs: number | undefined
}

export type GammaTeam = {
  id: string
  name: string | undefined
  league: string | undefined
  record: string | undefined
  logo: string | undefined
  abbreviation: string | undefined
  alias: string | undefined
  color: string | undefined
  providerId: string | undefined
  /** `home` or `away`, on the teams of an event. */
  ordering: string | undefined
}

/** A league. Its `series` leads to its games. */
export type GammaSport = {
  id: string | undefined
  sport: string
  name: string | undefined
  image: string | undefined
  resolution: string | undefined
  ordering: string | undefined
  tagIds: string[]
  series: string | undefined
}

export type GammaProfile = {
  proxyWallet: string | undefined
  name: string | undefined
  pseudonym: string | undefined
  bio: string | undefined
  profileImage: string | undefined
  displayUsernamePublic: boolean | undefined
  xUsername: string | undefined
  verifiedBadge: boolean | undefined
  createdAtMs: number | undefined
}

export type GammaSearchTag = {
  id: string
  label: string | undefined
  slug: string | undefined
  eventCount: number | undefined
}

export type GammaSearchResult = {
  events: GammaEvent[]
  tags: GammaSearchTag[]
  profiles: GammaProfile[]
  hasMore: boolean
  totalResults: number | undefined
}
