import type { Books, BuilderDay, BuilderTotals, BuilderWallet } from './books.js'
import { builderFits, builderUsdFits } from './column-limits.js'
import type { FillEntry } from './entry.js'

/** What a fill counts into whose order names a builder, of takers and makers alike. */
export type BuilderRows = { totals: BuilderTotals; day: BuilderDay; wallet: BuilderWallet }

export function openBuilder({ rows }: Books, fill: FillEntry): BuilderRows {
  const { builder, wallet, timeSec } = fill
  return {
    totals: rows.builderTotals.open(builder),
    day: rows.builderDays.open(builder, dayOf(timeSec)),
    wallet: rows.builderWallets.open(builder, wallet),
  }
}

export const builderRowsFit = ({ totals, day, wallet }: BuilderRows): boolean =>
  builderFits(totals) && builderUsdFits(totals) && builderFits(day) && builderFits(wallet)

export function countBuilder(rows: BuilderRows, fill: FillEntry, fee: bigint): void {
  countWallet(rows, fill)
  countFill(rows.totals, fill, fee)
  countFill(rows.day, fill, fee)
  countFill(rows.wallet, fill, fee)
  const { totals } = rows
  if (fill.isBuy) totals.buyUsd += fill.usd
  else totals.sellUsd += fill.usd
  if (totals.firstSeq === 0 || fill.seq < totals.firstSeq) totals.firstSeq = fill.seq
  if (fill.seq > totals.lastSeq) totals.lastSeq = fill.seq
}

/** Each wallet counts once for the builder and once a day. Before the fill is counted. */
function countWallet({ totals, day, wallet }: BuilderRows, { timeSec }: FillEntry): void {
  if (wallet.fills === 0) {
    totals.wallets++
    day.newWallets++
  }
  if (dayOf(wallet.lastSec) !== day.day) {
    day.wallets++
    wallet.activeDays++
  }
  if (wallet.firstSec === 0 || timeSec < wallet.firstSec) wallet.firstSec = timeSec
  if (timeSec > wallet.lastSec) wallet.lastSec = timeSec
}

function countFill(
  row: BuilderTotals | BuilderDay | BuilderWallet,
  { isBuy, shares }: FillEntry,
  fee: bigint,
): void {
  row.fills++
  if (isBuy) row.buyShares += shares
  else row.sellShares += shares
  row.fees += fee
}

/** Unix time in days. */
export const dayOf = (timeSec: number): number => Math.floor(timeSec / 86_400)
