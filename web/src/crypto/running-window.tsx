import { useEffect, useMemo, useState } from 'react'
import { useApi } from '../api.js'
import { LazyChart } from '../charts/lazy-chart.js'
import { Legend } from '../charts/legend.js'
import type { Point, Series } from '../charts/time-chart.js'
import { formatDollars, formatDuration, formatPrice } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Figure, Panel } from '../parts/panel.js'
import { Gain, MarketLink } from '../parts/values.js'
import { type Coin, type CryptoEvent, LENGTHS, type Length, oddsOf, startOf } from './windows.js'

/** Of longer windows the chart has the end: a day of ticks is 20 MB. */
const SHOWN_SECONDS = 600
const REFRESH_MS = 3_000

const SOURCES = { platform_oracle: 'platform oracle', oracle_data_streams: 'data streams' }

type RunningWindowProps = { event: CryptoEvent; coin: Coin; length: Length }

export function RunningWindow({ event, coin, length }: RunningWindowProps) {
  const nowSeconds = useNow()
  const start = startOf(event, length)
  const end = start + LENGTHS[length].seconds
  const shownFrom = Math.max(start, Math.floor(nowSeconds / 60) * 60 - SHOWN_SECONDS)
  const ticks = useApi('/v1/crypto/ticks', {
    query: { symbol: coin, from: shownFrom * 1_000, to: end * 1_000, limit: 10_000, price_source: 'spot' },
    everyMs: REFRESH_MS,
  })
  const toBeat = usePriceToBeat(coin, start, length)
  const found = ticks.data?.ticks
  const lines = useMemo(() => {
    const bySource = new Map<string, Point[]>()
    for (const { timestamp: time, source, data } of found ?? []) {
      const points = bySource.get(source) ?? []
      bySource.set(source, points)
      points.push({ time, value: data.price })
    }
    return bySource
  }, [found])
  const last = [...lines.values()]
    .map((points) => points.at(-1))
    .sort((one, other) => (other?.time ?? 0) - (one?.time ?? 0))[0]
  const series = useMemo<Series[]>(
    () => [
      ...Object.keys(SOURCES).map(
        (source, index): Series => ({
          kind: 'line',
          colour: `series-${index + 1}`,
          points: lines.get(source) ?? [],
        }),
      ),
      {
        kind: 'line',
        colour: 'soft',
        points:
          toBeat === undefined || found === undefined
            ? []
            : [
                { time: shownFrom, value: toBeat },
                { time: Math.max(shownFrom + 1, last?.time ?? 0), value: toBeat },
              ],
      },
    ],
    [lines, toBeat, found, shownFrom, last?.time],
  )
  const odds = oddsOf(event)
  return (
    <>
      <dl className="figures">
        <Figure title="Price to beat">{toBeat === undefined ? '–' : formatDollars(toBeat)}</Figure>
        <Figure title={`${coin} now`}>{last === undefined ? '–' : formatDollars(last.value)}</Figure>
        <Figure title="Difference">
          {last === undefined || toBeat === undefined ? '–' : <Gain value={last.value - toBeat} />}
        </Figure>
        <Figure title="Market: up">{odds === undefined ? '–' : formatPrice(odds)}</Figure>
        <Figure title="Ends in">{formatDuration(end - nowSeconds)}</Figure>
      </dl>
      <Panel
        title={event.title ?? event.slug}
        aside={<MarketLink slug={event.slug} title="Order book and trades" />}
      >
        <Loaded
          query={ticks}
          height={22}
          empty={{ is: ({ ticks: list }) => list.length === 0, text: 'No tick of this window has come yet.' }}
        >
          {() => (
            <>
              <LazyChart
                label={`${coin}, second by second, last ${last === undefined ? 'none' : formatDollars(last.value)}`}
                series={series}
                format={formatDollars}
              />
              <Legend
                entries={[
                  ...Object.values(SOURCES).map((name, index) => ({
                    name,
                    colour: `series-${index + 1}`,
                  })),
                  { name: 'price to beat', colour: 'soft' },
                ]}
              />
            </>
          )}
        </Loaded>
      </Panel>
    </>
  )
}

/** The price at the start of the window: the API's, or, for a day, that of the first tick. */
function usePriceToBeat(coin: Coin, start: number, length: Length): number | undefined {
  const { interval } = LENGTHS[length]
  const price = useApi('/v1/crypto/price', {
    query: { symbol: coin, window: start, interval: interval ?? '1h' },
    isWanted: interval !== undefined,
    everyMs: 10_000,
  })
  const first = useApi('/v1/crypto/ticks', {
    query: { symbol: coin, from: start * 1_000, to: (start + 60) * 1_000, limit: 1, price_source: 'spot' },
    isWanted: interval === undefined,
  })
  return (interval === undefined ? first.data?.ticks[0]?.data.price : price.data?.openPrice) ?? undefined
}

/** Unix seconds; the component renders again every second. */
function useNow(): number {
  const [now, setNow] = useState(() => Math.floor(Date.now() / 1_000))
  useEffect(() => {
    const timer = setInterval(() => setNow(Math.floor(Date.now() / 1_000)), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
