import { Link } from '@tanstack/react-router'
import { formatDollars, formatGain, formatTime, formatUtc, shortenAddress, toMs } from '../format.js'

/** In the reader's zone; the hint has UTC. */
export function Time({ at }: { at: number | string }) {
  const ms = toMs(at)
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatUtc(ms)}>
      {formatTime(ms)}
    </time>
  )
}

export const Dollars = ({ value }: { value: number | string }) => <>{formatDollars(Number(value))}</>

/** Won or lost, by sign and colour. */
export function Gain({ value }: { value: number | string }) {
  const dollars = Number(value)
  return <span className={dollars > 0 ? 'up' : dollars < 0 ? 'down' : ''}>{formatGain(dollars)}</span>
}

export const WalletLink = ({ wallet }: { wallet: string }) => (
  <Link className="address" to="/wallets/$wallet" params={{ wallet }} title={wallet}>
    {shortenAddress(wallet)}
  </Link>
)

export const MarketLink = ({
  slug,
  title,
}: {
  slug: string | null | undefined
  title: string | null | undefined
}) =>
  slug === null || slug === undefined ? (
    (title ?? 'a market that the catalogue does not have yet')
  ) : (
    <Link to="/markets/$slug" params={{ slug }}>
      {title ?? slug}
    </Link>
  )

export const Side = ({ side }: { side: string }) => (
  <span className={side === 'BUY' ? 'up' : 'down'}>{side === 'BUY' ? 'Buy' : 'Sell'}</span>
)
