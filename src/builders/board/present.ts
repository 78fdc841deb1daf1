import { toDecimalText } from '../../core/money.js'
import type { BoardRow } from './queries.js'

export function presentBoardRow(row: BoardRow) {
  const volume = row.buyVolume + row.sellVolume
  return {
    rank: row.rank,
    wallet: row.address,
    trader_address: row.address,
    volume_e6: `${volume}`,
    volume: toDecimalText(volume),
    buy_volume_e6: `${row.buyVolume}`,
    buy_volume: toDecimalText(row.buyVolume),
    sell_volume_e6: `${row.sellVolume}`,
    sell_volume: toDecimalText(row.sellVolume),
    trades: row.fills,
    trader_paid_fees_e6: `${row.fees}`,
    trader_paid_fees: toDecimalText(row.fees),
    active_days: row.activeDays,
    first_activity_at: row.firstSec,
    last_activity_at: row.lastSec,
  }
}

export const presentBoardRowWithPnl = (row: BoardRow) => ({
  ...presentBoardRow(row),
  realized_pnl: toDecimalText(row.realized),
  unrealized_pnl: row.unrealized === null ? null : toDecimalText(row.unrealized),
  total_pnl: row.total === null ? null : toDecimalText(row.total),
})
