import type { MarketHour } from '../../books.js'
import { SECOND_MAX, stateTable } from '../state-table.js'

export const MARKET_HOURS = stateTable<MarketHour>({
  name: 'market_hours',
  keys: ['condition', 'hour'],
  values: ['trades', 'traders', 'volume'],
  integers: 2,
  secondMax: SECOND_MAX.hour,
  share: 1 / 8,
  make: (condition, hour) => ({ condition, hour, volume: 0n, trades: 0, traders: 0 }),
})
