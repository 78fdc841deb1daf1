import {
  readBoolean,
  readFields,
  readFineTimeMs,
  readId,
  readInteger,
  readNumber,
  readString,
  readTimeMs,
} from '../transport/read.js'
import type { GammaEventHead } from './messages.js'
import { parseSeriesHead, parseTag, parseTeam } from './parse-parts.js'

export function parseEventHead(value: unknown, path: string): GammaEventHead {
  const fields = readFields(value, path)
  return {
    id: fields.required('id', readId),
    slug: fields.optional('slug', readString),
    ticker: fields.optional('ticker', readString),
    title: fields.optional('title', readString),
    subtitle: fields.optional('subtitle', readString),
    description: fields.optional('description', readString),
    resolutionSource: fields.optional('resolutionSource', readString),
    category: fields.optional('category', readString),
    subcategory: fields.optional('subcategory', readString),
    seriesSlug: fields.optional('seriesSlug', readString),
    parentEventId: fields.optional('parentEventId', readId),
    image: fields.optional('image', readString),
    icon: fields.optional('icon', readString),

    startDateMs: fields.optional('startDate', readFineTimeMs),
    creationDateMs: fields.optional('creationDate', readTimeMs),
    endDateMs: fields.optional('endDate', readFineTimeMs),
    closedTimeMs: fields.optional('closedTime', readTimeMs),
    startTimeMs: fields.optional('startTime', readTimeMs),
    finishedTimestampMs: fields.optional('finishedTimestamp', readTimeMs),
    createdAtMs: fields.optional('createdAt', readTimeMs),
    updatedAtMs: fields.optional('updatedAt', readTimeMs),
    eventDate: fields.optional('eventDate', readString),
    eventWeek: fields.optional('eventWeek', readInteger),

    active: fields.optional('active', readBoolean),
    closed: fields.optional('closed', readBoolean),
    archived: fields.optional('archived', readBoolean),
    new: fields.optional('new', readBoolean),
    featured: fields.optional('featured', readBoolean),
    restricted: fields.optional('restricted', readBoolean),
    enableOrderBook: fields.optional('enableOrderBook', readBoolean),
    negRisk: fields.optional('negRisk', readBoolean),
    negRiskMarketId: fields.optional('negRiskMarketID', readString),
    negRiskFeeBips: fields.optional('negRiskFeeBips', readNumber),
    negRiskAugmented: fields.optional('negRiskAugmented', readBoolean),
    showAllOutcomes: fields.optional('showAllOutcomes', readBoolean),

    liquidity: fields.optional('liquidity', readNumber),
    liquidityClob: fields.optional('liquidityClob', readNumber),
    volume: fields.optional('volume', readNumber),
    volume24hr: fields.optional('volume24hr', readNumber),
    volume1wk: fields.optional('volume1wk', readNumber),
    volume1mo: fields.optional('volume1mo', readNumber),
    volume1yr: fields.optional('volume1yr', readNumber),
    openInterest: fields.optional('openInterest', readNumber),
    competitive: fields.optional('competitive', readNumber),
    commentCount: fields.optional('commentCount', readInteger),

    gameId: fields.optional('gameId', readId),
    live: fields.optional('live', readBoolean),
    ended: fields.optional('ended', readBoolean),
    score: fields.optional('score', readString),
    period: fields.optional('period', readString),
    elapsed: fields.optional('elapsed', readString),
    gameStatus: fields.optional('gameStatus', readString),
    homeTeamName: fields.optional('homeTeamName', readString),
    awayTeamName: fields.optional('awayTeamName', readString),
    teams: fields.list('teams', parseTeam),

    eventMetadata: fields.optional('eventMetadata', parseEventMetadata),
    series: fields.list('series', parseSeriesHead),
    tags: fields.list('tags', parseTag),
  }
}

function parseEventMetadata(value: unknown, path: string) {
  const fields = readFields(value, path)
  return {
    priceToBeat: fields.optional('priceToBeat', readNumber),
    finalPrice: fields.optional('finalPrice', readNumber),
  }
}
