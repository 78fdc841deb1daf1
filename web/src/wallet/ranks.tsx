import { useApi } from '../api.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { Gain } from '../parts/values.js'

const PERIODS: Record<string, string> = {
  all: 'All time',
  '1d': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
}

/** The wallet's rank on the leaderboards. */
export function Ranks({ address }: { address: string }) {
  const ranks = useApi('/v3/wallets/{address}/ranks', { path: { address }, everyMs: 60_000 })
  return (
    <Panel title="Rank on the boards">
      <Loaded query={ranks} height={10}>
        {({ ranks: list }) => (
          <Table
            label="Ranks"
            rows={list}
            keyOf={({ period }) => period}
            columns={[
              { title: 'Time', cell: ({ period }) => PERIODS[period] ?? period },
              { title: 'Rank', cell: ({ rank }) => rank ?? 'not ranked', isNumber: true },
              {
                title: 'P&L',
                cell: ({ value, sort }) =>
                  value === null ? (
                    '–'
                  ) : (
                    <>
                      <Gain value={value} /> {sort}
                    </>
                  ),
                isNumber: true,
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
