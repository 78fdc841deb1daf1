import {
  type Fields,
  readArray,
  readBoolean,
  readEncoded,
  readFields,
  readId,
  readNumber,
  readString,
  readTimeMs,
  refuse,
} from '../transport/read.js'
import type {
  GammaCryptoMarketConfig,
  GammaFeeSchedule,
  GammaMarket,
  GammaToken,
} from './messages.js'
import { parseEventHead } from './parse-event.js'
import { parseTag } from './parse-parts.js'

export function parseMarket(value: unknown, path: string): GammaMarket {
  const fields = readFields(value, path)
  return {
    id: fields.required('id', readId),
    conditionId: fields.optional('conditionId', readString),
    questionId: fields.optional('questionID', readString),
    slug: fields.optional('slug', readString),
    question: fields.optional('question', readString),
    description: fields.optional('description', readString),
    category: fields.optional('category', readString),
    resolutionSource: fields.optional('resolutionSource', readString),
    groupItemTitle: fields.optional('groupItemTitle', readString),
    groupItemThreshold: fields.optional('groupItemThreshold', readId),
    image: fields.optional('image', readString),
    icon: fields.optional('icon', readString),

    outcomes: encodedList(fields, 'outcomes', readString) ?? [],
    tokens: zipTokens(fields, path),
    startDateMs: fields.optional('startDate', readTimeMs),
    endDateMs: fields.optional('endDate', readTimeMs),
    eventStartTimeMs: fields.optional('eventStartTime', readTimeMs),
    gameStartTimeMs: fields.optional('gameStartTime', readTimeMs),
    closedTimeMs: fields.optional('closedTime', readTimeMs),
    umaEndDateMs: fields.optional('umaEndDate', readTimeMs),
    acceptingOrdersTimestampMs: fields.optional('acceptingOrdersTimestamp', readTimeMs),
    createdAtMs: fields.optional('createdAt', readTimeMs),
    updatedAtMs: fields.optional('updatedAt', readTimeMs),

    active: fields.optional('active', readBoolean),
    closed: fields.optional('closed', readBoolean),
    archived: fields.optional('archived', readBoolean),
    restricted: fields.optional('restricted', readBoolean),
    enableOrderBook: fields.optional('enableOrderBook', readBoolean),
    acceptingOrders: fields.optional('acceptingOrders', readBoolean),
    negRisk: fields.optional('negRisk', readBoolean),
    negRiskOther: fields.optional('negRiskOther', readBoolean),
    negRiskMarketId: fields.optional('negRiskMarketID', readString),
    negRiskRequestId: fields.optional('negRiskRequestID', readString),
    feesEnabled: fields.optional('feesEnabled', readBoolean),
    automaticallyResolved: fields.optional('automaticallyResolved', readBoolean),
    umaResolutionStatus: fields.optional('umaResolutionStatus', readString),
    resolvedBy: fields.optional('resolvedBy', readString),

    volume: fields.optional('volumeNum', readNumber) ?? fields.optional('volume', readNumber),
    volume24hr: fields.optional('volume24hr', readNumber),
    volume1wk: fields.optional('volume1wk', readNumber),
    volume1mo: fields.optional('volume1mo', readNumber),
    volume1yr: fields.optional('volume1yr', readNumber),
    liquidity:
      fields.optional('liquidityNum', readNumber) ?? fields.optional('liquidity', readNumber),
    lastTradePrice: fields.optional('lastTradePrice', readNumber),
    bestBid: fields.optional('bestBid', readNumber),
    bestAsk: fields.optional('bestAsk', readNumber),
    spread: fields.optional('spread', readNumber),
    oneHourPriceChange: fields.optional('oneHourPriceChange', readNumber),
    oneDayPriceChange: fields.optional('oneDayPriceChange', readNumber),
    oneWeekPriceChange: fields.optional('oneWeekPriceChange', readNumber),
    oneMonthPriceChange: fields.optional('oneMonthPriceChange', readNumber),
    competitive: fields.optional('competitive', readNumber),
    orderPriceMinTickSize: fields.optional('orderPriceMinTickSize', readNumber),
    orderMinSize: fields.optional('orderMinSize', readNumber),
    rewardsMinSize: fields.optional('rewardsMinSize', readNumber),
    rewardsMaxSpread: fields.optional('rewardsMaxSpread', readNumber),

    takerBaseFee: fields.optional('takerBaseFee', readNumber),
    feeType: fields.optional('feeType', readString),
    feeSchedule: fields.optional('feeSchedule', parseFeeSchedule),
    cryptoMarketConfig: fields.optional('cryptoMarketConfig', parseCryptoMarketConfig),
    sportsMarketType: fields.optional('sportsMarketType', readString),
    line: fields.optional('line', readNumber),
    gameId: fields.optional('gameId', readId),
    tags: fields.list('tags', parseTag),
    events: fields.list('events', parseEventHead),
  }
}

/** Three arrays, each JSON in a string, whose items belong together by their index. */
function zipTokens(fields: Fields, path: string): GammaToken[] {
  const tokenIds = encodedList(fields, 'clobTokenIds', readId) ?? []
  if (tokenIds.length === 0) return []
  const outcomes = encodedList(fields, 'outcomes', readString)
  const prices = encodedList(fields, 'outcomePrices', readNumber)
  // Nobody can trade what has no name.
  if (outcomes === undefined) return []
  if (outcomes.length !== tokenIds.length)
    return refuse(`${path}.outcomes`, `one for each of ${tokenIds.length} tokens`, outcomes)
  if (prices !== undefined && prices.length !== tokenIds.length)
    return refuse(`${path}.outcomePrices`, `one for each of ${tokenIds.length} tokens`, prices)
  return outcomes.map((outcome, index) => ({
    tokenId: tokenIds[index] ?? '',
    outcome,
    price: prices?.[index],
  }))
}

function encodedList<T>(fields: Fields, name: string, read: (value: unknown, path: string) => T) {
  const readList = (value: unknown, path: string) => readArray(value, path, read)
  return fields.optional(name, (value, path) => readEncoded(value, path, readList))
}

function parseFeeSchedule(value: unknown, path: string): GammaFeeSchedule {
  const fields = readFields(value, path)
  return {
    exponent: fields.required('exponent', readNumber),
    rate: fields.required('rate', readNumber),
    takerOnly: fields.optional('takerOnly', readBoolean),
    rebateRate: fields.optional('rebateRate', readNumber),
  }
}

function parseCryptoMarketConfig(value: unknown, path: string): GammaCryptoMarketConfig {
  const fields = readFields(value, path)
  return {
    id: fields.required('id', readId),
    asset: fields.optional('asset', readString),
    duration: fields.optional('duration', readString),
    twapEnabled: fields.optional('twapEnabled', readBoolean),
    twapLookbackSeconds: fields.optional('twapLookbackSeconds', readNumber),
  }
}
