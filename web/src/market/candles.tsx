import { useMemo, useState } from 'react'
import { useApi } from '../api.js'
import { LazyChart } from '../charts/lazy-chart.js'
import type { Series } from '../charts/time-chart.js'
import { formatPrice } from '../format.js'
import { Choice } from '../parts/choice.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'

const RESOLUTIONS = { '1m': '1 m', '5m': '5 m', '15m': '15 m', '1h': '1 h', '4h': '4 h', '1d': '1 d' }
type Resolution = keyof typeof RESOLUTIONS

const REFRESH_MS = 5_000

/** Prices and volume of an outcome, newest at the right. */
export function Candles({ token, outcome }: { token: string; outcome: string }) {
  const [resolution, setResolution] = useState<Resolution>('1h')
  const candles = useApi('/v3/markets/{token_id}/candles', {
    path: { token_id: token },
    query: { resolution, limit: 300 },
    everyMs: REFRESH_MS,
  })
  const found = candles.data?.candles
  const series = useMemo<Series[]>(() => {
    const list = found ?? []
    return [
      {
        kind: 'candles',
        points: list.map(({ time, open, high, low, close }) => ({ time, open, high, low, close })),
      },
      {
        kind: 'volume',
        colour: 'series-8',
        points: list.map(({ time, volume_usd: value }) => ({ time, value })),
      },
    ]
  }, [found])
  return (
    <Panel
      title={`Price of ${outcome}`}
      aside={
        <Choice
          label="Length of a candle"
          options={RESOLUTIONS}
          value={resolution}
          onChoose={setResolution}
        />
      }
    >
      <Loaded
        query={candles}
        height={20}
        empty={{ is: ({ count }) => count === 0, text: 'Nobody has traded this outcome yet.' }}
      >
        {({ candles: list }) => (
          <LazyChart
            label={`Price of ${outcome}, ${list.length} candles of ${RESOLUTIONS[resolution]}, last ${formatPrice(list.at(-1)?.close ?? 0)}`}
            series={series}
            format={formatPrice}
          />
        )}
      </Loaded>
    </Panel>
  )
}
