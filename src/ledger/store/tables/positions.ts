import type { Position } from '../../books.js'
import { SECOND_MAX, type StateTable } from '../state-table.js'

export const POSITIONS: StateTable<Position> = {
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
  toLine: (row) =>
    `${row.wallet}\t${row.token}\t${row.firstSec}\t${row.lastSec}\t${row.filledSec}\t${row.balance}\t${row.held}\t${row.cost}\t${row.realized}\t${row.bought}\t${row.boughtCost}\t${row.fees}\n`,
}
