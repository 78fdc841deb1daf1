import { useMemo } from 'react'
import { useApi } from '../api.js'
import { LazyChart } from '../charts/lazy-chart.js'
import type { Series } from '../charts/time-chart.js'
import { formatBytes, formatCount } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'

const DAYS = 30

export function UsageByDay() {
  const usage = useApi('/v1/account/usage', { query: { days: DAYS }, everyMs: 60_000 })
  const days = usage.data?.days
  const series = useMemo<Series[]>(
    () => [
      {
        kind: 'bars',
        colour: 'series-1',
        points: (days ?? []).map(({ day, requests }) => ({ time: Date.parse(day) / 1_000, value: requests })),
      },
    ],
    [days],
  )
  return (
    <Panel title={`Requests of the last ${DAYS} days`}>
      <Loaded
        query={usage}
        height={20}
        empty={{ is: (found) => found.days.length === 0, text: 'Nothing was asked yet.' }}
      >
        {({ operations }) => (
          <>
            <LazyChart label="Requests by day" series={series} format={formatCount} isLow />
            <Table
              label="Requests by endpoint"
              rows={operations}
              keyOf={({ operation }) => operation}
              columns={[
                { title: 'Endpoint', cell: ({ operation }) => <code>{operation}</code>, isText: true },
                { title: 'Requests', cell: ({ requests }) => formatCount(requests), isNumber: true },
                { title: 'Sent', cell: ({ bytes }) => formatBytes(bytes), isNumber: true },
              ]}
            />
          </>
        )}
      </Loaded>
    </Panel>
  )
}
