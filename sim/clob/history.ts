import type { HttpRequest } from '../server/handlers.js'
import { isTextList, parseFields } from '../server/json.js'
import { readInt } from '../server/query.js'
import type { Combo, Market, Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { checkTokenId, readTokenId } from './asked-tokens.js'
import { invalidPayload, payloadTooLarge, Refusal } from './refusal.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** `Infinity`: since the market began. Here `1m` is a month. */
const INTERVALS_MS: ReadonlyMap<string, number> = new Map([
  ['max', Number.POSITIVE_INFINITY],
  ['all', Number.POSITIVE_INFINITY],
  ['1m', 30 * DAY_MS],
  ['1w', 7 * DAY_MS],
  ['1d', DAY_MS],
  ['6h', 6 * HOUR_MS],
  ['1h', HOUR_MS],
])

/** Points closer than this are not served over longer spans than the two below. */
const COARSE_MINUTES = 12 * 60
const FINE_SPAN_MS_MAX = 15 * DAY_MS
const FINE_INTERVAL_MS_MAX = 31 * DAY_MS

const BATCH_MAX = 20

type Point = { t: number; p: number }

type Asked = {
  startSec: number | undefined
  endSec: number | undefined
  interval: string | undefined
  fidelity: number | undefined
}

export function priceHistory(universe: Universe, { query }: HttpRequest): { history: Point[] } {
  const tokenId = readTokenId(query, 'market')
  const asked = {
    startSec: readInt(query, 'startTs'),
    endSec: readInt(query, 'endTs'),
    interval: query.get('interval') ?? undefined,
    fidelity: readInt(query, 'fidelity'),
  }
  return { history: readHistory(universe, tokenId, asked) }
}

export function batchPriceHistory(
  universe: Universe,
  { body }: HttpRequest,
): { history: Record<string, Point[]> } {
  const payload = parseFields(body)
  if (payload === undefined) throw invalidPayload()
  const { markets, start_ts, end_ts, interval, fidelity } = payload
  if (!isTextList(markets) || markets.length === 0) throw invalidPayload()
  if (markets.length > BATCH_MAX) throw payloadTooLarge()
  for (const tokenId of markets) checkTokenId(tokenId)
  if (interval !== undefined && typeof interval !== 'string') throw invalidPayload()

  const asked = {
    startSec: toNumber(start_ts),
    endSec: toNumber(end_ts),
    interval,
    fidelity: toNumber(fidelity),
  }
  const rows = markets.map((tokenId) => [tokenId, readHistory(universe, tokenId, asked)])
  return { history: Object.fromEntries(rows) }
}

const toNumber = (value: unknown): number | undefined =>
  value === undefined ? undefined : typeof value === 'number' ? value : Number.NaN

function readHistory(universe: Universe, tokenId: string, asked: Asked): Point[] {
  const { fidelity = 1 } = asked
  if (!Number.isInteger(fidelity) || fidelity < 1) throw badFilters('fidelity must be at least 1')
  const token = universe.catalogue.token(tokenId)
  const lastMs = token === undefined ? universe.nowMs : Math.min(universe.nowMs, endOf(token.of))
  const span = readSpan(asked, fidelity, lastMs, universe.nowMs)
  if (token === undefined) return []

  const fromMs = Math.max(span.fromMs, token.of.createdMs)
  const toMs = Math.min(span.toMs, lastMs)
  // Long intervals of fine points come back empty on the real host too.
  if (fidelity < COARSE_MINUTES && toMs - fromMs > FINE_INTERVAL_MS_MAX) return []
  return sample(universe, token, fromMs, toMs, fidelity * 60_000)
}

/** An interval ends with the trading of the market; a span is where it was asked for. */
function readSpan(asked: Asked, fidelity: number, lastMs: number, nowMs: number) {
  const { startSec, endSec, interval } = asked
  if (startSec === undefined) {
    const lengthMs = INTERVALS_MS.get(interval ?? '')
    if (lengthMs === undefined) throw badFilters("'interval' or 'startTs' and 'endTs' are required")
    return { fromMs: lastMs - lengthMs, toMs: lastMs }
  }
  const fromMs = startSec * 1000
  const toMs = endSec === undefined ? nowMs : endSec * 1000
  if (!(fromMs <= toMs)) throw badFilters("'startTs' must be before 'endTs'")
  if (fidelity < COARSE_MINUTES && toMs - fromMs > FINE_SPAN_MS_MAX) {
    throw badFilters("'startTs' and 'endTs' interval is too long")
  }
  return { fromMs, toMs }
}

const badFilters = (why: string) => new Refusal(400, `invalid filters: ${why}`)

const endOf = (of: Market | Combo): number => (of.kind === 'market' ? of.endMs : of.resolvesMs)

/** One point per step on the clock's own grid, and one for the very end. */
function sample(universe: Universe, token: Token, fromMs: number, toMs: number, stepMs: number): Point[] {
  const points: Point[] = []
  for (let atMs = Math.ceil(fromMs / stepMs) * stepMs; atMs < toMs; atMs += stepMs) {
    points.push(pointAt(universe, token, atMs))
  }
  if (fromMs <= toMs) points.push(pointAt(universe, token, toMs))
  return points
}

function pointAt(universe: Universe, token: Token, atMs: number): Point {
  const fair = universe.fairAt(token.of, atMs)
  const price = roundToHalfTick(fair)
  const p = token.outcome === 0 ? price : 1 - price
  return { t: Math.floor(atMs / 1000), p: Math.round(p * 10_000) / 10_000 }
}

/** Midpoints lie on half ticks, which are finer near 0 and 1. */
function roundToHalfTick(price: number): number {
  const halfTick = price > 0.96 || price < 0.04 ? 0.0005 : 0.005
  const rounded = Math.round(price / halfTick) * halfTick
  return Math.min(0.9995, Math.max(0.0005, rounded))
}
