import type { Book as BookState } from 'auspex-client'
import { useEffect, useState } from 'react'
import { auspex } from '../api.js'
import { formatAmount, formatPrice } from '../format.js'
import { follow, type LiveState } from '../live.js'
import { LiveBadge } from '../parts/live-badge.js'
import { Panel } from '../parts/panel.js'
import { DepthChart } from './depth-chart.js'

const SHOWN = 12

/** A price level: what waits there, and what waits there and at better prices. */
export type Level = { price: number; size: number; total: number }

/** The live order book of an outcome. Every change is checked against the checksum that the service sends. */
export function Book({ token, isClosed }: { token: string; isClosed: boolean }) {
  const [book, setBook] = useState<BookState>()
  const [state, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    if (isClosed) return
    setBook(undefined)
    return follow(auspex.books([token]), (changed) => setBook({ ...changed }), setState)
  }, [token, isClosed])
  if (isClosed) {
    return (
      <Panel title="Order book">
        <p className="inside soft">Trading has ended.</p>
      </Panel>
    )
  }
  return (
    <Panel title="Order book" aside={<LiveBadge state={book?.isStale === true ? 'reconnecting' : state} />}>
      {book === undefined ? (
        <div className="skeleton" style={{ height: '18rem' }} role="status" aria-label="Loading" />
      ) : (
        <BookSides bids={book.bids} asks={book.asks} />
      )}
    </Panel>
  )
}

type BookLevels = readonly { price: string; size: string }[]

/** What waits on both sides, the best levels first. */
export function BookSides({ bids: bidLevels, asks: askLevels }: { bids: BookLevels; asks: BookLevels }) {
  const bids = toLevels(bidLevels)
  const asks = toLevels(askLevels)
  const [bid] = bids
  const [ask] = asks
  return (
    <>
      <DepthChart bids={bids} asks={asks} />
      <div className="book">
        <Levels side="bid" levels={bids.slice(0, SHOWN)} />
        <Levels side="ask" levels={asks.slice(0, SHOWN)} />
      </div>
      <p className="inside soft">
        {bid === undefined || ask === undefined
          ? 'One side of the book is empty.'
          : `Spread ${formatPrice(ask.price - bid.price)}, middle ${formatPrice((ask.price + bid.price) / 2)}`}
      </p>
    </>
  )
}

function toLevels(levels: BookLevels): Level[] {
  let total = 0
  return levels.map(({ price, size }) => {
    total += Number(size)
    return { price: Number(price), size: Number(size), total }
  })
}

function Levels({ side, levels }: { side: 'bid' | 'ask'; levels: readonly Level[] }) {
  const largest = Math.max(...levels.map(({ size }) => size), 1)
  return (
    <table className={side}>
      <thead>
        <tr>
          <th scope="col" className="number">
            {side === 'bid' ? 'Bid' : 'Ask'}
          </th>
          <th scope="col" className="number">
            Shares
          </th>
        </tr>
      </thead>
      <tbody>
        {levels.map(({ price, size }) => (
          <tr key={price}>
            <td className={`number ${side === 'bid' ? 'up' : 'down'}`}>{formatPrice(price)}</td>
            <td className="number">
              <div className="depth" style={{ width: `${(size / largest) * 100}%` }} />
              {formatAmount(size)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
