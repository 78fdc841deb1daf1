import type { BuilderHour, BuilderWallet } from './books.js'
import type { FillEntry } from './entry.js'
import { hourOf } from './hour.js'

/** Every fill whose order names the builder counts, of takers and makers alike. */
export function countBuilder(
  builder: BuilderHour,
  wallet: BuilderWallet,
  { usd, timeSec }: FillEntry,
  fee: bigint,
): void {
  if (hourOf(wallet.lastSec) !== builder.hour) builder.traders++
  builder.volume += usd
  builder.fees += fee
  builder.fills++
  wallet.volume += usd
  wallet.fees += fee
  wallet.fills++
  if (wallet.firstSec === 0 || timeSec < wallet.firstSec) wallet.firstSec = timeSec
  if (timeSec > wallet.lastSec) wallet.lastSec = timeSec
}
