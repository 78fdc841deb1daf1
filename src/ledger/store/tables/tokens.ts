import type { LastPrice, Reserve, Supply } from '../../books.js'
import { SECOND_MAX, type StateTable } from '../state-table.js'

export const SUPPLIES: StateTable<Supply> = {
  name: 'supplies',
  keys: ['token'],
  values: ['minted', 'burned'],
  secondMax: SECOND_MAX.none,
  share: 1 / 8,
  make: (token) => ({ token, minted: 0n, burned: 0n }),
  toLine: (row) => `${row.token}\t${row.minted}\t${row.burned}\n`,
}

export const RESERVES: StateTable<Reserve> = {
  name: 'reserves',
  keys: ['condition'],
  values: ['redeemed_legs', 'paid_in', 'paid_out'],
  secondMax: SECOND_MAX.none,
  share: 1 / 16,
  make: (condition) => ({ condition, paidIn: 0n, paidOut: 0n, redeemedLegs: 0 }),
  toLine: (row) => `${row.condition}\t${row.redeemedLegs}\t${row.paidIn}\t${row.paidOut}\n`,
}

export const LAST_PRICES: StateTable<LastPrice> = {
  name: 'last_prices',
  keys: ['token'],
  values: ['seq', 'usd', 'shares'],
  seqs: ['seq'],
  secondMax: SECOND_MAX.none,
  share: 1 / 8,
  make: (token) => ({ token, seq: 0, usd: 0n, shares: 0n }),
  toLine: (row) => `${row.token}\t${row.seq}\t${row.usd}\t${row.shares}\n`,
}
