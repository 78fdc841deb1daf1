import type { MarketHour } from '../../books.js'
import { SECOND_MAX, type StateTable } from '../state-table.js'

export const MARKET_HOURS: StateTable<MarketHour> = {
  name: 'market_hours',
  keys: ['condition', 'hour'],
  values: ['trades', 'traders', 'volume'],
  secondMax: SECOND_MAX.hour,
  share: 1 / 8,
  make: (condition, hour) => ({ condition, hour, volume: 0n, trades: 0, traders: 0 }),
  toLine: (row) => `${row.condition}\t${row.hour}\t${row.trades}\t${row.traders}\t${row.volume}\n`,
}
