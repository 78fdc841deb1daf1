import { comboActivityV1, comboActivityV2, comboPositionsV1, comboPositionsV2 } from './combo-routes.js'
import type { Route } from './context.js'
import { buildersLeaderboard, buildersVolume, leaderboard } from './v1-board-routes.js'
import { activity, trades } from './v1-feed-routes.js'
import { holders, liveVolume, marketPositions, openInterest, traded } from './v1-market-routes.js'
import { closedPositions, positions, value } from './v1-position-routes.js'
import { biggestWinners, buildersLeaderboardV2, buildersVolumeV2, leaderboardV2 } from './v2-board-routes.js'
import { activityV2, tradesV2 } from './v2-feed-routes.js'
import { holdersV2, liveVolumeV2, openInterestV2, status } from './v2-market-routes.js'
import { positionsV2 } from './v2-position-routes.js'
import { pricesHistory } from './v2-price-history.js'
import { resolutions, tokens } from './v2-token-routes.js'
import { userPnl, userStats, userVolume, valueV2 } from './v2-wallet-routes.js'

const OLD_ROUTES: { readonly [path: string]: Route } = {
  '/activity': activity,
  '/closed-positions': closedPositions,
  '/holders': holders,
  '/live-volume': liveVolume,
  '/oi': openInterest,
  '/positions': positions,
  '/traded': traded,
  '/trades': trades,
  '/value': value,
}

const NEWER_ROUTES: { readonly [path: string]: Route } = {
  '/builders/leaderboard': buildersLeaderboard,
  '/builders/volume': buildersVolume,
  '/leaderboard': leaderboard,
  '/market-positions': marketPositions,
}

/** Bare lists with camelCase fields. The oldest routes stand at the root and under /v1, the newer ones under /v1. */
export function findV1Route(path: string): Route | undefined {
  const name = path.startsWith('/v1/') ? path.slice('/v1'.length) : path
  return OLD_ROUTES[name] ?? (name === path ? undefined : NEWER_ROUTES[name])
}

/** Enveloped answers with snake_case fields, paged by cursor alone; those of combos were so in the first version. */
export const ENVELOPED_ROUTES: { readonly [path: string]: Route } = {
  '/v1/activity/combos': comboActivityV1,
  '/v1/positions/combos': comboPositionsV1,
  '/v2/activity': activityV2,
  '/v2/activity/combos': comboActivityV2,
  '/v2/biggest-winners': biggestWinners,
  '/v2/builders/leaderboard': buildersLeaderboardV2,
  '/v2/builders/volume': buildersVolumeV2,
  '/v2/holders': holdersV2,
  '/v2/leaderboard': leaderboardV2,
  '/v2/live-volume': liveVolumeV2,
  '/v2/oi': openInterestV2,
  '/v2/positions': positionsV2,
  '/v2/positions/combos': comboPositionsV2,
  '/v2/prices-history': pricesHistory,
  '/v2/resolutions': resolutions,
  '/v2/status': status,
  '/v2/tokens': tokens,
  '/v2/trades': tradesV2,
  '/v2/user-pnl': userPnl,
  '/v2/user-stats': userStats,
  '/v2/user-volume': userVolume,
  '/v2/value': valueV2,
}
