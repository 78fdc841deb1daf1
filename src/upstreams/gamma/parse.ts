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

/** The events of a search alone: what else it finds is ignored. */
export const parseFoundEvents: Parser<GammaEvent[]> = (value, path) =>
  parseFields(value, path).list('events', parseEvent)

/** The profiles of a search alone. */
export const parseFoundProfiles: Parser<GammaProfile[]> = (value, path) =>
  parseFields(value, path).list('profiles', parseProfile)

/** An event as Gamma shows it on a market or a series: without its markets. */
export type GammaEventHead = ReturnType<typeof parseEventHead>

export function parseEventHead(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    slug: fields.optional('slug', parseString),
    title: fields.optional('title', parseString),
    category: fields.optional('category', parseString),
    image: fields.optional('image', parseString),
    icon: fields.optional('icon', parseString),

    // When trading began, for an up-or-down window about a day before it opens. Here and in endDateMs
    // a fraction has the microseconds.
    startDateMs: fields.optional('startDate', parseFineTimeMs),
    creationDateMs: fields.optional('creationDate', parseTimeMs),
    endDateMs: fields.optional('endDate', parseFineTimeMs),
    closedTimeMs: fields.optional('closedTime', parseTimeMs),
    startTimeMs: fields.optional('startTime', parseTimeMs),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
    updatedAtMs: fields.optional('updatedAt', parseTimeMs),
    eventDate: fields.optional('eventDate', parseString),

    active: fields.optional('active', parseBoolean),
    closed: fields.optional('closed', parseBoolean),
    archived: fields.optional('archived', parseBoolean),
    enableOrderBook: fields.optional('enableOrderBook', parseBoolean),
    negRisk: fields.optional('negRisk', parseBoolean),
    negRiskMarketId: fields.optional('negRiskMarketID', parseString),

    liquidity: fields.optional('liquidity', parseNumber),
    volume: fields.optional('volume', parseNumber),
    volume24hr: fields.optional('volume24hr', parseNumber),
    openInterest: fields.optional('openInterest', parseNumber),

    gameId: fields.optional('gameId', parseId),
    live: fields.optional('live', parseBoolean),
    ended: fields.optional('ended', parseBoolean),
    score: fields.optional('score', parseString),
    period: fields.optional('period', parseString),
    elapsed: fields.optional('elapsed', parseString),
    gameStatus: fields.optional('gameStatus', parseString),
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
    category: fields.optional('category', parseString),
    groupItemTitle: fields.optional('groupItemTitle', parseString),
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
    createdAtMs: fields.optional('createdAt', parseTimeMs),
    updatedAtMs: fields.optional('updatedAt', parseTimeMs),

    active: fields.optional('active', parseBoolean),
    closed: fields.optional('closed', parseBoolean),
    archived: fields.optional('archived', parseBoolean),
    enableOrderBook: fields.optional('enableOrderBook', parseBoolean),
    acceptingOrders: fields.optional('acceptingOrders', parseBoolean),
    negRisk: fields.optional('negRisk', parseBoolean),
    umaResolutionStatus: fields.optional('umaResolutionStatus', parseString),

    volume: fields.optional('volumeNum', parseNumber) ?? fields.optional('volume', parseNumber),
    volume24hr: fields.optional('volume24hr', parseNumber),
    liquidity: fields.optional('liquidityNum', parseNumber) ?? fields.optional('liquidity', parseNumber),
    bestBid: fields.optional('bestBid', parseNumber),
    bestAsk: fields.optional('bestAsk', parseNumber),
    orderPriceMinTickSize: fields.optional('orderPriceMinTickSize', parseNumber),
    orderMinSize: fields.optional('orderMinSize', parseNumber),

    // Basis points.
    takerBaseFee: fields.optional('takerBaseFee', parseNumber),
    feeRate: fields.optional('feeSchedule', parseFeeRate),
    sportsMarketType: fields.optional('sportsMarketType', parseString),
    line: fields.optional('line', parseNumber),
    secondsDelay: fields.optional('secondsDelay', parseInteger),
    clearBookOnStart: fields.optional('clearBookOnStart', parseBoolean),
    gameId: fields.optional('gameId', parseId),
    // Only where Gamma lists markets by themselves.
    events: fields.list('events', parseEventHead),
  }
}

export type GammaTexts = ReturnType<typeof parseTexts>

/** The texts of a market or an event that the catalogue does not copy. */
export function parseTexts(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    description: fields.optional('description', parseString),
    resolutionSource: fields.optional('resolutionSource', parseString),
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
const parseFeeRate: Parser<number> = (value, path) => parseFields(value, path).required('rate', parseNumber)

/** A series as Gamma shows it on an event: without its events. */
export type GammaSeriesHead = ReturnType<typeof parseSeriesHead>

export function parseSeriesHead(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    slug: fields.optional('slug', parseString),
    title: fields.optional('title', parseString),
    // Not always the interval, which the slug names.
    recurrence: fields.optional('recurrence', parseString),
    image: fields.optional('image', parseString),
    active: fields.optional('active', parseBoolean),
    closed: fields.optional('closed', parseBoolean),
    createdAtMs: fields.optional('createdAt', parseTimeMs),
    seriesType: fields.optional('seriesType', parseString),
    // On the page of the series alone, not on events.
    volume: fields.optional('volume', parseNumber),
    volume24hr: fields.optional('volume24hr', parseNumber),
    liquidity: fields.optional('liquidity', parseNumber),
  }
}

export type GammaTag = ReturnType<typeof parseTag>

export function parseTag(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    label: fields.optional('label', parseString),
    slug: fields.optional('slug', parseString),
  }
}

export type GammaProfile = ReturnType<typeof parseProfile>

export function parseProfile(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    proxyWallet: fields.optional('proxyWallet', parseString),
    name: fields.optional('name', parseString),
    pseudonym: fields.optional('pseudonym', parseString),
    displayUsernamePublic: fields.optional('displayUsernamePublic', parseBoolean),
    profileImage: fields.optional('profileImage', parseString),
    xUsername: fields.optional('xUsername', parseString),
    verifiedBadge: fields.optional('verifiedBadge', parseBoolean),
    // ISO 8601, with microseconds.
    createdAt: fields.optional('createdAt', parseString),
  }
}

/** A name that its owner hides is not shown. */
export const usernameOf = (profile: GammaProfile | undefined): string | undefined =>
  profile?.displayUsernamePublic === false ? undefined : profile?.name
