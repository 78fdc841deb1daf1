import {
  arrayOf,
  type JsonFields,
  type Parser,
  parseBoolean,
  parseEncoded,
  parseFields,
  parseId,
  parseNumber,
  parseString,
  parseTimeMs,
  refuseValue,
} from '../transport/parse-json.js'
import type {
  GammaCryptoMarketConfig,
  GammaFeeSchedule,
  GammaMarket,
  GammaToken,
} from './messages.js'
import { parseEventHead } from './parse-event.js'
import { parseTag } from './parse-parts.js'

export function parseGammaMarket(value: unknown, path: string): GammaMarket {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    conditionId: fields.optional('conditionId', parseString),
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
    tokens: zipTokens(fields, path),
    startDateMs: fields.optional('startDate', parseTimeMs),
    endDateMs: fields.optional('endDate', parseTimeMs),
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
    liquidity:
      fields.optional('liquidityNum', parseNumber) ?? fields.optional('liquidity', parseNumber),
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

    takerBaseFee: fields.optional('takerBaseFee', parseNumber),
    feeType: fields.optional('feeType', parseString),
    feeSchedule: fields.optional('feeSchedule', parseFeeSchedule),
    cryptoMarketConfig: fields.optional('cryptoMarketConfig', parseCryptoMarketConfig),
    sportsMarketType: fields.optional('sportsMarketType', parseString),
    line: fields.optional('line', parseNumber),
    gameId: fields.optional('gameId', parseId),
    tags: fields.list('tags', parseTag),
    events: fields.list('events', parseEventHead),
  }
}

/** Three arrays, each JSON in a string, whose items belong together by their index. */
function zipTokens(fields: JsonFields, path: string): GammaToken[] {
  const tokenIds = encodedList(fields, 'clobTokenIds', parseId) ?? []
  if (tokenIds.length === 0) return []
  const outcomes = encodedList(fields, 'outcomes', parseString)
  const prices = encodedList(fields, 'outcomePrices', parseNumber)
  // Nobody can trade what has no name.
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

function parseFeeSchedule(value: unknown, path: string): GammaFeeSchedule {
  const fields = parseFields(value, path)
  return {
    exponent: fields.required('exponent', parseNumber),
    rate: fields.required('rate', parseNumber),
    takerOnly: fields.optional('takerOnly', parseBoolean),
    rebateRate: fields.optional('rebateRate', parseNumber),
  }
}

function parseCryptoMarketConfig(value: unknown, path: string): GammaCryptoMarketConfig {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseId),
    asset: fields.optional('asset', parseString),
    duration: fields.optional('duration', parseString),
    twapEnabled: fields.optional('twapEnabled', parseBoolean),
    twapLookbackSeconds: fields.optional('twapLookbackSeconds', parseNumber),
  }
}
