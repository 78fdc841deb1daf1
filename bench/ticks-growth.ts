import { Registry } from 'prom-client'
import { systemClock } from '../src/core/clock.js'
import { createLog } from '../src/lib/log.js'
import { readCandles } from '../src/prices/candles/candles.js'
import { BLOCK_SEC } from '../src/prices/fast/tick-block.js'
import { type Stream, SYMBOLS, TICK_SOURCES } from '../src/prices/streams.js'
import { readPrices } from '../src/prices/windows/price-window.js'
import { SitePrices } from '../src/prices/windows/site-prices.js'
import type { Pool } from '../src/store/connection.js'
import { SitePriceClient } from '../src/upstreams/site-price/client.js'
import { createUpstreamMetrics } from '../src/upstreams/transport/metrics.js'
import type { Bench } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { fillArchive, lastBlock, repeatBlocks } from './lib/tick-archive.js'
import { tidy } from './lib/tidy.js'

const DAY_BLOCKS = (24 * 3_600) / BLOCK_SEC
const YEAR_BLOCKS = 365 * DAY_BLOCKS
const RUNS = 60

/** What the candles and the windows of the feeds are made of. */
const STREAMS: Stream[] = SYMBOLS.flatMap((symbol) => [
  ...TICK_SOURCES.map((source) => ({ symbol, kind: 'spot', source }) as const),
  { symbol, kind: 'twap60', source: 'platform_oracle' } as const,
])

export const ticksGrowth: Bench = {
  name: 'ticks-growth',
  promise: 'candles and price windows with a year of ticks against the same with a day',
  ratioMin: 1 / 1.2,
  unit: 'answers/s',
  async prepare() {
    const server = await BenchServer.start()
    const untilBlock = lastBlock()
    const day = await server.createDatabase('day')
    await fillArchive(day, STREAMS, untilBlock - DAY_BLOCKS, untilBlock)
    const year = await server.createDatabase('year')
    const old = { fromBlock: untilBlock - YEAR_BLOCKS, untilBlock: untilBlock - DAY_BLOCKS }
    const isFull = ({ symbol }: Stream) => symbol === 'BTC'
    await repeatBlocks(year, STREAMS.filter(isFull), { ...old, hasTicks: true })
    const rest = STREAMS.filter((stream) => !isFull(stream))
    await repeatBlocks(year, rest, { ...old, hasTicks: false })
    await fillArchive(year, STREAMS, untilBlock - DAY_BLOCKS, untilBlock)
    const site = createSite()
    return {
      ours: () => answer(year, site, untilBlock),
      yardstick: () => answer(day, site, untilBlock),
      close: tidy,
    }
  },
}

/** Alternates between the candles of a feed and a window of the last day. */
async function answer(pool: Pool, site: SitePrices, untilBlock: number): Promise<number> {
  const nowMs = untilBlock * BLOCK_SEC * 1000
  const startedMs = performance.now()
  for (let run = 0; run < RUNS; run++) {
    const symbol = SYMBOLS[run % SYMBOLS.length] ?? 'BTC'
    await readCandles(pool, symbol, nowMs)
    const startSec = (untilBlock - 2 - ((run * 37) % (DAY_BLOCKS - 3))) * BLOCK_SEC
    const window = { symbol, interval: '5m', startSec, endSec: startSec + BLOCK_SEC } as const
    await readPrices({ sql: pool, site, accountId: undefined }, window, nowMs)
  }
  return (2 * RUNS) / ((performance.now() - startedMs) / 1000)
}

/** No upstream is there: the archive has everything that is asked. */
function createSite(): SitePrices {
  const metrics = createUpstreamMetrics(new Registry())
  const log = createLog('error', process.stderr)
  const options = { url: 'http://127.0.0.1:9', metrics, clock: systemClock, log }
  return new SitePrices(new SitePriceClient(options), systemClock)
}
