import { MoreRows } from '../parts/more-rows.js'
import { Panel } from '../parts/panel.js'
import { Trades, tradesOfRows } from '../parts/trades.js'

export const WalletTrades = ({ address }: { address: string }) => (
  <Panel title="Trades">
    <MoreRows
      path="/v3/wallets/{address}/trades"
      options={{ path: { address }, query: { limit: 50 } }}
      rowsOf={({ trades }) => trades}
      empty="The wallet has not traded."
    >
      {(trades) => <Trades trades={tradesOfRows(trades)} without="wallet" />}
    </MoreRows>
  </Panel>
)
