import { unavailable } from '../../core/errors.js'
import type { Sql } from '../../store/connection.js'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { type ArchivePrice, selectPrice } from './archive-price.js'
import { kindsAt, lookbackSecOf } from './settlement.js'
import type { SitePrices } from './site-prices.js'
import { priceUnknown, SETTLE_MS, type Window } from './window.js'

export type PriceWindow = { openPrice: number; closePrice: number; isCompleted: boolean }

/** Where prices are looked for: in the archive, then at the site. */
export type PriceSources = { sql: Sql; site: SitePrices }

/** The price of a boundary may be so old: a source that is well tells one every second. */
const AGE_SEC_MAX = 60

/**
 * The prices of a window at this moment.
 *
 *   running    until its end. The close is the newest price.
 *   ending     the price of the end is not final: its tick is on its way, or nobody knows it yet.
 *   completed  every source that told the price of late has told that of the end, or ten seconds
 *              have passed, or the site has it.
 *
 * Throws a 404 if nobody knows at which price it began, and a 503 if the site could but is down.
 */
export async function readPrices(
  { sql, site }: PriceSources,
  window: Window,
  nowMs: number,
): Promise<PriceWindow> {
  const { startSec, endSec, symbol } = window
  const { openPrice, kinds } = await readOpen({ sql, site }, window)
  const sinceEndMs = nowMs - endSec * 1000
  if (sinceEndMs >= 0) {
    const end = await selectBoundaryPrice(sql, window, endSec)
    if (end !== undefined) {
      const isCompleted = end.heardSec === endSec || sinceEndMs >= SETTLE_MS
      return { openPrice, closePrice: end.price, isCompleted }
    }
    const answer = await site.get(window, lookbackSecOf(kindsAt(window.interval, endSec)))
    if (answer?.completed && answer.closePrice !== undefined) {
      return { openPrice, closePrice: answer.closePrice, isCompleted: true }
    }
  }
  const toSec = Math.min(Math.floor(nowMs / 1000), endSec)
  const last =
    (await selectBoundaryPrice(sql, window, toSec)) ??
    (await selectPrice(sql, symbol, kinds, { fromSec: startSec - AGE_SEC_MAX, toSec }))
  return { openPrice, closePrice: last?.price ?? openPrice, isCompleted: false }
}

/** The price to beat, and the kinds of those that are compared with it while the window runs. */
type Open = { openPrice: number; kinds: readonly PriceKind[] }

async function readOpen({ sql, site }: PriceSources, window: Window): Promise<Open> {
  const { interval, startSec } = window
  const known = await selectBoundaryPrice(sql, window, startSec)
  if (known !== undefined) return { openPrice: known.price, kinds: [known.kind] }
  const kinds = kindsAt(interval, startSec)
  const answer = await site.get(window, lookbackSecOf(kinds))
  if (answer === undefined) {
    throw unavailable('The archive has no price of this window, and the site does not answer.')
  }
  if (answer.openPrice === undefined) throw priceUnknown()
  return { openPrice: answer.openPrice, kinds }
}

/** What it gives depends on the boundary alone, not on which of the two windows asks. */
function selectBoundaryPrice(
  sql: Sql,
  { symbol, interval }: Pick<Window, 'symbol' | 'interval'>,
  boundarySec: number,
): Promise<ArchivePrice | undefined> {
  const span = { fromSec: boundarySec - AGE_SEC_MAX, toSec: boundarySec }
  return selectPrice(sql, symbol, kindsAt(interval, boundarySec), span)
}
