import { Link } from '@tanstack/react-router'
import { useApi } from '../api.js'
import { formatCount, formatDuration, formatPrice, formatShortDollars } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Figure, Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { Gain, MarketLink, WalletLink } from '../parts/values.js'
import { BigTrades } from './big-trades.js'
import { LiveGames } from './live-games.js'

export function HomePage() {
  return (
    <>
      <div>
        <h1>Prediction markets, from your own machine</h1>
        <p className="soft">
          Every trade, position, P&amp;L and leaderboard of Polymarket, exact to the micro-dollar, live and
          back to the first block that this service has.
        </p>
      </div>
      <Counters />
      <BigTrades />
      <div className="grid">
        <TopMarkets />
        <TopWallets />
      </div>
      <div className="grid">
        <RunningWindows />
        <LiveGames />
      </div>
    </>
  )
}

function Counters() {
  const status = useApi('/v1/status/overview', { everyMs: 15_000 })
  const day = useApi('/v3/markets/stats', { query: { limit: 1 }, everyMs: 60_000 })
  return (
    <Loaded query={status} height={4}>
      {({ chain, ws_subscribers: sockets, uptime_seconds: uptime }) => (
        <dl className="figures">
          <Figure
            title="Head block"
            note={
              chain.block_age_seconds === null ? undefined : `${formatDuration(chain.block_age_seconds)} ago`
            }
          >
            {chain.block === 0 ? 'none yet' : formatCount(chain.block)}
          </Figure>
          <Figure
            title="Trades in 24 hours"
            note={`${formatCount((day.data?.totals.trades ?? 0) / 1_440)} a minute`}
          >
            {formatCount(day.data?.totals.trades ?? 0)}
          </Figure>
          <Figure title="Volume in 24 hours">{formatShortDollars(day.data?.totals.volume_usd ?? 0)}</Figure>
          <Figure title="Active markets">{formatCount(day.data?.totals.active_markets ?? 0)}</Figure>
          <Figure title="Open sockets" note={`up for ${formatDuration(uptime)}`}>
            {formatCount(sockets)}
          </Figure>
        </dl>
      )}
    </Loaded>
  )
}

function TopMarkets() {
  const markets = useApi('/v3/markets/stats', { query: { limit: 10, sort: 'volume' }, everyMs: 60_000 })
  return (
    <Panel title="Markets of most volume, 24 hours">
      <Loaded
        query={markets}
        height={20}
        empty={{ is: ({ data }) => data.length === 0, text: 'No trades in the last 24 hours yet.' }}
      >
        {({ data }) => (
          <Table
            label="Markets of most volume"
            rows={data}
            keyOf={({ condition_id: id }) => id}
            columns={[
              {
                title: 'Market',
                cell: ({ slug, question }) => <MarketLink slug={slug} title={question} />,
                isText: true,
              },
              {
                title: 'Price',
                cell: ({ prices }) => {
                  const [first] = prices ?? []
                  return first?.price === undefined || first.price === null ? '–' : formatPrice(first.price)
                },
                isNumber: true,
              },
              {
                title: 'Volume',
                cell: ({ volume_usd: volume }) => formatShortDollars(volume),
                isNumber: true,
              },
              { title: 'Trades', cell: ({ trades }) => formatCount(trades), isNumber: true },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function TopWallets() {
  const board = useApi('/v3/leaderboard', { query: { period: '7d', limit: 10 }, everyMs: 60_000 })
  return (
    <Panel title="Wallets of the week" aside={<Link to="/leaderboard">All boards</Link>}>
      <Loaded
        query={board}
        height={20}
        empty={{
          is: ({ leaderboard }) => leaderboard.length === 0,
          text: 'Nobody has won or lost anything yet.',
        }}
      >
        {({ leaderboard }) => (
          <Table
            label="Wallets of the week"
            rows={leaderboard}
            keyOf={({ wallet }) => wallet}
            columns={[
              { title: '#', cell: ({ rank }) => rank, isNumber: true },
              { title: 'Wallet', cell: ({ wallet }) => <WalletLink wallet={wallet} /> },
              { title: 'Realized', cell: ({ realized_pnl: pnl }) => <Gain value={pnl} />, isNumber: true },
              { title: 'Won / lost', cell: ({ wins, losses }) => `${wins} / ${losses}`, isNumber: true },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function RunningWindows() {
  const active = useApi('/v1/crypto/active', { everyMs: 15_000 })
  return (
    <Panel title="Crypto windows that are running" aside={<Link to="/crypto">Second by second</Link>}>
      <Loaded
        query={active}
        height={16}
        empty={{ is: ({ markets }) => markets.length === 0, text: 'None is running now.' }}
      >
        {({ markets }) => (
          <Table
            label="Crypto windows"
            rows={markets}
            keyOf={({ slug }) => slug}
            columns={[
              {
                title: 'Window',
                cell: ({ slug, title }) => <MarketLink slug={slug} title={title} />,
                isText: true,
              },
              {
                title: 'Up',
                cell: ({ markets: [market] }) => {
                  const price = market?.outcomePrices?.[0]
                  return price === undefined || price === null ? '–' : formatPrice(Number(price))
                },
                isNumber: true,
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
