import type { Query } from '../transport/url.js'

/** Lists hide what is closed unless `closed` is true, and then show nothing else. */
export type GammaEventFilter = {
  ids?: readonly string[] | undefined
  slugs?: readonly string[] | undefined
  tagId?: string | undefined
  tagSlug?: string | undefined
  excludeTagIds?: readonly string[] | undefined
  relatedTags?: boolean | undefined
  seriesId?: string | undefined
  seriesSlug?: string | undefined
  gameId?: string | undefined
  active?: boolean | undefined
  archived?: boolean | undefined
  closed?: boolean | undefined
  featured?: boolean | undefined
  live?: boolean | undefined
  ended?: boolean | undefined
  /** Only `daily`, `weekly`, `monthly`, `annual`, `hourly`: shorter series are found by slug. */
  recurrence?: string | undefined
  titleSearch?: string | undefined
  volumeMin?: number | undefined
  liquidityMin?: number | undefined
} & DateFilter &
  Order

export type GammaMarketFilter = {
  ids?: readonly string[] | undefined
  slugs?: readonly string[] | undefined
  tokenIds?: readonly string[] | undefined
  conditionIds?: readonly string[] | undefined
  questionIds?: readonly string[] | undefined
  tagId?: string | undefined
  relatedTags?: boolean | undefined
  gameId?: string | undefined
  sportsMarketTypes?: readonly string[] | undefined
  umaResolutionStatus?: string | undefined
  closed?: boolean | undefined
  includeTag?: boolean | undefined
  volumeMin?: number | undefined
  liquidityMin?: number | undefined
} & DateFilter &
  Order

type DateFilter = {
  startDateMinMs?: number | undefined
  startDateMaxMs?: number | undefined
  endDateMinMs?: number | undefined
  endDateMaxMs?: number | undefined
}

type Order = {
  /** A field name, or several with commas. */
  order?: string | undefined
  ascending?: boolean | undefined
}

/** Part of a list by position. Gamma is about to retire it: prefer the generators. */
export type GammaSlice = { limit?: number | undefined; offset?: number | undefined }

export const toEventQuery = (filter: GammaEventFilter): Query => ({
  id: filter.ids,
  slug: filter.slugs,
  tag_id: filter.tagId,
  tag_slug: filter.tagSlug,
  exclude_tag_id: filter.excludeTagIds,
  related_tags: filter.relatedTags,
  series_id: filter.seriesId,
  series_slug: filter.seriesSlug,
  game_id: filter.gameId,
  active: filter.active,
  archived: filter.archived,
  closed: filter.closed,
  featured: filter.featured,
  live: filter.live,
  ended: filter.ended,
  recurrence: filter.recurrence,
  title_search: filter.titleSearch,
  volume_min: filter.volumeMin,
  liquidity_min: filter.liquidityMin,
  ...toDateQuery(filter),
  order: filter.order,
  ascending: filter.ascending,
})

export const toMarketQuery = (filter: GammaMarketFilter): Query => ({
  id: filter.ids,
  slug: filter.slugs,
  clob_token_ids: filter.tokenIds,
  condition_ids: filter.conditionIds,
  question_ids: filter.questionIds,
  tag_id: filter.tagId,
  related_tags: filter.relatedTags,
  game_id: filter.gameId,
  sports_market_types: filter.sportsMarketTypes,
  uma_resolution_status: filter.umaResolutionStatus,
  closed: filter.closed,
  include_tag: filter.includeTag,
  volume_num_min: filter.volumeMin,
  liquidity_num_min: filter.liquidityMin,
  ...toDateQuery(filter),
  order: filter.order,
  ascending: filter.ascending,
})

const toDateQuery = (filter: DateFilter): Query => ({
  start_date_min: toIso(filter.startDateMinMs),
  start_date_max: toIso(filter.startDateMaxMs),
  end_date_min: toIso(filter.endDateMinMs),
  end_date_max: toIso(filter.endDateMaxMs),
})

const toIso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString()
