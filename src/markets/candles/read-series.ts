import { groupBy } from '../../lib/group-by.js'
import type { Sql } from '../../store/connection.js'
import { fillGaps, type TokenCandle } from './candle.js'
import { type SeriesToken, selectCandles, selectWindowSides } from './queries.js'
import type { CandleWindow } from './window.js'

/** The candles of a token in a window, oldest first, and whether it has others on both sides. */
export type CandleSeries = {
  market: SeriesToken
  candles: readonly TokenCandle[]
  hasOlder: boolean
  hasNewer: boolean
}

/** The series of tokens, in their order. */
export async function readSeries(
  sql: Sql,
  markets: readonly SeriesToken[],
  window: CandleWindow,
  { isFilled, nowSec }: { isFilled: boolean; nowSec: number },
): Promise<CandleSeries[]> {
  const tokens = markets.flatMap(({ id }) => (id === null ? [] : [id]))
  const [candles, sides] = await Promise.all([
    selectCandles(sql, tokens, window),
    selectWindowSides(sql, tokens, window),
  ])
  const candlesOf = groupBy(candles, ({ token }) => token)
  const sidesOf = new Map(sides.map((each) => [each.token, each]))
  return markets.map((market) => {
    const side = sidesOf.get(market.id ?? NO_TOKEN)
    if (side === undefined) return { market, candles: [], hasOlder: false, hasNewer: false }
    const { token, hasOlder, hasNewer, closeBefore } = side
    const traded = candlesOf.get(token) ?? []
    return {
      market,
      candles: isFilled ? fillGaps(traded, { token, ...window, closeBefore, nowSec }) : traded,
      hasOlder,
      hasNewer,
    }
  })
}

const NO_TOKEN = -1
