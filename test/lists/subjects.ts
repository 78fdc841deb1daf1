import { BUILDER_LISTS } from './builders.js'
import { CATALOGUE_LISTS } from './catalogue.js'
import { LEADERBOARD_LISTS } from './leaderboards.js'
import { POSITION_LISTS } from './positions.js'
import { STATS_LISTS } from './stats.js'
import type { Subject } from './subject.js'
import { TRADE_LISTS } from './trades.js'

/** Every list that the world of the API tests fills, domain by domain. */
export const SUBJECTS: readonly Subject[] = [
  TRADE_LISTS,
  POSITION_LISTS,
  BUILDER_LISTS,
  LEADERBOARD_LISTS,
  CATALOGUE_LISTS,
  STATS_LISTS,
].flat()
