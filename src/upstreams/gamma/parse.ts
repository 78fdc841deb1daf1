import { parseConditionId } from '../../core/structured-id.js'
import {
  arrayOf,
  type JsonFields,
  type Parser,
  parseBoolean,
  parseEncoded,
  parseFields,
  parseFineTimeMs,
  parseId,
  parseInteger,
  parseNumber,
  parseString,
  parseTimeMs,
  refuseValue,
} from '../transport/parse-json.js'
import { parseTeam } from './parse-sports.js'

/** Gamma's objects under its own names. `undefined` is what it leaves out, sends as null or as "". */
export type GammaEvent = ReturnType<typeof parseEvent>

export function parseEvent(value: unknown, path: string) {
  const markets = parseFields(value, path).list('markets', parseGammaMarket).filter(isBinary)
  return { ...parseEventHead(value, path), markets }
}

export type GammaSeries = ReturnType<typeof parseSeries>

export function parseSeries(value: unknown, path: string) {
  const events = parseFields(value, path).list('events', parseEventHead)
  return { ...parseSeriesHead(value, path), events }
}

export type GammaSearchResult = ReturnType<typeof parseSearchResult>

export function parseSearchResult(value: unknown, path: string) {
  const fields = parseFields(value, path)
  const pagination = fields.optional('pagination', parsePagination)
  return {
    events: fields.list('events', parseEvent),
    tags: fields.list('tags', parseSearchTag),
    profiles: fields.list('profiles', parseProfile),
    hasMore: pagination?.hasMore ?? false,
    totalResults: pagination?.totalResults,
  }
}

/** The profiles of a search alone: what else it finds is not looked at. */
export const parseFoundProfiles: Parser<GammaProfile[]> = (value, path) =>
  parseFields(value, path).list('profiles', parseProfile)

function parseSearchTag(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    label: fields.optional('label', parseString),
    slug: fields.optional('slug', parseString),
    eventCount: fields.optional('event_count', parseInteger),
  }
}

function parsePagination(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    hasMore: fields.optional('hasMore', parseBoolean),
    totalResults: fields.optional('totalResults', parseInteger),
  }
}

/** An event as Gamma shows it on a market or a series: without its markets. */
export type GammaEventHead = ReturnType<typeof parseEventHead>

export function parseEventHead(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    slug: fields.optional('slug', parseString),
    ticker: fields.optional('ticker', parseString),
    title: fields.optional('title', parseString),
    subtitle: fields.optional('subtitle', parseString),
    description: fields.optional('description', parseString),
    resolutionSource: fields.optional('resolutionSource', parseString),
    category: fields.optional('category', parseString),
    subcategory: fields.optional('subcategory', parseString),
    seriesSlug: fields.optional('seriesSlug', parseString),
    parentEventId: fields.optional('parentEventId', parseId),
    image: fields.optional('image', parseString),
    icon: fields.optional('icon', parseString),

    // When trading began, for an up-or-down window about a day before it opens. Here and in endDateMs
    // a fraction has the microseconds.
    startDateMs: fields.optional('startDate', parseFineTimeMs),
    creationDateMs: fields.optional('creationDate', parseTimeMs),
    endDateMs: fields.optional('endDate', parseFineTimeMs),
    closedTimeMs: fields.optional('closedTime', parseTimeMs),
    startTimeMs: fields.optional('startTime', parseTimeMs),
    finishedTimestampMs: fields.optional('finishedTimestamp', parseTimeMs),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
    updatedAtMs: fields.optional('updatedAt', parseTimeMs),
    eventDate: fields.optional('eventDate', parseString),
    eventWeek: fields.optional('eventWeek', parseInteger),

    active: fields.optional('active', parseBoolean),
    closed: fields.optional('closed', parseBoolean),
    archived: fields.optional('archived', parseBoolean),
    new: fields.optional('new', parseBoolean),
    featured: fields.optional('featured', parseBoolean),
    restricted: fields.optional('restricted', parseBoolean),
    enableOrderBook: fields.optional('enableOrderBook', parseBoolean),
    negRisk: fields.optional('negRisk', parseBoolean),
    negRiskMarketId: fields.optional('negRiskMarketID', parseString),
    negRiskFeeBips: fields.optional('negRiskFeeBips', parseNumber),
    negRiskAugmented: fields.optional('negRiskAugmented', parseBoolean),
    showAllOutcomes: fields.optional('showAllOutcomes', parseBoolean),

    liquidity: fields.optional('liquidity', parseNumber),
    liquidityClob: fields.optional('liquidityClob', parseNumber),
    volume: fields.optional('volume', parseNumber),
    volume24hr: fields.optional('volume24hr', parseNumber),
    volume1wk: fields.optional('volume1wk', parseNumber),
    volume1mo: fields.optional('volume1mo', parseNumber),
    volume1yr: fields.optional('volume1yr', parseNumber),
    openInterest: fields.optional('openInterest', parseNumber),
    competitive: fields.optional('competitive', parseNumber),
    commentCount: fields.optional('commentCount', parseInteger),

    gameId: fields.optional('gameId', parseId),
    live: fields.optional('live', parseBoolean),
    ended: fields.optional('ended', parseBoolean),
    score: fields.optional('score', parseString),
    period: fields.optional('period', parseString),
    elapsed: fields.optional('elapsed', parseString),
    gameStatus: fields.optional('gameStatus', parseString),
    homeTeamName: fields.optional('homeTeamName', parseString),
    awayTeamName: fields.optional('awayTeamName', parseString),
    teams: fields.list('teams', parseTeam),

    // Of an up-or-down window, some minutes after it ended, and of some games.
    eventMetadata: fields.optional('eventMetadata', parseEventMetadata),
    series: fields.list('series', parseSeriesHead),
    tags: fields.list('tags', parseTag),
  }
}

function parseEventMetadata(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    priceToBeat: fields.optional('priceToBeat', parseNumber),
    finalPrice: fields.optional('finalPrice', parseNumber),
    // Gamma's own words about a game.
    contextDescription: fields.optional('context_description', parseString),
  }
}

export type GammaMarket = ReturnType<typeof parseGammaMarket>

/** Lists leave out all other markets: no exchange trades more or fewer than two outcomes. */
export const isBinary = ({ outcomes }: GammaMarket): boolean => outcomes.length === 2

export function parseGammaMarket(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    conditionId: fields.optional('conditionId', parseCondition),
    questionId: fields.optional('questionID', parseString),
    slug: fields.optional('slug', parseString),
    question: fields.optional('question', parseString),
    description: fields.optional('description', parseString),
    category: fields.optional('category', parseString),
    resolutionSource: fields.optional('resolutionSource', parseString),
    groupItemTitle: fields.optional('groupItemTitle', parseString),
    groupItemThreshold: fields.optional('groupItemThreshold', parseId),
    image: fields.optional('image', parseString),
    icon: fields.optional('icon', parseString),

    outcomes: encodedList(fields, 'outcomes', parseString) ?? [],
    // Empty while the market has no tokens yet.
    tokens: zipTokens(fields, path),
    startDateMs: fields.optional('startDate', parseTimeMs),
    endDateMs: fields.optional('endDate', parseTimeMs),
    // When the window of an up-or-down market opens.
    eventStartTimeMs: fields.optional('eventStartTime', parseTimeMs),
    gameStartTimeMs: fields.optional('gameStartTime', parseTimeMs),
    closedTimeMs: fields.optional('closedTime', parseTimeMs),
    umaEndDateMs: fields.optional('umaEndDate', parseTimeMs),
    acceptingOrdersTimestampMs: fields.optional('acceptingOrdersTimestamp', parseTimeMs),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
    updatedAtMs: fields.optional('updatedAt', parseTimeMs),

    active: fields.optional('active', parseBoolean),
    closed: fields.optional('closed', parseBoolean),
    archived: fields.optional('archived', parseBoolean),
    restricted: fields.optional('restricted', parseBoolean),
    enableOrderBook: fields.optional('enableOrderBook', parseBoolean),
    acceptingOrders: fields.optional('acceptingOrders', parseBoolean),
    negRisk: fields.optional('negRisk', parseBoolean),
    negRiskOther: fields.optional('negRiskOther', parseBoolean),
    negRiskMarketId: fields.optional('negRiskMarketID', parseString),
    negRiskRequestId: fields.optional('negRiskRequestID', parseString),
    feesEnabled: fields.optional('feesEnabled', parseBoolean),
    automaticallyResolved: fields.optional('automaticallyResolved', parseBoolean),
    umaResolutionStatus: fields.optional('umaResolutionStatus', parseString),
    resolvedBy: fields.optional('resolvedBy', parseString),

    volume: fields.optional('volumeNum', parseNumber) ?? fields.optional('volume', parseNumber),
    volume24hr: fields.optional('volume24hr', parseNumber),
    volume1wk: fields.optional('volume1wk', parseNumber),
    volume1mo: fields.optional('volume1mo', parseNumber),
    volume1yr: fields.optional('volume1yr', parseNumber),
    liquidity: fields.optional('liquidityNum', parseNumber) ?? fields.optional('liquidity', parseNumber),
    lastTradePrice: fields.optional('lastTradePrice', parseNumber),
    bestBid: fields.optional('bestBid', parseNumber),
    bestAsk: fields.optional('bestAsk', parseNumber),
    spread: fields.optional('spread', parseNumber),
    oneHourPriceChange: fields.optional('oneHourPriceChange', parseNumber),
    oneDayPriceChange: fields.optional('oneDayPriceChange', parseNumber),
    oneWeekPriceChange: fields.optional('oneWeekPriceChange', parseNumber),
    oneMonthPriceChange: fields.optional('oneMonthPriceChange', parseNumber),
    competitive: fields.optional('competitive', parseNumber),
    orderPriceMinTickSize: fields.optional('orderPriceMinTickSize', parseNumber),
    orderMinSize: fields.optional('orderMinSize', parseNumber),
    rewardsMinSize: fields.optional('rewardsMinSize', parseNumber),
    rewardsMaxSpread: fields.optional('rewardsMaxSpread', parseNumber),

    // Basis points.
    takerBaseFee: fields.optional('takerBaseFee', parseNumber),
    feeType: fields.optional('feeType', parseString),
    feeSchedule: fields.optional('feeSchedule', parseFeeSchedule),
    cryptoMarketConfig: fields.optional('cryptoMarketConfig', parseCryptoMarketConfig),
    sportsMarketType: fields.optional('sportsMarketType', parseString),
    line: fields.optional('line', parseNumber),
    secondsDelay: fields.optional('secondsDelay', parseInteger),
    clearBookOnStart: fields.optional('clearBookOnStart', parseBoolean),
    gameId: fields.optional('gameId', parseId),
    tags: fields.list('tags', parseTag),
    // Only where Gamma lists markets by themselves.
    events: fields.list('events', parseEventHead),
  }
}

/** Of 32 bytes; a structured one, which has 31, is padded. */
function parseCondition(value: unknown, path: string): string {
  const id = parseConditionId(parseString(value, path))
  return id ?? refuseValue(path, '0x and 62 or 64 hex digits', value)
}

/** Three arrays, each JSON in a string, whose items belong together by their index. */
function zipTokens(fields: JsonFields, path: string) {
  const tokenIds = encodedList(fields, 'clobTokenIds', parseId) ?? []
  if (tokenIds.length === 0) return []
  const outcomes = encodedList(fields, 'outcomes', parseString)
  const prices = encodedList(fields, 'outcomePrices', parseNumber)
  // An outcome without a name cannot be traded.
  if (outcomes === undefined) return []
  if (outcomes.length !== tokenIds.length)
    return refuseValue(`${path}.outcomes`, `one for each of ${tokenIds.length} tokens`, outcomes)
  if (prices !== undefined && prices.length !== tokenIds.length)
    return refuseValue(`${path}.outcomePrices`, `one for each of ${tokenIds.length} tokens`, prices)
  return outcomes.map((outcome, index) => ({
    tokenId: tokenIds[index] ?? '',
    outcome,
    price: prices?.[index],
  }))
}

function encodedList<T>(fields: JsonFields, name: string, parse: Parser<T>) {
  return fields.optional(name, (value, path) => parseEncoded(value, path, arrayOf(parse)))
}

/** Takers pay shares × rate × (p × (1 − p)) ^ exponent. */
function parseFeeSchedule(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    exponent: fields.required('exponent', parseNumber),
    rate: fields.required('rate', parseNumber),
    takerOnly: fields.optional('takerOnly', parseBoolean),
    rebateRate: fields.optional('rebateRate', parseNumber),
  }
}

function parseCryptoMarketConfig(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    asset: fields.optional('asset', parseString),
    duration: fields.optional('duration', parseString),
    twapEnabled: fields.optional('twapEnabled', parseBoolean),
    twapLookbackSeconds: fields.optional('twapLookbackSeconds', parseNumber),
  }
}

/** A series as Gamma shows it on an event: without its events. */
export type GammaSeriesHead = ReturnType<typeof parseSeriesHead>

export function parseSeriesHead(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    slug: fields.optional('slug', parseString),
    ticker: fields.optional('ticker', parseString),
    title: fields.optional('title', parseString),
    subtitle: fields.optional('subtitle', parseString),
    seriesType: fields.optional('seriesType', parseString),
    // Not always the interval, which the slug names.
    recurrence: fields.optional('recurrence', parseString),
    image: fields.optional('image', parseString),
    icon: fields.optional('icon', parseString),
    active: fields.optional('active', parseBoolean),
    closed: fields.optional('closed', parseBoolean),
    archived: fields.optional('archived', parseBoolean),
    competitive: fields.optional('competitive', parseNumber),
    volume: fields.optional('volume', parseNumber),
    volume24hr: fields.optional('volume24hr', parseNumber),
    liquidity: fields.optional('liquidity', parseNumber),
    commentCount: fields.optional('commentCount', parseInteger),
    startDateMs: fields.optional('startDate', parseTimeMs),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
    updatedAtMs: fields.optional('updatedAt', parseTimeMs),
    tags: fields.list('tags', parseTag),
  }
}

export type GammaTag = ReturnType<typeof parseTag>

export function parseTag(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    label: fields.optional('label', parseString),
    slug: fields.optional('slug', parseString),
    forceShow: fields.optional('forceShow', parseBoolean),
    isCarousel: fields.optional('isCarousel', parseBoolean),
    activeEventsCount: fields.optional('activeEventsCount', parseInteger),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
    updatedAtMs: fields.optional('updatedAt', parseTimeMs),
  }
}

export type GammaProfile = ReturnType<typeof parseProfile>

export function parseProfile(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    proxyWallet: fields.optional('proxyWallet', parseString),
    name: fields.optional('name', parseString),
    pseudonym: fields.optional('pseudonym', parseString),
    bio: fields.optional('bio', parseString),
    profileImage: fields.optional('profileImage', parseString),
    displayUsernamePublic: fields.optional('displayUsernamePublic', parseBoolean),
    xUsername: fields.optional('xUsername', parseString),
    verifiedBadge: fields.optional('verifiedBadge', parseBoolean),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
  }
}
