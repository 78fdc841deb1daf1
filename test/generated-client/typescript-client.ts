import { on, once } from 'node:events'
import createClient from 'openapi-fetch'
import { WebSocket } from 'ws'
import type { components, paths } from './generated/api.js'
import type { components as streams } from './generated/streams.js'

/**
 * A program as a user would write it, with types that are generated from the documents of the service. Where
 * `@ts-expect-error` stands, the compiler must refuse what follows.
 */

type Schemas = components['schemas']
type StreamMessage = streams['schemas']['EventsSocketMessage']
type TradeEvent = streams['schemas']['TradeMessage']

const [url = '', key = '', wallet = ''] = process.argv.slice(2)
// The media type: without it an answer could also be the text of a CSV.
const client = createClient<paths, 'application/json'>({
  baseUrl: url,
  headers: { 'x-api-key': key },
})

/** Trades of all markets, page after page. */
async function readTrades(pages: number): Promise<Schemas['Trade'][]> {
  const trades: Schemas['Trade'][] = []
  let cursor: string | null | undefined
  for (let page = 0; page < pages && cursor !== null; page += 1) {
    const query = { limit: 5, side: 'buy' as const, ...(cursor !== undefined && { cursor }) }
    const { data, error } = await client.GET('/v3/trades', { params: { query } })
    if (error !== undefined) throw new Error(error.error)
    // Rows by order, of `group_by`, are another type.
    for (const row of data.trades) if ('price' in row) trades.push(row)
    cursor = data.next_cursor
  }
  // @ts-expect-error A price is a number.
  const text: string | undefined = trades[0]?.price
  // @ts-expect-error A trade has no field of this name.
  const missing: unknown = trades[0]?.prize
  if (text === missing) throw new Error('a trade without a price')
  return trades
}

async function readOrders(): Promise<Schemas['OrderTrades'][]> {
  const query = { limit: 2, group_by: 'order_hash' as const }
  const { data, error } = await client.GET('/v3/trades', { params: { query } })
  if (error !== undefined) throw new Error(error.error)
  return data.trades.filter((row) => 'fill_count' in row)
}

async function readPositions(): Promise<Schemas['WalletPosition'][]> {
  const { data, error } = await client.GET('/v3/wallets/{address}/positions', {
    params: { path: { address: wallet }, query: { limit: 5 } },
  })
  if (error !== undefined) throw new Error(error.error)
  const positions = data.positions.filter((row) => 'market_status' in row)
  // @ts-expect-error A position has one of four states.
  if (positions[0]?.status === 'lost') throw new Error('no such state')
  return positions
}

async function readLeaderboard(): Promise<Schemas['LeaderboardRow'][]> {
  const query = { limit: 5, period: 'all' as const, sort: 'total_pnl' as const }
  const { data, error } = await client.GET('/v3/leaderboard', { params: { query } })
  if (error !== undefined) throw new Error(error.error)
  return data.leaderboard.filter((row) => 'total_pnl' in row)
}

async function readRefusal(): Promise<{ status: number; error: string; resetAt?: number }> {
  const { data, error, response } = await client.GET('/v3/trades', {
    // @ts-expect-error The service knows two sides, by two names each.
    params: { query: { side: 'up' } },
  })
  if (error === undefined) throw new Error(`${data.rows_returned} rows of no side`)
  const { status } = response
  // Only the error of a rate limit has this field.
  if ('reset_at' in error && error.reset_at !== undefined) {
    return { status, error: error.error, resetAt: error.reset_at }
  }
  return { status, error: error.error }
}

/** The other formats have a media type of their own. */
async function readCsv(): Promise<string> {
  const anyFormat = createClient<paths, 'text/csv'>({ baseUrl: url, headers: { 'x-api-key': key } })
  const { data = '' } = await anyFormat.GET('/v3/trades', {
    params: { query: { limit: 2, format: 'csv' } },
    parseAs: 'text',
  })
  return data
}

/** Live trades; the messages before them too. */
async function readStream(count: number): Promise<{ types: string[]; trades: TradeEvent['data'][] }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?key=${key}`)
  await once(socket, 'open')
  const subscribe: streams['schemas']['SubscribeMessage'] = { action: 'subscribe', type: 'trades' }
  socket.send(JSON.stringify(subscribe))
  const types: string[] = []
  const trades: TradeEvent['data'][] = []
  for await (const [text] of on(socket, 'message')) {
    const message: StreamMessage = JSON.parse(String(text))
    types.push(message.type)
    switch (message.type) {
      case 'trade':
        trades.push(message.data)
        break
      case 'error':
        throw new Error(`${message.code}: ${message.message}`)
      // @ts-expect-error The service sends no message of this type.
      case 'trades':
        break
    }
    if (trades.length === count) break
  }
  socket.close()
  return { types, trades }
}

const trades = await readTrades(3)
const answer = {
  trades,
  orders: await readOrders(),
  positions: await readPositions(),
  leaderboard: await readLeaderboard(),
  refusal: await readRefusal(),
  csv: await readCsv(),
  stream: await readStream(3),
}
console.log(JSON.stringify(answer))
