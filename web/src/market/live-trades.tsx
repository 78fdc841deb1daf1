import { useApi } from '../api.js'
import { useLiveTrades } from '../live.js'
import { LiveBadge } from '../parts/live-badge.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Trades, tradesOfRows } from '../parts/trades.js'

const SHOWN = 25

/** The newest trades of a market, as they happen. */
export function LiveTrades({ slug }: { slug: string }) {
  const trades = useApi('/v3/markets/slug/{slug}/trades', { path: { slug }, query: { limit: SHOWN } })
  const { live, state } = useLiveTrades(
    { type: 'trades', filters: { slugs: [slug], event_types: ['trade'] }, snapshotCount: 0 },
    SHOWN,
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
