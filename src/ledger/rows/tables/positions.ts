import type { Position } from '../../books.js'
import { SECOND_MAX, stateTable } from '../state-table.js'

export const POSITIONS = stateTable<Position>({
  name: 'positions',
  keys: ['wallet', 'token'],
  values: [
    'first_sec',
    'last_sec',
    'filled_sec',
    'balance',
    'held',
    'cost',
    'realized',
    'bought',
    'bought_cost',
    'fees',
  ],
  integers: 3,
  secondMax: SECOND_MAX.token,
  share: 1,
  make: (wallet, token) => ({
    wallet,
    token,
    balance: 0n,
    held: 0n,
    cost: 0n,
    realized: 0n,
    bought: 0n,
    boughtCost: 0n,
    fees: 0n,
    firstSec: 0,
    lastSec: 0,
    filledSec: 0,
  }),
})
