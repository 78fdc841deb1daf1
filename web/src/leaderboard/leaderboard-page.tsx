import { useSearch } from '@tanstack/react-router'
import type { Row } from 'auspex-client'
import { useApi } from '../api.js'
import { formatCount, formatShortDollars, shortenAddress } from '../format.js'
import { Choice, useSearchChoice } from '../parts/choice.js'
import { Loaded } from '../parts/loaded.js'
import { MoreRows } from '../parts/more-rows.js'
import { Panel } from '../parts/panel.js'
import { type Column, Table } from '../parts/table.js'
import { Dollars, Gain, WalletLink } from '../parts/values.js'

const BOARDS = { wallets: 'Wallets', builders: 'Builders', combos: 'Combos', copy: 'Copy-pnl' }
const PERIODS = { all: 'All time', '30d': '30 days', '7d': '7 days', '1d': '24 hours' }

type Board = keyof typeof BOARDS
type Period = keyof typeof PERIODS

export function LeaderboardPage() {
  const search: { board?: Board; period?: Period; tag?: string } = useSearch({ strict: false })
  const { board = 'wallets', period = '7d', tag } = search
  const chooseBoard = useSearchChoice('board')
  const choosePeriod = useSearchChoice('period')
  return (
    <>
      <h1>Leaderboard</h1>
      <div className="row">
        <Choice label="Board" options={BOARDS} value={board} onChoose={chooseBoard} />
        {(board === 'wallets' || board === 'combos') && (
          <Choice label="Time" options={PERIODS} value={period} onChoose={choosePeriod} />
        )}
        {board === 'wallets' && <TagField tag={tag ?? ''} period={period} />}
      </div>
      {board === 'wallets' && <Wallets period={period} tag={tag} />}
      {board === 'builders' && <Builders />}
      {board === 'combos' && <Combos period={period} />}
      {board === 'copy' && <CopyPnl />}
    </>
  )
}

function TagField({ tag, period }: { tag: string; period: Period }) {
  const choose = useSearchChoice('tag')
  const scopes = useApi('/v3/leaderboard/scopes', {
    query: { period: period === 'all' ? '30d' : period, scope: 'tag', limit: 100 },
  })
  return (
    <label className="inline">
      Tag
      <select value={tag} onChange={(event) => choose(event.target.value)}>
        <option value="">all</option>
        {scopes.data?.scopes.map(({ value }) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Windows count what was realized alone. */
const TOTAL: Column<Row<'/v3/leaderboard'>> = {
  title: 'Total',
  cell: (row) => ('total_pnl' in row ? <Gain value={row.total_pnl} /> : '–'),
  isNumber: true,
}

const Wallets = ({ period, tag }: { period: Period; tag: string | undefined }) => (
  <Panel title={`Wallets by profit, ${PERIODS[period].toLowerCase()}${tag ? `, ${tag}` : ''}`}>
    <MoreRows
      path="/v3/leaderboard"
      options={{ query: { period, tag_slug: tag || undefined, limit: 50 } }}
      rowsOf={({ leaderboard }) => leaderboard}
      empty="Nobody has won or lost anything here."
    >
      {(rows) => (
        <Table
          label="Wallets by profit"
          rows={rows}
          keyOf={({ wallet }) => wallet}
          columns={[
            { title: '#', cell: ({ rank }) => rank, isNumber: true },
            { title: 'Wallet', cell: ({ wallet }) => <WalletLink wallet={wallet} /> },
            { title: 'Realized', cell: ({ realized_pnl: pnl }) => <Gain value={pnl} />, isNumber: true },
            ...(period === 'all' ? [TOTAL] : []),
            { title: 'Won', cell: ({ gross_profit: won }) => <Dollars value={won} />, isNumber: true },
            { title: 'Lost', cell: ({ gross_loss: lost }) => <Dollars value={lost} />, isNumber: true },
            {
              title: 'Wins / losses',
              cell: ({ wins, losses }) => `${formatCount(wins)} / ${formatCount(losses)}`,
              isNumber: true,
            },
          ]}
        />
      )}
    </MoreRows>
  </Panel>
)

const Builders = () => (
  <Panel title="Builders by volume">
    <MoreRows
      path="/v3/builders"
      options={{ query: { limit: 50 } }}
      rowsOf={({ builders }) => builders}
      empty="No trade came through a builder yet."
    >
      {(rows) => (
        <Table
          label="Builders"
          rows={rows}
          keyOf={({ builder_code: code }) => code}
          columns={[
            { title: '#', cell: ({ rank }) => rank, isNumber: true },
            {
              title: 'Builder',
              cell: ({ builder_name: name, builder_code: code }) => name ?? shortenAddress(code),
              isText: true,
            },
            { title: 'Volume', cell: ({ volume }) => formatShortDollars(Number(volume)), isNumber: true },
            { title: 'Fills', cell: ({ fill_count: fills }) => formatCount(Number(fills)), isNumber: true },
            { title: 'Fees', cell: ({ total_fees_usdc: fees }) => <Dollars value={fees} />, isNumber: true },
          ]}
        />
      )}
    </MoreRows>
  </Panel>
)

function Combos({ period }: { period: Period }) {
  const board = useApi('/v3/combos/leaderboard', { query: { period, limit: 50 } })
  return (
    <Panel title={`Wallets by what combos earned them, ${PERIODS[period].toLowerCase()}`}>
      <Loaded
        query={board}
        height={20}
        empty={{ is: ({ data }) => data.length === 0, text: 'Nobody has traded combos.' }}
      >
        {({ data }) => (
          <Table
            label="Combos"
            rows={data}
            keyOf={({ wallet_address: wallet }) => wallet}
            columns={[
              { title: '#', cell: ({ rank }) => rank, isNumber: true },
              { title: 'Wallet', cell: ({ wallet_address: wallet }) => <WalletLink wallet={wallet} /> },
              { title: 'Total', cell: ({ total_pnl: pnl }) => <Gain value={pnl ?? 0} />, isNumber: true },
              {
                title: 'Realized',
                cell: ({ realized_pnl: pnl }) => <Gain value={pnl ?? 0} />,
                isNumber: true,
              },
              { title: 'Combos', cell: ({ position_count: count }) => formatCount(count), isNumber: true },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function CopyPnl() {
  const board = useApi('/v2/copy-pnl/leaderboard')
  return (
    <Panel title="The wallets of your pool, by what copying them would have earned">
      <Loaded
        query={board}
        height={20}
        empty={{
          is: ({ results }) => results.length === 0,
          text: (
            <>
              Your pool is empty. Add wallets with <code>POST /v2/copy-pnl/wallets</code>.
            </>
          ),
        }}
      >
        {({ results }) => (
          <Table
            label="Copy-pnl"
            rows={results}
            keyOf={({ wallet }) => wallet}
            columns={[
              { title: 'Wallet', cell: ({ wallet }) => <WalletLink wallet={wallet} /> },
              {
                title: 'By copying',
                cell: ({ backtest_copy_pnl_usdc: pnl }) => <Gain value={pnl ?? 0} />,
                isNumber: true,
              },
              {
                title: 'By the wallet',
                cell: ({ actual_pnl_usdc: pnl }) => <Gain value={pnl ?? 0} />,
                isNumber: true,
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
