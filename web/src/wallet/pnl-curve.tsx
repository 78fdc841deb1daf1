import { useMemo, useState } from 'react'
import { useApi } from '../api.js'
import { LazyChart } from '../charts/lazy-chart.js'
import { Legend } from '../charts/legend.js'
import type { Series } from '../charts/time-chart.js'
import { formatDollars } from '../format.js'
import { Choice } from '../parts/choice.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'

const GROUPS = { hour: 'by hour', day: 'by day', week: 'by week', month: 'by month' }

const DAYS_MIN = 3

/** What was realized in each bucket, and the sum of it so far. */
export function PnlCurve({ address }: { address: string }) {
  const [chosen, setGroup] = useState<keyof typeof GROUPS>()
  const days = useApi('/v3/wallets/{address}/pnl/events', { path: { address }, query: { group: 'day' } })
  // A curve of one or two points shows nothing.
  const group = chosen ?? ((days.data?.bucket_count ?? DAYS_MIN) < DAYS_MIN ? 'hour' : 'day')
  const events = useApi('/v3/wallets/{address}/pnl/events', {
    path: { address },
    query: { group },
    everyMs: 30_000,
  })
  const buckets = events.data?.buckets
  const series = useMemo<Series[]>(
    () => [
      {
        kind: 'bars',
        colour: 'up',
        points: (buckets ?? []).map(({ bucket: time, realized_pnl: value }) => ({
          time,
          value,
          colour: value < 0 ? 'down' : 'up',
        })),
      },
      {
        kind: 'line',
        colour: 'series-1',
        points: (buckets ?? []).map(({ bucket: time, cumulative_pnl: value }) => ({ time, value })),
      },
    ],
    [buckets],
  )
  return (
    <Panel
      title="Realized profit and loss"
      aside={<Choice label="Length of a bar" options={GROUPS} value={group} onChoose={setGroup} />}
    >
      <Loaded
        query={events}
        height={22}
        empty={{ is: ({ bucket_count: count }) => count === 0, text: 'Nothing was realized yet.' }}
      >
        {({ total_realized_pnl: total, bucket_count: count }) => (
          <>
            <LazyChart
              label={`Realized P&L over ${count} bars, ${formatDollars(total)} in all`}
              series={series}
              format={formatDollars}
            />
            <Legend
              entries={[
                { name: `realized ${GROUPS[group]}`, colour: 'up' },
                { name: `so far: ${formatDollars(total)}`, colour: 'series-1' },
              ]}
            />
          </>
        )}
      </Loaded>
    </Panel>
  )
}
