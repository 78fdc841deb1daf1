import { unavailable } from '../../core/errors.js'
import type { Sql } from '../../store/connection.js'
import type { PriceKind, Seconds } from '../../upstreams/prices/source.js'
import { newestTick, type Price, selectLatest } from '../archive/latest.js'
import { type CoinSymbol, streamIds } from '../streams.js'
import type { SitePrices } from './site-prices.js'
import { kindsAt, lookbackSecOf, priceUnknown, SETTLE_MS, type Window } from './window.js'

/** The sources of prices, in order: the archive, then the site, on the account of the caller. */
export type PriceSources = { sql: Sql; site: SitePrices; accountId: number | undefined }

/** The price of a boundary may be this old. Normally there is one every second. */
const AGE_SEC_MAX = 60

/**
 * The prices of a window now.
 *
 *   running    until its end. The close is the newest price.
 *   ending     the price of the end is not final: its tick has not come, and the site has none.
 *   completed  every source with recent prices has sent that of the end, or ten seconds have
 *              passed, or the site has it.
 *
 * Throws a 404 if neither archive nor site has the price at which it began, and a 503 if the archive
 * does not have it and the site is down. A 429: the account's share of requests to the site is used up.
 */
export async function readPrices(sources: PriceSources, window: Window, nowMs: number) {
  const { sql, site, accountId } = sources
  const { startSec, endSec, symbol } = window
  const { openPrice, kinds } = await readOpen(sources, window)
  const sinceEndMs = nowMs - endSec * 1000
  if (sinceEndMs >= 0) {
    const end = await selectBoundaryPrice(sql, window, endSec)
    if (end !== undefined) {
      const completed = end.commonSec === endSec || sinceEndMs >= SETTLE_MS
      return { openPrice, closePrice: end.price, completed }
    }
    const answer = await site.get(window, lookbackSecOf(kindsAt(window.interval, endSec)), accountId)
    if (answer?.completed && answer.closePrice !== undefined) {
      return { openPrice, closePrice: answer.closePrice, completed: true }
    }
  }
  const toSec = Math.min(Math.floor(nowMs / 1000), endSec)
  const last =
    (await selectBoundaryPrice(sql, window, toSec)) ??
    (await selectPrice(sql, symbol, kinds, { fromSec: startSec - AGE_SEC_MAX, toSec }))
  return { openPrice, closePrice: last?.price ?? openPrice, completed: false }
}

/** The price to beat, and the kinds of those that are compared with it while the window runs. */
async function readOpen({ sql, site, accountId }: PriceSources, window: Window) {
  const { interval, startSec } = window
  const known = await selectBoundaryPrice(sql, window, startSec)
  if (known !== undefined) return { openPrice: known.price, kinds: [known.kind] }
  const kinds = kindsAt(interval, startSec)
  const answer = await site.get(window, lookbackSecOf(kinds), accountId)
  if (answer === undefined) {
    throw unavailable('The archive has no price of this window, and the site does not answer.')
  }
  if (answer.openPrice === undefined) throw priceUnknown()
  return { openPrice: answer.openPrice, kinds }
}

/** What it gives depends on the boundary alone, not on which of the two windows asks. */
function selectBoundaryPrice(sql: Sql, { symbol, interval }: Window, boundarySec: number) {
  const span = { fromSec: boundarySec - AGE_SEC_MAX, toSec: boundarySec }
  return selectPrice(sql, symbol, kindsAt(interval, boundarySec), span)
}

/** The newest price in the span, of the first kind that has any; `undefined`: there is none. */
async function selectPrice(sql: Sql, symbol: CoinSymbol, kinds: readonly PriceKind[], span: Seconds) {
  const streams = kinds.flatMap((kind) => streamIds(symbol, kind))
  return choosePrice(await selectLatest(sql, streams, span), symbol, kinds)
}

/**
 * `latest` has the last tick of each stream that has one. `commonSec`: up to this second every source
 * with recent prices has sent one.
 */
export function choosePrice(
  latest: ReadonlyMap<number, Price>,
  symbol: CoinSymbol,
  kinds: readonly PriceKind[],
) {
  for (const kind of kinds) {
    const streams = streamIds(symbol, kind)
    const newest = newestTick(latest, streams)
    if (newest === undefined) continue
    const secs = streams.flatMap((stream) => latest.get(stream)?.sec ?? [])
    return { kind, price: newest.price, commonSec: Math.min(...secs) }
  }
  return undefined
}
