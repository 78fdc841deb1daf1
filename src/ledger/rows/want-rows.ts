import { blockOf } from '../../core/seq.js'
import {
  type Entry,
  type FillEntry,
  NONE,
  type RedemptionEntry,
  type SplitEntry,
  ZERO_WALLET,
} from '../entry.js'
import { hourOf } from '../fill.js'
import type { Shelves } from './shelves.js'

/** Which tokens belong to which condition, as far as a block and those before it tell. */
export type Outcomes = {
  conditionOf(token: number, block: number): number
  tokensOf(condition: number, block: number): readonly number[]
}

/** Asks for every row that folding the entry may change or look at. */
export function wantRows(shelves: Shelves, outcomes: Outcomes, entry: Entry): void {
  switch (entry.kind) {
    case 'fill':
      wantFill(shelves, outcomes, entry)
      break
    case 'split':
    case 'redemption':
      wantSet(shelves, entry)
      break
    case 'conversion':
      wantHoldings(shelves, entry.wallet, entry.given)
      wantHoldings(shelves, entry.wallet, entry.taken)
      break
    case 'migration':
      wantHoldings(shelves, entry.wallet, [entry.fromToken, entry.toToken])
      break
    case 'transfer':
      shelves.positions.want(entry.from, entry.token)
      shelves.positions.want(entry.to, entry.token)
      break
    case 'supply':
      shelves.supplies.want(entry.token)
      break
  }
}

function wantFill(shelves: Shelves, outcomes: Outcomes, fill: FillEntry): void {
  const { wallet, token, builder } = fill
  const hour = hourOf(fill.timeSec)
  shelves.positions.want(wallet, token)
  shelves.positions.want(fill.exchange, token)
  shelves.walletTotals.want(wallet)
  shelves.lastPrices.want(token)
  if (builder !== NONE) {
    shelves.builderHours.want(builder, hour)
    shelves.builderWallets.want(builder, wallet)
  }
  const block = blockOf(fill.seq)
  const condition = outcomes.conditionOf(token, block)
  if (condition === NONE) return
  shelves.marketHours.want(condition, hour)
  for (const sibling of outcomes.tokensOf(condition, block)) {
    if (sibling === token) continue
    shelves.positions.want(wallet, sibling)
    shelves.lastPrices.want(sibling)
  }
}

function wantSet(shelves: Shelves, set: SplitEntry | RedemptionEntry): void {
  shelves.reserves.want(set.condition)
  wantHoldings(shelves, set.wallet, set.tokens)
  for (const token of set.tokens) shelves.positions.want(ZERO_WALLET, token)
}

function wantHoldings(shelves: Shelves, wallet: number, tokens: readonly number[]): void {
  shelves.walletTotals.want(wallet)
  for (const token of tokens) shelves.positions.want(wallet, token)
}
