import type { Route } from './context.js'
import { buildersLeaderboard, buildersVolume, leaderboard } from './v1-board-routes.js'
import { activity, trades } from './v1-feed-routes.js'
import { holders, liveVolume, marketPositions, openInterest, traded } from './v1-market-routes.js'
import { closedPositions, positions, value } from './v1-position-routes.js'

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
