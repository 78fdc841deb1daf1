import { useApi } from '../api.js'
import { formatAmount, formatPrice, fromMillionths } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { Gain, WalletLink } from '../parts/values.js'

type HoldersProps = { slug: string; tokens: readonly string[]; outcomes: readonly string[] }

/** Who holds most of the market. The API gives these amounts in millionths. */
export function Holders({ slug, tokens, outcomes }: HoldersProps) {
  const positions = useApi('/v3/markets/slug/{slug}/positions', {
    path: { slug },
    query: { sort: 'amount', status: 'open', limit: 15 },
  })
  return (
    <Panel title="Largest holders">
      <Loaded
        query={positions}
        height={20}
        empty={{ is: ({ data }) => data.length === 0, text: 'Nobody holds shares.' }}
      >
        {({ data }) => (
          <Table
            label="Largest holders"
            rows={data}
            keyOf={({ user, token_id: token }) => `${user} ${token}`}
            columns={[
              { title: 'Wallet', cell: ({ user }) => <WalletLink wallet={user} /> },
              { title: 'Outcome', cell: ({ token_id: token }) => outcomes[tokens.indexOf(token)] ?? '–' },
              {
                title: 'Shares',
                cell: ({ amount }) => formatAmount(fromMillionths(amount)),
                isNumber: true,
              },
              {
                title: 'Bought at',
                cell: ({ avg_price: price }) => formatPrice(fromMillionths(price)),
                isNumber: true,
              },
              {
                title: 'Realized',
                cell: ({ realized_pnl: pnl }) => <Gain value={fromMillionths(pnl)} />,
                isNumber: true,
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
