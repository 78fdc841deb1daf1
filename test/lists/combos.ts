import { comboLeaderboard } from '../../src/combos/leaderboard.js'
import { comboRedemptions, walletComboRedemptions } from '../../src/combos/redemptions/routes.js'
import {
  comboActivity,
  comboMarkets,
  walletComboActivity,
  walletComboPositions,
  walletComboTrades,
} from '../../src/combos/routes.js'
import type { ComboWorld } from '../combo-world.js'
import type { Subject } from './subject.js'

export const COMBO_LISTS: Subject<ComboWorld>[] = [
  {
    list: comboMarkets,
    path: () => '/v3/combos/markets',
    paged: [{}, { status: 'open' }, { status: 'RESOLVED_LOSS' }],
    unpaged: [],
    isOfSeq: false,
  },
  {
    list: comboLeaderboard,
    path: () => '/v3/combos/leaderboard',
    paged: [{}, { period: '1d' }, { sort_by: 'unrealized_pnl' }],
    unpaged: [],
    limitMax: 100,
    isOfSeq: false,
  },
  {
    list: walletComboPositions,
    path: ({ busiest }) => `/v3/wallets/${busiest.trader}/combos/positions`,
    paged: [{}, { status: 'resolved' }],
    unpaged: [],
    isOfSeq: false,
  },
  {
    list: walletComboTrades,
    path: ({ busiest }) => `/v3/wallets/${busiest.trader}/combos/trades`,
    paged: [{}, { order: 'asc' }],
    unpaged: [],
  },
  {
    list: walletComboActivity,
    path: ({ busiest }) => `/v3/wallets/${busiest.actor}/combos/activity`,
    paged: [{}, { order: 'asc' }],
    unpaged: [],
  },
  {
    list: comboActivity,
    path: () => '/v3/combos/activity',
    base: ({ busiest }) => ({ condition_id: busiest.condition }),
    paged: [{}, { order: 'asc' }],
    unpaged: [],
  },
  {
    list: comboRedemptions,
    path: () => '/v3/combos/redemptions',
    paged: [{}, { order: 'asc' }, { redemption_scope: 'full' }],
    unpaged: [],
  },
  {
    list: walletComboRedemptions,
    path: ({ busiest }) => `/v3/wallets/${busiest.actor}/combos/redemptions`,
    paged: [{}, { order: 'asc' }],
    unpaged: [],
  },
]
