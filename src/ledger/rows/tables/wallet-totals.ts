import type { WalletTotals } from '../../books.js'
import { SECOND_MAX, stateTable } from '../state-table.js'

export const WALLET_TOTALS = stateTable<WalletTotals>({
  name: 'wallet_totals',
  keys: ['wallet'],
  values: [
    'positions',
    'wins',
    'losses',
    'fills',
    'realized',
    'profit',
    'loss',
    'volume',
    'fees',
    'first_fill',
    'last_fill',
  ],
  integers: 4,
  seqs: ['first_fill', 'last_fill'],
  secondMax: SECOND_MAX.none,
  share: 1 / 4,
  make: (wallet) => ({
    wallet,
    positions: 0,
    wins: 0,
    losses: 0,
    fills: 0,
    realized: 0n,
    profit: 0n,
    loss: 0n,
    volume: 0n,
    fees: 0n,
    firstFill: 0,
    lastFill: 0,
  }),
})
