import { formatDollars, formatPrice } from '../format.js'
import { MoreRows } from '../parts/more-rows.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { MarketLink, Time } from '../parts/values.js'

export const Fees = ({ address }: { address: string }) => (
  <Panel title="Fees paid">
    <MoreRows
      path="/v3/wallets/{address}/fees-paid"
      options={{ path: { address }, query: { limit: 50 } }}
      rowsOf={({ fees }) => fees}
      empty="The wallet has paid no fee."
    >
      {(fees) => (
        <Table
          label="Fees"
          rows={fees}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
            {
              title: 'Market',
              cell: ({ slug, market }) => <MarketLink slug={slug} title={market} />,
              isText: true,
            },
            { title: 'Price', cell: ({ price }) => formatPrice(price), isNumber: true },
            { title: 'Value', cell: ({ amount_usd: dollars }) => formatDollars(dollars), isNumber: true },
            { title: 'Fee', cell: ({ fee_paid: fee }) => formatDollars(fee), isNumber: true },
          ]}
        />
      )}
    </MoreRows>
  </Panel>
)
