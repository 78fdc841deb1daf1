import { useMemo } from 'react'
import { useApi } from '../api.js'
import { LazyChart } from '../charts/lazy-chart.js'
import type { Series } from '../charts/time-chart.js'
import { formatDuration, toMs } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'

/** How far the service was behind the chain. */
export function LastDay() {
  const history = useApi('/v1/status/history', { query: { hours: 24 }, everyMs: 60_000 })
  const samples = history.data?.samples
  const series = useMemo<Series[]>(
    () => [
      {
        kind: 'line',
        colour: 'series-1',
        points: (samples ?? []).map(({ at, head_age_seconds: value }) => ({
          time: toMs(at) / 1_000,
          value: value ?? 0,
        })),
      },
    ],
    [samples],
  )
  return (
    <Panel title="Age of the head block, last day">
      <Loaded
        query={history}
        height={12}
        empty={{
          is: ({ samples: list }) => list.length === 0,
          text: 'The first sample comes within some minutes.',
        }}
      >
        {() => (
          <LazyChart
            label="Age of the head block over the last day"
            series={series}
            format={formatDuration}
            isLow
          />
        )}
      </Loaded>
    </Panel>
  )
}
