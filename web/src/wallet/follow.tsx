import { useState } from 'react'
import { formatAmount, formatPrice, shortenAddress } from '../format.js'
import { useLive } from '../live.js'
import { showToast } from '../toasts.js'

/** Tells the reader of each trade of the wallet while its page is open. */
export function Follow({ address, name }: { address: string; name: string | null }) {
  const [isFollowed, setFollowed] = useState(false)
  useLive(
    isFollowed
      ? { type: 'trades', filters: { wallets: [address], event_types: ['trade'] }, snapshotCount: 0 }
      : undefined,
    (event) => {
      if (event.type !== 'trade') return
      const { maker, side, size, price, outcome, market_title: market } = event.data
      if (maker !== address) return
      const who = name ?? shortenAddress(address)
      showToast(
        `${who} ${side === 'BUY' ? 'buys' : 'sells'} ${formatAmount(size)} ${outcome ?? 'shares'} at ${formatPrice(price)}: ${market ?? ''}`,
      )
    },
  )
  return (
    <button type="button" aria-pressed={isFollowed} onClick={() => setFollowed(!isFollowed)}>
      {isFollowed ? 'Following' : 'Follow'}
    </button>
  )
}
