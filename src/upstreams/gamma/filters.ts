import type { Query } from '../transport/url.js'

type Names = readonly string[]

/**
 * The parameters of Gamma's lists under its own names, in camel case. Lists hide what is closed unless
 * `closed` is true, and then show nothing else.
 */
export type GammaEventFilter = {
  id?: Names
  slug?: Names
  tagId?: string
  tagSlug?: string
  excludeTagId?: Names
  relatedTags?: boolean
  seriesId?: string
  seriesSlug?: string
  gameId?: string
  active?: boolean
  archived?: boolean
  closed?: boolean
  featured?: boolean
  live?: boolean
  ended?: boolean
  /** Only `daily`, `weekly` and `monthly`: shorter series are found by slug. */
  recurrence?: string
  titleSearch?: string
  volumeMin?: number
  liquidityMin?: number
} & DateFilter &
  GammaOrder

export type GammaMarketFilter = {
  id?: Names
  slug?: Names
  clobTokenIds?: Names
  conditionIds?: Names
  questionIds?: Names
  tagId?: string
  relatedTags?: boolean
  gameId?: string
  sportsMarketTypes?: Names
  umaResolutionStatus?: string
  closed?: boolean
  includeTag?: boolean
  volumeNumMin?: number
  liquidityNumMin?: number
} & DateFilter &
  GammaOrder

/** In ISO 8601. */
type DateFilter = {
  startDateMin?: string
  startDateMax?: string
  endDateMin?: string
  endDateMax?: string
}

export type GammaOrder = {
  /** A field name, or several with commas. */
  order?: string
  ascending?: boolean
}

/** How many entries of a list by cursor; 20 when absent. */
export type GammaLimit = { limit?: number }

/** Part of a list by position, as series, tags and teams still have it. */
export type GammaSlice = { limit?: number; offset?: number }

/** `tagSlug` is `tag_slug` to Gamma. */
export const toGammaQuery = (filter: Query): Query =>
  Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
