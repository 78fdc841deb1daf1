import { winsOf } from './boards.js'
import type { Route } from './context.js'
import { listPnl } from './pnl-series.js'
import { readChoice, readSpan, readUser } from './query.js'
import { readScope } from './scope.js'
import { countMarkets, measureValue, measureVolume } from './wallet-figures.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DAY_SEC = 86_400

const PNL_INTERVALS_MS = {
  '6h': 6 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '1w': 7 * DAY_MS,
  '1m': 30 * DAY_MS,
  all: Number.POSITIVE_INFINITY,
  max: Number.POSITIVE_INFINITY,
}

const PNL_STEPS_MS = {
  '1h': HOUR_MS,
  '3h': 3 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '18h': 18 * HOUR_MS,
  '1d': DAY_MS,
}

export const valueV2: Route = (api, query) => {
  const wallet = readUser(api.universe, query)
  const scope = readScope(query, 'condition')
  if (wallet === undefined) return { data: null }
  return { data: { user: wallet.address, value: measureValue(api, wallet, scope) } }
}

export const userPnl: Route = ({ universe }, query) => {
  const wallet = readUser(universe, query)
  const interval = readChoice(query, 'interval', ['1d', '6h', '12h', '1w', '1m', 'all', 'max'])
  const fidelity = readChoice(query, 'fidelity', ['1h', '3h', '12h', '18h', '1d'])
  if (wallet === undefined) return { data: [] }
  const endMs = universe.nowMs
  const startMs = Math.max(0, endMs - PNL_INTERVALS_MS[interval])
  return { data: listPnl(universe, wallet, { startMs, endMs, stepMs: PNL_STEPS_MS[fidelity] }) }
}

/** `trades` counts markets. */
export const userStats: Route = (api, query) => {
  const { universe } = api
  const wallet = readUser(universe, query)
  if (wallet === undefined) return { data: null }
  const endMs = universe.nowMs
  const latest = listPnl(universe, wallet, { startMs: endMs, endMs, stepMs: HOUR_MS }).at(-1)
  return {
    data: {
      trades: countMarkets(api, wallet),
      biggest_win: Math.max(0, ...winsOf(api, wallet).map(({ pnl }) => pnl)),
      views: 0,
      join_date: Math.floor(wallet.createdMs / 1000),
      all_time_pnl: latest ?? null,
    },
  }
}

/** Bounds count in whole days. */
export const userVolume: Route = (api, query) => {
  const wallet = readUser(api.universe, query)
  const { startSec, endSec } = readSpan(query)
  if (wallet === undefined) return { data: null }
  const days = {
    startSec: Math.floor(startSec / DAY_SEC) * DAY_SEC,
    endSec: (Math.floor(endSec / DAY_SEC) + 1) * DAY_SEC - 1,
  }
  const { shares, usd } = measureVolume(api, wallet, days)
  return { data: { user: wallet.address, volume: shares, volume_usdc: usd } }
}
