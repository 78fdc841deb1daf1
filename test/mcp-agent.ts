import type { Client } from '@modelcontextprotocol/sdk/client/index.js'

type Row = Record<string, unknown>
export type ToolAnswer = Row & { next_cursor?: string; units: string }

/** What the agent answered to a question, and what it took. */
export type Answered = { question: string; answer: unknown; calls: number; bytes: number }

/** Calls tools as an agent does, and counts. Throws what a tool says when it refuses. */
export class ToolUser {
  readonly #client: Client
  calls = 0
  bytes = 0

  constructor(client: Client) {
    this.#client = client
  }

  async call(name: string, args: Row = {}): Promise<ToolAnswer> {
    const { content, isError } = await this.#client.callTool({ name, arguments: args })
    const [{ text }] = content as [{ text: string }]
    this.calls++
    this.bytes += Buffer.byteLength(text)
    if (isError === true) throw new Error(text)
    return JSON.parse(text)
  }
}

const rowsOf = (answer: ToolAnswer, field: string) => answer[field] as Row[]

/** Ten questions, each with what an agent does to answer it. Nothing is known but the tools. */
const QUESTIONS: readonly [question: string, find: (tools: ToolUser) => Promise<unknown>][] = [
  [
    'How likely is it that bitcoin is above 82,000 on November 14, and how wide is the spread?',
    async (tools) => {
      const found = await tools.call('search', { q: 'bitcoin above november 14 82,000', limit: 5 })
      const { slug } = rowsOf(found, 'results').find(({ kind }) => kind === 'market') ?? {}
      const market = await tools.call('get_market', { slug })
      const [yes = {}] = rowsOf(market, 'outcomes')
      return { slug, chance: yes.midpoint, best_bid: yes.best_bid, best_ask: yes.best_ask }
    },
  ],
  [
    'Who are the three most profitable wallets?',
    async (tools) => {
      const board = await tools.call('get_leaderboard', { limit: 3 })
      return rowsOf(board, 'leaderboard').map(({ wallet, total_pnl }) => ({ wallet, total_pnl }))
    },
  ],
  [
    'How much has the second of them earned in all, and realized this week?',
    async (tools) => {
      const board = await tools.call('get_leaderboard', { limit: 2 })
      const { wallet } = rowsOf(board, 'leaderboard')[1] ?? {}
      const { address, total_pnl, in_period } = await tools.call('get_wallet', { wallet, period: '7d' })
      return { address, total_pnl, realized: (in_period as Row).realized_pnl }
    },
  ],
  [
    'Of the first two, who has won more positions?',
    async (tools) => {
      const board = await tools.call('get_leaderboard', { limit: 2 })
      const [wallet, other_wallet] = rowsOf(board, 'leaderboard').map((row) => row.wallet)
      const compared = await tools.call('compare_wallets', { wallet, other_wallet })
      return rowsOf(compared, 'wallets').map((row) => ({ wallet: row.wallet, wins: row.wins }))
    },
  ],
  [
    'What are the last three trades of more than 100 dollars?',
    async (tools) => {
      const trades = await tools.call('list_trades', { min_amount_usd: 100, fills: 'taker', limit: 3 })
      return rowsOf(trades, 'trades').map(({ transaction_hash, amount_usd }) => ({
        transaction_hash,
        amount_usd,
      }))
    },
  ],
  [
    'What is the largest open position of the third most profitable wallet?',
    async (tools) => {
      const board = await tools.call('get_leaderboard', { limit: 3 })
      const { wallet } = rowsOf(board, 'leaderboard')[2] ?? {}
      const held = await tools.call('list_positions', { wallet, status: 'open', sort: 'size', limit: 1 })
      const [largest] = rowsOf(held, 'positions')
      return { wallet, size: largest?.size }
    },
  ],
  [
    'What moved most in the last hour?',
    async (tools) => {
      const [first = {}] = rowsOf(await tools.call('what_moved', { markets: 5 }), 'moved')
      return { slug: first.slug, change: first.change }
    },
  ],
  [
    'Which NBA game starts next, what is the chance of its first side, and what do people write about it?',
    async (tools) => {
      const games = await tools.call('list_games', { league: 'nba', direction: 'asc', limit: 5 })
      const next = rowsOf(games, 'games').find(({ status }) => status === 'scheduled')
      const { markets } = await tools.call('get_game', { slug: next?.slug, max_bytes: 2_000 })
      const written = await tools.call('get_game_context', { slug: next?.slug, max_per_query: 2 })
      const [moneyline] = markets as { prices: Row[] }[]
      const posts = rowsOf(written, 'written').map(({ by }) => by)
      return { slug: next?.slug, midpoint: moneyline?.prices[0]?.midpoint, posts }
    },
  ],
  [
    'Which coin goes up in these five minutes, most likely?',
    async (tools) => {
      const running = rowsOf(await tools.call('get_crypto_windows'), 'running')
      const upOf = ({ outcomePrices }: Row) => (outcomePrices as number[])[0] ?? 0
      const [best = {}] = running.sort((a, b) => upOf(b) - upOf(a))
      return { slug: best.slug, up: upOf(best) }
    },
  ],
  [
    'Which market was decided last, and what does it pay?',
    async (tools) => {
      const [last = {}] = rowsOf(await tools.call('list_resolutions', { limit: 1 }), 'resolutions')
      return { slug: last.slug, payout_numerators: last.payout_numerators }
    },
  ],
]

/** Plays an agent that has the tools of a client and nothing else. */
export async function playAgent(client: Client): Promise<Answered[]> {
  const answered: Answered[] = []
  for (const [question, find] of QUESTIONS) {
    const tools = new ToolUser(client)
    const answer = await find(tools)
    answered.push({ question, answer, calls: tools.calls, bytes: tools.bytes })
  }
  return answered
}
