import {
  arrayOf,
  parseArray,
  parseBoolean,
  parseFields,
  parseInteger,
  parseNumber,
  parseObject,
  parseOptional,
  parseTimeMs,
  refuseValue,
} from '../transport/parse-json.js'

/**
 * The price at both ends of a window. `openPrice` is `undefined` before it opens and for some seconds
 * after; while it runs, `closePrice` is absent or the price of the moment.
 */
export type SiteCryptoPrice = ReturnType<typeof parseCryptoPrice>

export function parseCryptoPrice(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    openPrice: fields.optional('openPrice', parseNumber),
    closePrice: fields.optional('closePrice', parseNumber),
    timestampMs: fields.required('timestamp', parseInteger),
    completed: fields.required('completed', parseBoolean),
    incomplete: fields.optional('incomplete', parseBoolean),
    cached: fields.optional('cached', parseBoolean),
  }
}

export type SiteCandle = ReturnType<typeof parseCandle>

/** Oldest first, which the site does not promise. */
export function parseCandles(value: unknown, path: string): SiteCandle[] {
  return parseFields(value, path)
    .required('candles', arrayOf(parseCandle))
    .sort((a, b) => a.timeSec - b.timeSec)
}

function parseCandle(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    timeSec: fields.required('time', parseInteger),
    open: fields.required('open', parseNumber),
    high: fields.required('high', parseNumber),
    low: fields.required('low', parseNumber),
    close: fields.required('close', parseNumber),
  }
}

export type SitePricePoint = { timestampMs: number; value: number }

/** Oldest first. */
export function parsePriceHistory(value: unknown, path: string): SitePricePoint[] {
  const points = parseArray(value, path, (point, at) => {
    const fields = parseFields(point, at)
    return {
      timestampMs: fields.required('timestamp', parseInteger),
      value: fields.required('value', parseNumber),
    }
  })
  return points.sort((a, b) => a.timestampMs - b.timestampMs)
}

export type SitePastResults = ReturnType<typeof parsePastResults>

export function parsePastResults(value: unknown, path: string) {
  return parseFields(value, path).required('data', (data, at) => {
    const fields = parseFields(data, at)
    return {
      results: fields.list('results', parsePastResult),
      outcomesBySlug: fields.optional('outcomesBySlug', parseOutcomes) ?? new Map(),
    }
  })
}

function parsePastResult(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    startMs: fields.required('startTime', parseTimeMs),
    endMs: fields.required('endTime', parseTimeMs),
    openPrice: fields.optional('openPrice', parseNumber),
    closePrice: fields.optional('closePrice', parseNumber),
    outcome: fields.optional('outcome', parseOutcome),
    percentChange: fields.optional('percentChange', parseNumber),
  }
}

function parseOutcomes(value: unknown, path: string): Map<string, 'up' | 'down'> {
  const outcomes = new Map<string, 'up' | 'down'>()
  for (const [slug, item] of Object.entries(parseObject(value, path))) {
    const outcome = parseOptional(item, `${path}.${slug}`, parseOutcome)
    if (outcome !== undefined) outcomes.set(slug, outcome)
  }
  return outcomes
}

function parseOutcome(value: unknown, path: string): 'up' | 'down' {
  return value === 'up' || value === 'down' ? value : refuseValue(path, 'up or down', value)
}
