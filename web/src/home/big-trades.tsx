import { useState } from 'react'
import { useApi } from '../api.js'
import { useLiveTrades } from '../live.js'
import { LiveBadge } from '../parts/live-badge.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { type ShownTrade, Trades, tradesOfRows } from '../parts/trades.js'

const BIG_DOLLARS = 500
const SHOWN = 12
const HOUR_SECONDS = 3_600

/** The biggest trades of the last hour, and those that come while the reader looks. */
export function BigTrades() {
  const [after] = useState(() => Math.floor(Date.now() / 1_000) - HOUR_SECONDS)
  const trades = useApi('/v3/trades', {
    query: { after, min_amount_usd: String(BIG_DOLLARS), fills: 'taker', limit: 100 },
  })
  const { live, state } = useLiveTrades(
    { type: 'large_trades', filters: { event_types: ['trade'], min_size: BIG_DOLLARS }, snapshotCount: 0 },
    SHOWN,
  )
  return (
    <Panel title="Biggest trades of the last hour" aside={<LiveBadge state={state} />}>
      <Loaded
        query={trades}
        height={26}
        empty={{
          is: ({ trades: rows }) => rows.length + live.length === 0,
          text: `Nobody has traded for $${BIG_DOLLARS} or more in the last hour.`,
        }}
      >
        {({ trades: rows }) => <Trades trades={biggestOf([...live, ...tradesOfRows(rows)])} />}
      </Loaded>
    </Panel>
  )
}

function biggestOf(trades: readonly ShownTrade[]): ShownTrade[] {
  const byId = new Map(trades.map((trade) => [trade.id, trade]))
  const biggest = [...byId.values()].sort((one, other) => other.dollars - one.dollars).slice(0, SHOWN)
  return biggest.sort((one, other) => other.atMs - one.atMs)
}
