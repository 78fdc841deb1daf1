import type { BuilderHour, BuilderWallet } from '../../books.js'
import { SECOND_MAX, type StateTable } from '../state-table.js'

export const BUILDER_HOURS: StateTable<BuilderHour> = {
  name: 'builder_hours',
  keys: ['builder', 'hour'],
  values: ['fills', 'traders', 'volume', 'fees'],
  secondMax: SECOND_MAX.hour,
  share: 1 / 32,
  make: (builder, hour) => ({ builder, hour, volume: 0n, fees: 0n, fills: 0, traders: 0 }),
  toLine: (row) =>
    `${row.builder}\t${row.hour}\t${row.fills}\t${row.traders}\t${row.volume}\t${row.fees}\n`,
}

export const BUILDER_WALLETS: StateTable<BuilderWallet> = {
  name: 'builder_wallets',
  keys: ['builder', 'wallet'],
  values: ['fills', 'first_sec', 'last_sec', 'volume', 'fees'],
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
  toLine: (row) =>
    `${row.builder}\t${row.wallet}\t${row.fills}\t${row.firstSec}\t${row.lastSec}\t${row.volume}\t${row.fees}\n`,
}
