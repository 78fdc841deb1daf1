import type { LastPrice, Reserve, Supply } from '../../books.js'
import { SECOND_MAX, stateTable } from '../state-table.js'

export const SUPPLIES = stateTable<Supply>({
  name: 'supplies',
  keys: ['token'],
  values: ['minted', 'burned'],
  integers: 0,
  secondMax: SECOND_MAX.none,
  share: 1 / 8,
  make: (token) => ({ token, minted: 0n, burned: 0n }),
})

export const RESERVES = stateTable<Reserve>({
  name: 'reserves',
  keys: ['condition'],
  values: ['redeemed_legs', 'paid_in', 'paid_out'],
  integers: 1,
  secondMax: SECOND_MAX.none,
  share: 1 / 16,
  make: (condition) => ({ condition, paidIn: 0n, paidOut: 0n, redeemedLegs: 0 }),
})

export const LAST_PRICES = stateTable<LastPrice>({
  name: 'last_prices',
  keys: ['token'],
  values: ['seq', 'usd', 'shares'],
  integers: 0,
  seqs: ['seq'],
  secondMax: SECOND_MAX.none,
  share: 1 / 8,
  make: (token) => ({ token, seq: 0, usd: 0n, shares: 0n }),
})
