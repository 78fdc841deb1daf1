import type { BuilderHour, BuilderWallet } from '../../books.js'
import { SECOND_MAX, stateTable } from '../state-table.js'

export const BUILDER_HOURS = stateTable<BuilderHour>({
  name: 'builder_hours',
  keys: ['builder', 'hour'],
  values: ['fills', 'traders', 'volume', 'fees'],
  integers: 2,
  secondMax: SECOND_MAX.hour,
  share: 1 / 32,
  make: (builder, hour) => ({ builder, hour, volume: 0n, fees: 0n, fills: 0, traders: 0 }),
})

export const BUILDER_WALLETS = stateTable<BuilderWallet>({
  name: 'builder_wallets',
  keys: ['builder', 'wallet'],
  values: ['fills', 'first_sec', 'last_sec', 'volume', 'fees'],
  integers: 3,
  secondMax: SECOND_MAX.wallet,
  share: 1 / 8,
  make: (builder, wallet) => ({
    builder,
    wallet,
    volume: 0n,
    fees: 0n,
    fills: 0,
    firstSec: 0,
    lastSec: 0,
  }),
})
