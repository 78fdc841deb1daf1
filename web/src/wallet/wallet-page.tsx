import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../api.js'
import { formatCount, formatShortDollars } from '../format.js'
import { Choice } from '../parts/choice.js'
import { Loaded } from '../parts/loaded.js'
import { Figure } from '../parts/panel.js'
import { Gain } from '../parts/values.js'
import { Activity } from './activity.js'
import { CopyScore } from './copy-score.js'
import { Fees } from './fees.js'
import { Follow } from './follow.js'
import { PnlCurve } from './pnl-curve.js'
import { ClosedPositions, OpenPositions } from './positions.js'
import { Ranks } from './ranks.js'
import { WalletTrades } from './wallet-trades.js'

const ADDRESS = /^0x[0-9a-f]{40}$/i

/** By address, or by the name that the platform shows. */
export function WalletPage() {
  const { wallet } = useParams({ from: '/wallets/$wallet' })
  const isAddress = ADDRESS.test(wallet)
  const identity = useApi('/v1/resolve/{query}', { path: { query: wallet } })
  if (isAddress)
    return (
      <WalletParts key={wallet} address={wallet.toLowerCase()} username={identity.data?.username ?? null} />
    )
  return (
    <Loaded query={identity} height={30} title={wallet}>
      {({ wallets, safe, username }) => {
        const address = wallets?.deposit_wallet ?? wallets?.safe ?? wallets?.proxy_wallet ?? safe
        return address === null ? (
          <>
            <h1>{wallet}</h1>
            <p>Nobody is called {wallet}.</p>
          </>
        ) : (
          <WalletParts key={address} address={address} username={username} />
        )
      }}
    </Loaded>
  )
}

const PARTS = {
  open: 'Open positions',
  closed: 'Closed positions',
  trades: 'Trades',
  activity: 'Activity',
  fees: 'Fees',
}

function WalletParts({ address, username }: { address: string; username: string | null }) {
  const [part, setPart] = useState<keyof typeof PARTS>('open')
  return (
    <>
      <div className="row between">
        <div>
          <h1>{username ?? 'Wallet'}</h1>
          <p className="address soft">{address}</p>
        </div>
        <Follow address={address} name={username} />
      </div>
      <WalletFigures address={address} />
      <PnlCurve address={address} />
      <Choice label="Part" options={PARTS} value={part} onChoose={setPart} />
      {part === 'open' && <OpenPositions address={address} />}
      {part === 'closed' && <ClosedPositions address={address} />}
      {part === 'trades' && <WalletTrades address={address} />}
      {part === 'activity' && <Activity address={address} />}
      {part === 'fees' && <Fees address={address} />}
      <div className="grid">
        <Ranks address={address} />
        <CopyScore address={address} />
      </div>
    </>
  )
}

function WalletFigures({ address }: { address: string }) {
  const wallet = useApi('/v3/wallets/{address}', { path: { address }, everyMs: 15_000 })
  return (
    <Loaded query={wallet} height={4}>
      {(pnl) => (
        <dl className="figures">
          <Figure title="Total P&L" note="realized and unrealized">
            <Gain value={pnl.total_pnl} />
          </Figure>
          <Figure title="Realized">
            <Gain value={pnl.net_realized_pnl} />
          </Figure>
          <Figure title="Unrealized">
            <Gain value={pnl.unrealized_pnl} />
          </Figure>
          <Figure title="Positions won / lost">
            {formatCount(pnl.wins)} / {formatCount(pnl.losses)}
          </Figure>
          <Figure title="Positions" note={`${formatCount(pnl.open_positions)} open`}>
            {formatCount(pnl.position_count)}
          </Figure>
          <Figure title="Volume">{formatShortDollars(pnl.total_volume)}</Figure>
        </dl>
      )}
    </Loaded>
  )
}
