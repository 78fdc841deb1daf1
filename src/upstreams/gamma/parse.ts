import type { CursorPage } from '../transport/cursor.js'
import {
  readArray,
  readBoolean,
  readFields,
  readId,
  readInteger,
  readString,
} from '../transport/read.js'
import type { GammaEvent, GammaSearchResult, GammaSearchTag, GammaSeries } from './messages.js'
import { parseEventHead } from './parse-event.js'
import { parseMarket } from './parse-market.js'
import { parseProfile, parseSeriesHead } from './parse-parts.js'

export function parseEvent(value: unknown, path: string): GammaEvent {
  const markets = readFields(value, path).list('markets', parseMarket)
  return { ...parseEventHead(value, path), markets }
}

export function parseSeries(value: unknown, path: string): GammaSeries {
  const events = readFields(value, path).list('events', parseEventHead)
  return { ...parseSeriesHead(value, path), events }
}

/** A page of a keyset list. */
export function parsePage<T>(key: string, readItem: (value: unknown, path: string) => T) {
  return (value: unknown, path: string): CursorPage<T> => {
    const fields = readFields(value, path)
    return {
      items: fields.required(key, (items, at) => readArray(items, at, readItem)),
      nextCursor: fields.optional('next_cursor', readString),
    }
  }
}

export function parseSearchResult(value: unknown, path: string): GammaSearchResult {
  const fields = readFields(value, path)
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
  const fields = readFields(value, path)
  return {
    id: fields.required('id', readId),
    label: fields.optional('label', readString),
    slug: fields.optional('slug', readString),
    eventCount: fields.optional('event_count', readInteger),
  }
}

function parsePagination(value: unknown, path: string) {
  const fields = readFields(value, path)
  return {
    hasMore: fields.optional('hasMore', readBoolean),
    totalResults: fields.optional('totalResults', readInteger),
  }
}
