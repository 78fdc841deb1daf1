import { toDecimal, toDecimalText } from '../core/money.js'
import type { LeaderboardScope } from './board-filter.js'
import type { AllTimeRow, RollingRow, ScopeRow } from './queries.js'
import { ROLLING_RANK_MAX } from './schemas.js'

export const presentAllTimeRow = (row: AllTimeRow) => ({
  rank: row.rank,
  wallet: row.address,
  net_realized_pnl: toDecimal(row.realized),
  realized_pnl: toDecimal(row.realized),
  gross_profit: toDecimal(row.profit),
  gross_loss: toDecimal(row.loss),
  unrealized_pnl: toDecimal(row.unrealized),
  total_pnl: toDecimal(row.total),
  wins: row.wins,
  losses: row.losses,
  position_count: row.positions,
  open_positions: row.openPositions,
  total_volume: toDecimal(row.bought),
})

export const presentRollingRow = (row: RollingRow) => ({
  rank: row.rank,
  wallet: row.address,
  realized_pnl: toDecimal(row.realized),
  gross_profit: toDecimal(row.profit),
  gross_loss: toDecimal(row.loss),
  wins: row.wins,
  losses: row.losses,
  events: row.wins + row.losses,
})

/** Profit and loss are the realized ones, so that they add up to `net_pnl`. */
export const presentTagRow = (row: AllTimeRow) => ({
  wallet: row.address,
  net_pnl: toDecimalText(row.realized),
  gross_profit: toDecimalText(row.gained),
  gross_loss: toDecimalText(row.lost),
  total_volume: toDecimalText(row.bought),
  position_count: row.positions,
})

export const presentEnvelope = (scope: LeaderboardScope | undefined) => ({
  period: scope?.period,
  scope: scope?.kind,
  value: scope?.value,
  sort: scope?.sort,
  as_of: scope?.asOfSec,
})

export const presentScope = ({ value, wallets }: ScopeRow) => ({
  value,
  wallet_count: wallets,
  ranked_count: Math.min(wallets, ROLLING_RANK_MAX),
})
