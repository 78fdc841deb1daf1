import { useApi } from '../api.js'
import { formatAmount, formatDollars, formatPrice } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { MoreRows } from '../parts/more-rows.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { Gain, MarketLink, Time } from '../parts/values.js'

/** What the wallet holds, with what it cost and what it is worth now. */
export const OpenPositions = ({ address }: { address: string }) => (
  <Panel title="Open positions">
    <MoreRows
      path="/v3/wallets/{address}/positions"
      options={{ path: { address }, query: { status: 'open', sort: 'amount', limit: 50 } }}
      rowsOf={({ positions }) => positions}
      empty="The wallet holds nothing."
    >
      {(positions) => (
        <Table
          label="Open positions"
          rows={positions.filter((position) => 'token_id' in position)}
          keyOf={({ token_id: token }) => token}
          columns={[
            {
              title: 'Market',
              cell: ({ slug, market }) => <MarketLink slug={slug} title={market} />,
              isText: true,
            },
            { title: 'Outcome', cell: ({ outcome }) => outcome ?? '–' },
            { title: 'Shares', cell: ({ size }) => formatAmount(size), isNumber: true },
            { title: 'Bought at', cell: ({ avg_price: price }) => formatPrice(price ?? 0), isNumber: true },
            { title: 'Now', cell: ({ current_price: price }) => formatPrice(price ?? 0), isNumber: true },
            { title: 'Cost', cell: ({ initial_value: cost }) => formatDollars(cost ?? 0), isNumber: true },
            {
              title: 'Value',
              cell: ({ size, current_price: price }) => formatDollars(size * (price ?? 0)),
              isNumber: true,
            },
            { title: 'P&L', cell: ({ total_pnl: pnl }) => <Gain value={pnl} />, isNumber: true },
          ]}
        />
      )}
    </MoreRows>
  </Panel>
)

export function ClosedPositions({ address }: { address: string }) {
  const closed = useApi('/v2/wallets/{address}/closed-positions', { path: { address }, query: { limit: 50 } })
  return (
    <Panel title="Closed positions">
      <Loaded
        query={closed}
        height={20}
        empty={{ is: ({ positions }) => positions.length === 0, text: 'The wallet has closed nothing yet.' }}
      >
        {({ positions }) => (
          <Table
            label="Closed positions"
            rows={positions}
            keyOf={({ asset }) => asset}
            columns={[
              { title: 'Closed', cell: ({ timestamp }) => <Time at={timestamp} /> },
              {
                title: 'Market',
                cell: ({ slug, title }) => <MarketLink slug={slug} title={title} />,
                isText: true,
              },
              { title: 'Outcome', cell: ({ outcome }) => outcome ?? '–' },
              { title: 'Shares', cell: ({ total_bought: bought }) => formatAmount(bought), isNumber: true },
              { title: 'Bought at', cell: ({ avg_price: price }) => formatPrice(price), isNumber: true },
              { title: 'Realized', cell: ({ realized_pnl: pnl }) => <Gain value={pnl} />, isNumber: true },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
