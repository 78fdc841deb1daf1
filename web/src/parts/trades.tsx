import type { Schemas, StreamEvent } from 'auspex-client'
import { formatAmount, formatDollars, formatPrice, toMs } from '../format.js'
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

/** Fills; a list may also have rows that stand for several. */
export const tradesOfRows = (rows: readonly (Schemas['Trade'] | object)[]): ShownTrade[] =>
  rows.flatMap((row) => ('id' in row ? [tradeOfRow(row)] : []))

const tradeOfRow = (trade: Schemas['Trade']): ShownTrade => ({
  id: trade.id,
  atMs: toMs(trade.timestamp),
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

export type LiveTrade = Extract<StreamEvent, { type: 'trade' }>

export const tradeOfEvent = ({ data: trade }: LiveTrade): ShownTrade => ({
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
