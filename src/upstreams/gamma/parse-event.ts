import {
  parseBoolean,
  parseFields,
  parseFineTimeMs,
  parseId,
  parseInteger,
  parseNumber,
  parseString,
  parseTimeMs,
} from '../transport/parse-json.js'
import type { GammaEventHead } from './messages.js'
import { parseSeriesHead, parseTag, parseTeam } from './parse-parts.js'

export function parseEventHead(value: unknown, path: string): GammaEventHead {
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
  }
}
