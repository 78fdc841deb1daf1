import { blockOf } from '../../core/seq.js'
import { dayOf } from '../builder.js'
import { hourOf, minuteOf } from '../candle.js'
import {
  type Entry,
  type FillEntry,
  NONE,
  type RedemptionEntry,
  type SplitEntry,
  ZERO_WALLET,
} from '../entry.js'
import type { LEDGER_TABLES } from './tables.js'

/** Which tokens belong to which condition, as far as the logs up to a block show; and which are combos. */
export type Outcomes = {
  isCombo(token: number): boolean
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
      requestSet(caches, outcomes, entry)
      break
    case 'conversion':
      requestPositions(caches, outcomes, entry.wallet, entry.given)
      requestPositions(caches, outcomes, entry.wallet, entry.taken)
      break
    case 'migration':
      requestPositions(caches, outcomes, entry.wallet, [entry.fromToken, entry.toToken])
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
  const { wallet, token, timeSec } = fill
  const isCombo = outcomes.isCombo(token)
  caches.positions.request(wallet, token)
  caches.positions.request(fill.exchange, token)
  requestTotals(caches, wallet, isCombo)
  if (fill.builder !== NONE && !isCombo) requestBuilder(caches, fill)
  if (!fill.isTaker) return
  caches.minuteCandles.request(token, minuteOf(timeSec))
  caches.hourCandles.request(token, hourOf(timeSec))
  caches.tokenTotals.request(token)
  caches.lastPrices.request(token)
  const block = blockOf(fill.seq)
  const condition = outcomes.conditionOf(token, block)
  if (condition === NONE) return
  for (const sibling of outcomes.tokensOf(condition, block)) {
    if (sibling !== token) caches.lastPrices.request(sibling)
  }
}

function requestBuilder(caches: RowRequests, { builder, wallet, timeSec }: FillEntry): void {
  caches.builderTotals.request(builder)
  caches.builderDays.request(builder, dayOf(timeSec))
  caches.builderWallets.request(builder, wallet)
}

function requestTotals(caches: RowRequests, wallet: number, isCombo: boolean): void {
  if (isCombo) caches.comboTotals.request(wallet)
  else caches.walletTotals.request(wallet)
}

function requestSet(caches: RowRequests, outcomes: Outcomes, set: SplitEntry | RedemptionEntry): void {
  caches.reserves.request(set.condition)
  requestPositions(caches, outcomes, set.wallet, set.tokens)
  for (const token of set.tokens) caches.positions.request(ZERO_WALLET, token)
}

function requestPositions(
  caches: RowRequests,
  outcomes: Outcomes,
  wallet: number,
  tokens: readonly number[],
): void {
  for (const token of tokens) {
    requestTotals(caches, wallet, outcomes.isCombo(token))
    caches.positions.request(wallet, token)
  }
}
