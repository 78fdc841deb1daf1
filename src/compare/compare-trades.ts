import { pricePerShare, roundToMillionths } from '../core/money.js'
import { isCombo } from '../core/structured-id.js'
import { withMarkets } from '../lookups/market-block.js'
import { selectSeqRange } from '../lookups/seq-range.js'
import { selectTrades, type TradeScope } from '../lookups/trades/queries.js'
import type { DataTrade } from '../upstreams/data-api/parse.js'
import type { CompareDeps } from './compare-positions.js'
import { type ComparedTrade, TradeMatcher, type TradeSide } from './trade-matcher.js'
import type { WalletComparison } from './wallet-comparison.js'

const ROWS_PER_PAGE = 1_000

/**
 * Compares the trades of a wallet, those of combos left out. Both sides list them by time, the newest first. The
 * next page is of the side that has not got as far back in time: so both rows of a trade are soon read, and few wait
 * in memory.
 */
export async function compareTrades(
  deps: CompareDeps,
): Promise<Pick<WalletComparison, 'trades' | 'differences'>> {
  const matcher = new TradeMatcher()
  const sides = [openSide('ours', eachOfLedger(deps)), openSide('theirs', eachOfPlatform(deps))]
  for (;;) {
    const next = sides.filter(({ isDone }) => !isDone).sort((a, b) => b.lastSec - a.lastSec)[0]
    if (next === undefined) break
    const { value: page, done } = await next.pages.next()
    if (done === true) next.isDone = true
    else {
      for (const trade of page) matcher.add(next.side, trade)
      next.lastSec = page.at(-1)?.timeSec ?? next.lastSec
      if (next.side === 'theirs') deps.onRows(page.length)
    }
  }
  const differences = matcher.end()
  return { trades: matcher.count, differences }
}

/** The trades of one side, and how far they are read. */
const openSide = (side: TradeSide, pages: AsyncGenerator<ComparedTrade[]>) => ({
  side,
  pages,
  isDone: false,
  lastSec: Number.POSITIVE_INFINITY,
})

async function* eachOfPlatform({ dataApi, address, span }: CompareDeps) {
  for await (const page of dataApi.eachTrades(address, span)) {
    yield page.filter(({ token }) => !isCombo(token)).map(fromPlatform)
  }
}

const fromPlatform = ({ size, price, ...trade }: DataTrade): ComparedTrade => ({
  ...trade,
  shares: roundToMillionths(size),
  price: roundToMillionths(price),
})

/** The fills of the wallet's own orders, whether they took or rested. */
async function* eachOfLedger({ sql, wallet, span }: CompareDeps) {
  const range = await selectSeqRange(sql, { after: span.fromSec, before: span.toSec })
  if (wallet === undefined || range === undefined) return
  const scope: TradeScope = { ...range, wallet, roles: ['maker'] }
  for (let after: [number] | undefined; ; ) {
    const page = { limit: ROWS_PER_PAGE, offset: 0, after }
    const found = await selectTrades(sql, 'market', scope, page)
    const rows = await withMarkets(
      sql,
      found.filter(({ isGone }) => !isGone),
    )
    yield rows.map(
      ({ txHash, isSell, usd, shares, timeSec, market }): ComparedTrade => ({
        txHash,
        isSell,
        shares,
        timeSec,
        token: market.token,
        price: pricePerShare(usd, shares),
        slug: market.slug ?? undefined,
        outcome: market.outcome ?? undefined,
      }),
    )
    const last = found.at(-1)
    if (last === undefined || found.length < ROWS_PER_PAGE) return
    after = [last.seq]
  }
}
