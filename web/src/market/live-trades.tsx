import { useState } from 'react'
import { useApi } from '../api.js'
import { useLive } from '../live.js'
import { LiveBadge } from '../parts/live-badge.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { type ShownTrade, Trades, tradeOfEvent, tradesOfRows } from '../parts/trades.js'

const SHOWN = 25

/** The newest trades of a market, as they happen. */
export function LiveTrades({ slug }: { slug: string }) {
  const [live, setLive] = useState<readonly ShownTrade[]>([])
  const trades = useApi('/v3/markets/slug/{slug}/trades', { path: { slug }, query: { limit: SHOWN } })
  const state = useLive(
    { type: 'trades', filters: { slugs: [slug], event_types: ['trade'] }, snapshotCount: 0 },
    (event) => {
      if (event.type === 'trade') setLive((before) => [tradeOfEvent(event), ...before].slice(0, SHOWN))
    },
  )
  return (
    <Panel title="Trades" aside={<LiveBadge state={state} />}>
      <Loaded
        query={trades}
        height={26}
        empty={{
          is: ({ trades: rows }) => rows.length + live.length === 0,
          text: 'Nobody has traded here yet.',
        }}
      >
        {({ trades: rows }) => (
          <Trades trades={[...live, ...tradesOfRows(rows)].slice(0, SHOWN)} without="market" />
        )}
      </Loaded>
    </Panel>
  )
}
