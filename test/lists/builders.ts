import { builderBoard } from '../../src/builders/board/board.js'
import { builders } from '../../src/builders/routes.js'
import { builderTrades } from '../../src/builders/trades.js'
import type { ApiWorld } from '../api-world.js'
import type { Subject } from './subject.js'

const NO_BUILDER = `0x${'0'.repeat(64)}`

/** The builder with the most wallets. */
export function largestBuilder({ fills }: ApiWorld): string {
  const wallets = new Map<string, Set<string>>()
  for (const { builder, maker, isCombo } of fills) {
    if (builder === NO_BUILDER || isCombo) continue
    wallets.set(builder, (wallets.get(builder) ?? new Set()).add(maker))
  }
  return [...wallets].sort(([, a], [, b]) => b.size - a.size)[0]?.[0] ?? ''
}

export const BUILDER_LISTS: Subject[] = [
  {
    list: builders,
    path: () => '/v3/builders',
    paged: [{}, { sort: 'volume' }, { sort: 'fees' }],
    unpaged: [],
    pageSize: 2,
    isOfSeq: false,
  },
  {
    list: builderTrades,
    path: (world) => `/v3/builders/${largestBuilder(world)}/trades`,
    paged: [{}, { order: 'asc' }, { side: 'buy' }],
    unpaged: [],
    pageSize: 2,
  },
  {
    list: builderBoard,
    path: (world) => `/v3/builders/${largestBuilder(world)}/leaderboard`,
    base: { pagination: 'cursor' },
    paged: [{}, { sort: 'realized_pnl', order: 'asc' }, { sort: 'unrealized_pnl' }],
    unpaged: [],
    limitMax: 100,
    pageSize: 2,
    isOfSeq: false,
  },
]
