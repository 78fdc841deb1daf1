import { formatAmount, fromMillionths } from '../format.js'
import { MoreRows } from '../parts/more-rows.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/values.js'

/** Splits, merges, conversions, redemptions and rewards. */
export const Activity = ({ address }: { address: string }) => (
  <Panel title="What the wallet did beside trading">
    <MoreRows
      path="/v3/wallets/{address}/activity"
      options={{ path: { address }, query: { limit: 50 } }}
      rowsOf={({ data }) => data}
      empty="Nothing beside trading."
    >
      {(rows) => (
        <Table
          label="Activity"
          rows={rows}
          keyOf={({ id, event_type: type }) => `${type} ${id}`}
          columns={[
            { title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
            { title: 'What', cell: ({ event_type: type }) => type },
            {
              title: 'Amount',
              cell: ({ amount }) => formatAmount(fromMillionths(amount)),
              isNumber: true,
            },
            { title: 'Of', cell: ({ ref_id: id }) => <code>{id}</code>, isText: true },
          ]}
        />
      )}
    </MoreRows>
  </Panel>
)
