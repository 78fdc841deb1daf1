import type { ActOf } from './act-of.js'
import { mergeThrough, splitThrough, userAdapter } from './collateral-adapter.js'
import type { LogBody } from './log.js'
import { merge, split } from './positions.js'

export function encodeSplit({ era, wallet, market, amount }: ActOf<'split'>): LogBody[] {
  return era === 'v1'
    ? split(wallet.word, market, amount)
    : splitThrough(userAdapter(market), wallet.word, market, amount)
}

export function encodeMerge({ era, wallet, market, amount }: ActOf<'merge'>): LogBody[] {
  return era === 'v1'
    ? merge(wallet.word, market, amount)
    : mergeThrough(userAdapter(market), wallet.word, market, amount)
}
