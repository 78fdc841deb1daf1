import { marketTrades, walletTrades } from '../../src/trades/routes.js'
import { mostFrequent, type Subject } from './subject.js'

export const TRADE_LISTS: Subject[] = [
  {
    list: walletTrades,
    path: (world) => `/v3/wallets/${mostFrequent(world, ({ maker }) => maker)}/trades`,
    paged: [{}, { order: 'asc' }, { side: 'maker', sort_by: 'order_hash' }],
    unpaged: [{ group_by: 'order_hash' }, { group_by: 'user_trade' }],
  },
  {
    list: marketTrades,
    path: (world) => `/v3/markets/${mostFrequent(world, ({ token }) => token)}/trades`,
    paged: [{}, { order: 'asc' }, { sort_by: 'order_hash', order: 'asc' }],
    unpaged: [{ group_by: 'order_hash' }],
  },
]
