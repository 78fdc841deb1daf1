import { badRequest } from '../core/errors.js'
import { parseConditionId } from '../core/structured-id.js'
import { selectTokenIds } from '../lookups/market-filter.js'
import { selectTagFilters, selectTagIds } from '../lookups/tag-filter.js'
import type { Sql } from '../store/connection.js'
import type { TokenScope } from './queries.js'

const DAY_SEC = 24 * 60 * 60

export const PNL_PERIODS = ['1d', '7d', '30d', '1y'] as const
export type PnlPeriod = (typeof PNL_PERIODS)[number]

const PERIOD_SEC: Readonly<Record<PnlPeriod, number>> = {
  '1d': DAY_SEC,
  '7d': 7 * DAY_SEC,
  '30d': 30 * DAY_SEC,
  '1y': 365 * DAY_SEC,
}

type RequestedTime = {
  period?: PnlPeriod | undefined
  after?: number | undefined
  before?: number | undefined
}

/** Unix seconds, both ends included. `before` undefined: up to the last block. */
export type PnlWindow = { after: number; before: number | undefined }

/** `undefined`: the request names no time. `after` goes before `period`; the first second is 1. */
export function resolvePnlWindow(requested: RequestedTime, nowSec: number): PnlWindow | undefined {
  const { period, after, before } = requested
  if (period === undefined && after === undefined && before === undefined) return undefined
  const start = after ?? (period === undefined ? 1 : nowSec - PERIOD_SEC[period])
  return { after: Math.max(start, 1), before }
}

/** The filters of P&L that name markets; all that have a value must hold. */
export type PnlFilter = {
  category?: string | undefined
  tags?: string | undefined
  tag_slug?: string | undefined
  market?: string | undefined
  market_slug?: string | undefined
  condition_id?: string | undefined
  event_slug?: string | undefined
}

const TAGS_MAX = 20

const FILTERS = [
  'category',
  'tags',
  'tag_slug',
  'market',
  'market_slug',
  'condition_id',
  'event_slug',
] as const satisfies (keyof PnlFilter)[]

/** Whether the request is about some markets alone. */
export const isNarrowed = (filter: PnlFilter): boolean => FILTERS.some((name) => filter[name] !== undefined)

/**
 * Which tokens the filters leave. Tags stay tags: one may have more tokens than a query should name,
 * and a wallet has traded few of them.
 */
export async function resolveTokenScope(sql: Sql, filter: PnlFilter): Promise<TokenScope> {
  const { market, market_slug, condition_id, event_slug } = filter
  const [named, same, tags, tagged] = await Promise.all([
    selectTokenIds(sql, { market_slug, condition_id, event_slug }),
    market === undefined ? undefined : selectTokenIds(sql, toMarketFilter(market)),
    filter.tags === undefined ? undefined : selectAnyTagIds(sql, filter.tags),
    selectTagFilters(sql, filter),
  ])
  if (tags !== undefined) tagged.push({ tags, isCategory: false })
  return { tokens: intersect(named, same), tagged }
}

const toMarketFilter = (market: string) => {
  const condition = parseConditionId(market)
  return condition === undefined ? { market_slug: market } : { condition_id: condition }
}

async function selectAnyTagIds(sql: Sql, text: string): Promise<number[]> {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.length === 0) throw badRequest('Invalid tags: name at least one tag.')
  if (names.length > TAGS_MAX) throw badRequest(`Invalid tags: name at most ${TAGS_MAX} tags.`)
  const ids = await Promise.all(names.map((name) => selectTagIds(sql, name)))
  return ids.flat()
}

/** `undefined`: everything. */
function intersect(
  one: readonly number[] | undefined,
  other: readonly number[] | undefined,
): readonly number[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const kept = new Set(other)
  return one.filter((id) => kept.has(id))
}
