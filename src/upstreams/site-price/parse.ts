import {
  readArray,
  readBoolean,
  readFields,
  readInteger,
  readNumber,
  readObject,
  readOptional,
  readTimeMs,
  refuse,
} from '../transport/read.js'
import type {
  SiteCandle,
  SiteCryptoPrice,
  SitePastResult,
  SitePastResults,
  SitePricePoint,
} from './messages.js'

export function parseCryptoPrice(value: unknown, path: string): SiteCryptoPrice {
  const fields = readFields(value, path)
  return {
    openPrice: fields.optional('openPrice', readNumber),
    closePrice: fields.optional('closePrice', readNumber),
    timestampMs: fields.required('timestamp', readInteger),
    completed: fields.required('completed', readBoolean),
    incomplete: fields.optional('incomplete', readBoolean),
    cached: fields.optional('cached', readBoolean),
  }
}

/** Oldest first, which the site does not promise. */
export function parseCandles(value: unknown, path: string): SiteCandle[] {
  return readFields(value, path)
    .required('candles', (candles, at) => readArray(candles, at, parseCandle))
    .sort((a, b) => a.timeSec - b.timeSec)
}

function parseCandle(value: unknown, path: string): SiteCandle {
  const fields = readFields(value, path)
  return {
    timeSec: fields.required('time', readInteger),
    open: fields.required('open', readNumber),
    high: fields.required('high', readNumber),
    low: fields.required('low', readNumber),
    close: fields.required('close', readNumber),
  }
}

/** Oldest first. */
export function parsePriceHistory(value: unknown, path: string): SitePricePoint[] {
  const points = readArray(value, path, (point, at) => {
    const fields = readFields(point, at)
    return {
      timestampMs: fields.required('timestamp', readInteger),
      value: fields.required('value', readNumber),
    }
  })
  return points.sort((a, b) => a.timestampMs - b.timestampMs)
}

export function parsePastResults(value: unknown, path: string): SitePastResults {
  return readFields(value, path).required('data', (data, at) => {
    const fields = readFields(data, at)
    return {
      results: fields.list('results', parsePastResult),
      outcomesBySlug: fields.optional('outcomesBySlug', parseOutcomes) ?? new Map(),
    }
  })
}

function parsePastResult(value: unknown, path: string): SitePastResult {
  const fields = readFields(value, path)
  return {
    startMs: fields.required('startTime', readTimeMs),
    endMs: fields.required('endTime', readTimeMs),
    openPrice: fields.optional('openPrice', readNumber),
    closePrice: fields.optional('closePrice', readNumber),
    outcome: fields.optional('outcome', readOutcome),
    percentChange: fields.optional('percentChange', readNumber),
  }
}

function parseOutcomes(value: unknown, path: string): Map<string, 'up' | 'down'> {
  const outcomes = new Map<string, 'up' | 'down'>()
  for (const [slug, item] of Object.entries(readObject(value, path))) {
    const outcome = readOptional(item, `${path}.${slug}`, readOutcome)
    if (outcome !== undefined) outcomes.set(slug, outcome)
  }
  return outcomes
}

function readOutcome(value: unknown, path: string): 'up' | 'down' {
  return value === 'up' || value === 'down' ? value : refuse(path, 'up or down', value)
}
