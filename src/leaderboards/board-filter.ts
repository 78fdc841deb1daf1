import { badRequest } from '../core/errors.js'
import type { Page } from '../core/page.js'
import { parseConditionId } from '../core/structured-id.js'
import { withinRanks } from '../lookups/board.js'
import { selectTokenIds } from '../lookups/market-filter.js'
import type { Sql } from '../store/connection.js'
import {
  type AllTimeColumn,
  type AllTimeRow,
  type RollingRow,
  type ScopeKind,
  selectAllTimeBoard,
  selectMarketBoard,
  selectRollingBoard,
  selectScopeId,
  selectTagSlug,
} from './queries.js'
import {
  ALL_TIME_RANK_MAX,
  type BoardFilters,
  PERIOD_DAYS,
  ROLLING_RANK_MAX,
  type RollingPeriod,
} from './schemas.js'

type Dimension = 'category' | 'tag' | 'market_slug' | 'condition_id' | 'event_slug'

/** What a leaderboard is narrowed to. */
type BoardFilter = { dimension: Dimension; text: string }

/** The wallets that count: those of a scope, or those with positions in some tokens. */
type BoardPopulation = { scope: number } | { tokens: readonly number[] }

const ALL_MARKETS = { scope: 0 }

const DIMENSIONS = 'category, tags, market, market_slug, condition_id, event_slug'

/** `undefined`: not narrowed. Throws a 400 where a request asks for two things at once. */
export function readBoardFilter(
  input: { [Name in keyof typeof BoardFilters]?: string | undefined },
): BoardFilter | undefined {
  const dimensions: [Dimension, string | undefined][] = [
    ['category', input.category],
    ['tag', readTag('tags', input.tags)],
    ['tag', readTag('tag_slug', input.tag_slug)],
    ...readMarket(input.market),
    ['market_slug', input.market_slug],
    ['condition_id', input.condition_id],
    ['event_slug', input.event_slug],
  ]
  const filters = new Map<string, BoardFilter>()
  for (const [dimension, text] of dimensions) {
    if (text !== undefined) filters.set(`${dimension} ${text}`, { dimension, text })
  }
  const [first, second] = [...filters.values()]
  if (second === undefined) return first
  throw badRequest(`A leaderboard has one filter at a time. Give one of ${DIMENSIONS}.`)
}

function readTag(name: 'tags' | 'tag_slug', text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const tags = text.split(',').filter((tag) => tag.trim() !== '')
  const [tag] = tags
  if (tags.length === 1) return tag?.trim()
  throw badRequest(`Invalid ${name}: a leaderboard has one tag at a time; ${tags.length} were given.`)
}

function readMarket(market: string | undefined): [Dimension, string][] {
  if (market === undefined) return []
  const condition = parseConditionId(market)
  return [condition === undefined ? ['market_slug', market] : ['condition_id', condition]]
}

/** A filter of a scope, which alone rolling boards have. */
export const isOfScope = ({ dimension }: BoardFilter): boolean =>
  dimension === 'category' || dimension === 'tag'

/** What is said of the filter in the answer, and who is on the board; `undefined`: no wallet can be. */
type ResolvedFilter = {
  kind: 'category' | 'tag' | 'market' | 'event' | null
  value: string | null
  population: BoardPopulation | undefined
}

export async function resolveBoardFilter(sql: Sql, filter: BoardFilter | undefined): Promise<ResolvedFilter> {
  if (filter === undefined) return { kind: null, value: null, population: ALL_MARKETS }
  const { dimension, text } = filter
  if (dimension === 'category' || dimension === 'tag') {
    const slug = await selectTagSlug(sql, text)
    if (slug === undefined) return { kind: dimension, value: text, population: undefined }
    return {
      kind: dimension,
      value: slug,
      population: await selectPopulation(sql, dimension, slug),
    }
  }
  const tokens = (await selectTokenIds(sql, { [dimension]: text })) ?? []
  const kind = dimension === 'event_slug' ? 'event' : 'market'
  return { kind, value: text, population: tokens.length === 0 ? undefined : { tokens } }
}

/** `undefined`: no wallet has ever traded there. */
export async function selectPopulation(
  sql: Sql,
  kind: ScopeKind,
  slug: string,
): Promise<BoardPopulation | undefined> {
  const scope = await selectScopeId(sql, kind, slug)
  return scope === undefined ? undefined : { scope }
}

export type BoardPeriod = 'all' | RollingPeriod

/** What a page of a leaderboard is selected by. */
export type LeaderboardScope = ResolvedFilter & {
  until: number
  asOfSec: number
  period: BoardPeriod
  column: AllTimeColumn
  /** The value of the parameter that stands for the column. */
  sort: string
  /** It ends at ALL_TIME_RANK_MAX. */
  isCapped: boolean
}

export async function selectAllTimePage(
  sql: Sql,
  { population, column, isCapped }: LeaderboardScope,
  page: Page,
): Promise<AllTimeRow[]> {
  if (population === undefined) return []
  const within = isCapped ? withinRanks(page, ALL_TIME_RANK_MAX) : page
  return 'scope' in population
    ? await selectAllTimeBoard(sql, { scope: population.scope, column }, within)
    : await selectMarketBoard(sql, { tokens: population.tokens, column }, within)
}

export async function selectRollingPage(
  sql: Sql,
  { population, period }: LeaderboardScope,
  page: Page,
): Promise<RollingRow[]> {
  if (population === undefined || !('scope' in population) || period === 'all') return []
  const board = { scope: population.scope, days: PERIOD_DAYS[period] }
  return await selectRollingBoard(sql, board, withinRanks(page, ROLLING_RANK_MAX))
}
