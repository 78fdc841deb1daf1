import { resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ApiWorld, openApiWorld } from './api-world.js'
import { findFreePort } from './free-port.js'
import { type Answered, playAgent, ToolUser } from './mcp-agent.js'

/** The official client library against a service, over both transports. */

const AUSPEX = resolve(import.meta.dirname, '../dist/bin/auspex.js')

let world: ApiWorld
let url: string
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true })
  url = await world.app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
})
afterAll(() => world.close())

async function connect(transport: unknown): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  onTestFinished(() => client.close())
  // The types of the library do not fit each other under `exactOptionalPropertyTypes`.
  await client.connect(transport as Transport)
  return client
}

const overHttp = (key = world.key, address = url) =>
  new StreamableHTTPClientTransport(new URL('/mcp', address), {
    requestInit: { headers: { 'x-api-key': key } },
  })

const overStdio = (key = world.key, address = url) =>
  new StdioClientTransport({
    command: process.execPath,
    args: [AUSPEX, 'mcp', '--url', address],
    env: { ...getDefaultEnvironment(), AUSPEX_KEY: key },
    stderr: 'pipe',
  })

const TRANSPORTS = [
  ['streamable HTTP', overHttp],
  ['stdio, with `auspex mcp`', overStdio],
] as const

describe.each(TRANSPORTS)('over %s', (_name, open) => {
  test('an agent answers ten questions as the REST API does, with few calls and few bytes', async () => {
    const answered = await playAgent(await connect(open()))
    // A key has one social request a second.
    world.clock.advance(2_000)
    expect(answered.map(({ answer }) => answer)).toEqual(await answerByRest())
    world.clock.advance(2_000)
    expect(answered).toHaveLength(10)
    for (const { question, calls, bytes } of answered) {
      expect(calls, question).toBeLessThanOrEqual(4)
      expect(bytes, question).toBeGreaterThan(0)
    }
    expect(answered.reduce((sum, { bytes }: Answered) => sum + bytes, 0)).toBeLessThanOrEqual(20_000)
  })

  test('the client sees tools, pages and prompts', async () => {
    const client = await connect(open())
    expect(client.getServerVersion()).toMatchObject({ name: 'auspex' })
    expect(client.getInstructions()).toContain('read-only')
    const { tools } = await client.listTools()
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('auspex://docs/api')
    const { contents } = await client.readResource({ uri: 'auspex://docs/api/errors' })
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('## Errors') })
    const { prompts } = await client.listPrompts()
    expect(prompts).toHaveLength(5)
    const { messages } = await client.getPrompt({ name: 'market_brief', arguments: { market: 'rain' } })
    expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining('"rain"') })
  })

  test('what a tool refuses is a text for the model', async () => {
    const tools = new ToolUser(await connect(open()))
    await expect(tools.call('list_trades', { sort: 'x' })).rejects.toThrow(
      /Unknown argument "sort". Allowed: /,
    )
  })

  test('a key that is unknown is refused', async () => {
    await expect(connect(open(`ax_live_${'0'.repeat(48)}`))).rejects.toThrow(/Unknown API key|API key/)
  })
})

test('`auspex mcp` says so when the service does not answer', async () => {
  const nowhere = `http://127.0.0.1:${await findFreePort()}`
  await expect(connect(overStdio(world.key, nowhere))).rejects.toThrow(
    `${nowhere} does not answer (ECONNREFUSED). Is the service running?`,
  )
})

/** The same answers, found without the tools. */
async function answerByRest(): Promise<unknown[]> {
  const get = async (path: string, query: Record<string, unknown> = {}) =>
    (await world.get(path, query)).json()
  const slug = 'bitcoin-above-on-november-14-82000'
  const [market] = (await get(`/v3/markets/slug/${slug}`)).data
  const [token] = market.token_ids
  const book = await get(`/v1/orderbook/${token}`)
  const prices = (side: { price: string }[]) => side.map(({ price }) => Number(price))
  const { leaderboard } = await get('/v3/leaderboard', { limit: 3 })
  const [first, second, third] = leaderboard
  const trades = await get('/v3/trades', { min_amount_usd: 100, fills: 'taker', limit: 3 })
  const held = await get(`/v3/wallets/${third.wallet}/positions`, { status: 'open', sort: 'size', limit: 1 })
  const pnl = await get(`/v3/wallets/${second.wallet}/pnl`, { period: '7d' })
  const games = await get('/v2/sports/leagues/nba/games', { direction: 'asc' })
  const next = games.games.find(({ status }: { status: string }) => status === 'scheduled')
  const quotes = await get(`/v2/sports/games/${next.slug}/prices`, { limit_tokens: 1 })
  const context = await get(`/v2/sports/games/${next.slug}/context`, { max_queries: 1, max_per_query: 2 })
  const active = await get('/v1/crypto/active')
  const ups = active.markets.map((event: { slug: string; markets: { outcomePrices: number[] }[] }) => ({
    slug: event.slug,
    up: event.markets[0]?.outcomePrices[0],
  }))
  const [resolved] = (await get('/v3/resolutions', { limit: 1 })).data
  const wins = (await get(`/v3/wallets/${first.wallet}`)).wins
  const otherWins = (await get(`/v3/wallets/${second.wallet}`)).wins
  const { tweets } = context.sources.social.queries[0]
  return [
    {
      slug,
      chance: Number((await get(`/v1/midpoint/${token}`)).mid),
      best_bid: Math.max(...prices(book.bids)),
      best_ask: Math.min(...prices(book.asks)),
    },
    leaderboard.map(({ wallet, total_pnl }: Record<string, unknown>) => ({ wallet, total_pnl })),
    {
      address: second.wallet,
      total_pnl: (await get(`/v3/wallets/${second.wallet}`)).total_pnl,
      realized: pnl.realized_pnl,
    },
    [
      { wallet: first.wallet, wins },
      { wallet: second.wallet, wins: otherWins },
      { wallet: 'difference', wins: wins - otherWins },
    ],
    trades.trades.map(({ transaction_hash, amount_usd }: Record<string, unknown>) => ({
      transaction_hash,
      amount_usd,
    })),
    { wallet: third.wallet, size: held.positions[0]?.size },
    await findMove(get),
    {
      slug: next.slug,
      midpoint: quotes.tokens[0].midpoint,
      posts: tweets.map(({ author }: { author: { username: string } }) => author.username),
    },
    ups.sort((a: { up: number }, b: { up: number }) => b.up - a.up)[0],
    { slug: resolved.slug, payout_numerators: resolved.payout_numerators },
  ]
}

type Get = (path: string, query?: Record<string, unknown>) => Promise<object>
type Candles = { series?: { outcome_index: number; candles: { open: number; close: number }[] }[] }

/** Of five markets, how far the price of the first outcome went from its first trade of the hour to its last. */
async function findMove(get: Get): Promise<unknown> {
  const stats: { data?: { slug: string }[] } = await get('/v3/markets/stats', { limit: 5 })
  const until = world.universe.nowMs / 1_000
  const moves = await Promise.all(
    (stats.data ?? []).map(async ({ slug }) => {
      const { series }: Candles = await get(`/v3/markets/slug/${slug}/candles`, {
        resolution: '1m',
        start: until - 3_540,
        end: until,
      })
      const candles = series?.find(({ outcome_index }) => outcome_index === 0)?.candles ?? []
      const change = (candles.at(-1)?.close ?? 0) - (candles[0]?.open ?? 0)
      return { slug, change: Math.round(change * 1e6) / 1e6 }
    }),
  )
  return moves.sort((a, b) => Math.abs(b.change) - Math.abs(a.change))[0]
}
