import {
  parseBoolean,
  parseFields,
  parseId,
  parseInteger,
  parseString,
} from '../transport/parse-json.js'
import type { GammaEvent, GammaSearchResult, GammaSearchTag, GammaSeries } from './messages.js'
import { parseEventHead } from './parse-event.js'
import { parseGammaMarket } from './parse-market.js'
import { parseProfile, parseSeriesHead } from './parse-parts.js'

export function parseEvent(value: unknown, path: string): GammaEvent {
  const markets = parseFields(value, path).list('markets', parseGammaMarket)
  return { ...parseEventHead(value, path), markets }
}

export function parseSeries(value: unknown, path: string): GammaSeries {
  const events = parseFields(value, path).list('events', parseEventHead)
  return { ...parseSeriesHead(value, path), events }
}

export function parseSearchResult(value: unknown, path: string): GammaSearchResult {
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

function parseSearchTag(value: unknown, path: string): GammaSearchTag {
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
