import type { Market } from '../../../sim/universe/market.js'
import { type ModelCandle, modelCandles } from '../../markets/candle-model.js'
import { isTakerOrder, type ModelFill } from '../../trades/fill-model.js'
import { type Comparison, type Row, requestOf } from './comparison.js'
import { decimal } from './numbers.js'

/** Seconds of a bucket, and how many an answer may have. */
const RESOLUTIONS = { '1m': [60, 120], '5m': [300, 180], '1h': [3_600, 300], '1d': [86_400, 500] } as const

/** Prices and volume of tokens over time. */
export async function compareCandles(comparison: Comparison): Promise<void> {
  const { model, sampled } = comparison
  const tookOf = (token: string) => model.fills.filter((fill) => fill.token === token && isTakerOrder(fill))
  const end = model.head.timeSec
  for (const token of sampled.tokens) {
    for (const [resolution, [seconds, count]] of Object.entries(RESOLUTIONS)) {
      const query = { resolution, start: end - (count - 1) * seconds, end }
      const path = `/v3/markets/${token}/candles`
      const answer = await comparison.get(path, query)
      if (answer === undefined) continue
      const expected = candlesOf(tookOf(token), seconds, query.start)
      comparison.rows(requestOf(path, query), answer.candles as Row[], expected, { key: ['time'] })
    }
  }
  for (const market of sampled.markets) {
    await compareSeries(comparison, `condition/${market.conditionId}`, market, tookOf)
    // A slug is known once the catalogue has the market.
    await comparison.eventually(() => compareSeries(comparison, `slug/${market.slug}`, market, tookOf))
  }
}

/** A series for each outcome. */
async function compareSeries(
  comparison: Comparison,
  place: string,
  { tokens }: Market,
  tookOf: (token: string) => readonly ModelFill[],
): Promise<void> {
  const path = `/v3/markets/${place}/candles`
  const [seconds, count] = RESOLUTIONS['1h']
  const end = comparison.model.head.timeSec
  const query = { resolution: '1h', start: end - (count - 1) * seconds, end }
  const answer = await comparison.get(path, query)
  if (answer === undefined) return
  const found = answer.series as Row[]
  const wanted = tokens.map((token) => ({ token_id: token.decimal }))
  comparison.rows(requestOf(path, query), found, wanted, { key: ['token_id'] })
  for (const series of found) {
    const where = `${requestOf(path, query)}, series ${series.token_id}`
    const expected = candlesOf(tookOf(String(series.token_id)), seconds, query.start)
    comparison.rows(where, series.candles as Row[], expected, { key: ['time'] })
  }
}

/** From the bucket on that has the first second. */
function candlesOf(took: readonly ModelFill[], seconds: number, firstSec: number): Row[] {
  const fills = took.map((fill) => ({ ...fill, seq: fill.block * 2 ** 20 + fill.logIndex }))
  const first = firstSec - (firstSec % seconds)
  return modelCandles(fills, seconds)
    .filter(({ timeSec }) => timeSec >= first)
    .map(candleRow)
}

const candleRow = ({ timeSec, volume, shares, buyVolume, first, last, ...candle }: ModelCandle): Row => ({
  time: timeSec,
  time_unix: timeSec,
  time_ms: timeSec * 1000,
  open: decimal(candle.open),
  high: decimal(candle.high),
  low: decimal(candle.low),
  close: decimal(candle.close),
  volume: decimal(volume),
  volume_usd: decimal(volume),
  volume_shares: decimal(shares),
  volume_buy: decimal(buyVolume),
  volume_sell: decimal(volume - buyVolume),
  trades: candle.trades,
  vwap: decimal(candle.vwap),
  first_trade_ts: first?.timeSec,
  last_trade_ts: last?.timeSec,
  first_block: blockOf(first),
  last_block: blockOf(last),
  gap_filled: false,
})

const blockOf = (fill: { seq: number } | undefined): number | undefined =>
  fill && Math.floor(fill.seq / 2 ** 20)
