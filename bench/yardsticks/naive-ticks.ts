import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPool, type Target } from '../../src/store/connection.js'

type Row = { sec: number; sequence: number; price: number; bid: number; ask: number }

/** The way that comes to mind first: a row for each tick, all of them in memory, one JSON.stringify. */
const { target } = JSON.parse(process.argv[2] ?? '') as { target: Target }
const sql = createPool(target, 4)
const SOURCES = ['platform_oracle', 'oracle_data_streams']

const server = createServer(async (_request, response) => {
  const rows = await sql<Row[]>`
    select sec, sequence, price, bid, ask from naive_ticks order by sec, sequence`
  const ticks = rows.map(({ sec, sequence, price, bid, ask }) => ({
    id: `${sec}000-${sequence}`,
    type: 'price_feed',
    feed: 'BTC/USD',
    timestamp: sec,
    timestamp_ms: sec * 1000,
    source: SOURCES[sequence],
    data: { feed: 'BTC/USD', price, bid, ask, timestamp: sec },
  }))
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ symbol: 'BTC', feed: 'BTC/USD', count: ticks.length, ticks }))
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
