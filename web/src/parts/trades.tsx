import type { Row } from 'auspex-client'
import { formatAmount, formatDollars, formatPrice } from '../format.js'
import { type Column, Table } from './table.js'
import { MarketLink, Side, Time, WalletLink } from './values.js'

/** A trade as the pages show it, from the API or from a stream. */
export type ShownTrade = {
  id: string
  atMs: number
  wallet: string
  side: string
  price: number
  size: number
  dollars: number
  slug: string | null
  market: string | null
  outcome: string | null
  isNew: boolean
}

export const tradeOfRow = (trade: Row<'/v3/trades'>): ShownTrade => ({
  id: trade.id,
  atMs: Number(trade.timestamp) * 1_000,
  wallet: trade.maker,
  side: trade.direction,
  price: trade.price,
  size: trade.size,
  dollars: trade.amount_usd,
  slug: trade.slug ?? null,
  market: trade.market ?? null,
  outcome: trade.outcome ?? null,
  isNew: false,
})

/** The fields of a live trade that the pages use. */
export type LiveTrade = {
  tx_hash: string
  log_index: number
  timestamp: number
  maker: string
  side: string
  price: number
  size: number
  market_slug?: string
  market_title?: string
  outcome?: string
}

export const tradeOfEvent = (trade: LiveTrade): ShownTrade => ({
  id: `${trade.tx_hash} ${trade.log_index}`,
  atMs: trade.timestamp,
  wallet: trade.maker,
  side: trade.side,
  price: trade.price,
  size: trade.size,
  dollars: trade.price * trade.size,
  slug: trade.market_slug ?? null,
  market: trade.market_title ?? null,
  outcome: trade.outcome ?? null,
  isNew: true,
})

const TIME: Column<ShownTrade> = { title: 'Time', cell: ({ atMs }) => <Time at={atMs} /> }
const MARKET: Column<ShownTrade> = {
  title: 'Market',
  cell: ({ slug, market }) => <MarketLink slug={slug} title={market} />,
  isText: true,
}
const WALLET: Column<ShownTrade> = { title: 'Wallet', cell: ({ wallet }) => <WalletLink wallet={wallet} /> }
const NUMBERS: Column<ShownTrade>[] = [
  { title: 'Outcome', cell: ({ outcome }) => outcome ?? '–' },
  { title: 'Side', cell: ({ side }) => <Side side={side} /> },
  { title: 'Price', cell: ({ price }) => formatPrice(price), isNumber: true },
  { title: 'Shares', cell: ({ size }) => formatAmount(size), isNumber: true },
  { title: 'Value', cell: ({ dollars }) => formatDollars(dollars), isNumber: true },
]

type TradesProps = { trades: readonly ShownTrade[]; without?: 'market' | 'wallet' }

export const Trades = ({ trades, without }: TradesProps) => (
  <Table
    label="Trades"
    columns={[
      TIME,
      ...(without === 'market' ? [] : [MARKET]),
      ...(without === 'wallet' ? [] : [WALLET]),
      ...NUMBERS,
    ]}
    rows={trades}
    keyOf={({ id }) => id}
    isNew={({ isNew }) => isNew}
  />
)
