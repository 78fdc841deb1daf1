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
import type { LEDGER_TABLES } from './tables.js'

/** Which tokens belong to which condition, as far as the logs up to a block show. */
export type Outcomes = {
  conditionOf(token: number, block: number): number
  tokensOf(condition: number, block: number): readonly number[]
}

/** Takes the keys of rows, table by table. */
export type RowRequests = {
  readonly [Table in keyof typeof LEDGER_TABLES]: { request(first: number, second?: number): void }
}

/** Requests every row that folding the entry may change or read. */
export function requestRows(caches: RowRequests, outcomes: Outcomes, entry: Entry): void {
  switch (entry.kind) {
    case 'fill':
      requestFill(caches, outcomes, entry)
      break
    case 'split':
    case 'redemption':
      requestSet(caches, entry)
      break
    case 'conversion':
      requestPositions(caches, entry.wallet, entry.given)
      requestPositions(caches, entry.wallet, entry.taken)
      break
    case 'migration':
      requestPositions(caches, entry.wallet, [entry.fromToken, entry.toToken])
      break
    case 'transfer':
      caches.positions.request(entry.from, entry.token)
      caches.positions.request(entry.to, entry.token)
      break
    case 'supply':
      caches.supplies.request(entry.token)
      break
  }
}

function requestFill(caches: RowRequests, outcomes: Outcomes, fill: FillEntry): void {
  const { wallet, token, builder } = fill
  const hour = hourOf(fill.timeSec)
  caches.positions.request(wallet, token)
  caches.positions.request(fill.exchange, token)
  caches.walletTotals.request(wallet)
  caches.lastPrices.request(token)
  if (builder !== NONE) {
    caches.builderHours.request(builder, hour)
    caches.builderWallets.request(builder, wallet)
  }
  const block = blockOf(fill.seq)
  const condition = outcomes.conditionOf(token, block)
  if (condition === NONE) return
  caches.marketHours.request(condition, hour)
  for (const sibling of outcomes.tokensOf(condition, block)) {
    if (sibling === token) continue
    caches.positions.request(wallet, sibling)
    caches.lastPrices.request(sibling)
  }
}

function requestSet(caches: RowRequests, set: SplitEntry | RedemptionEntry): void {
  caches.reserves.request(set.condition)
  requestPositions(caches, set.wallet, set.tokens)
  for (const token of set.tokens) caches.positions.request(ZERO_WALLET, token)
}

function requestPositions(caches: RowRequests, wallet: number, tokens: readonly number[]): void {
  caches.walletTotals.request(wallet)
  for (const token of tokens) caches.positions.request(wallet, token)
}
