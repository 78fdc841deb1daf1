import { ToolError } from './tool.js'

/** A question that many ask: a client offers it to its user, who fills the argument in. */
type PromptDefinition = {
  name: string
  title: string
  description: string
  argument?: { name: string; description: string; isOptional?: true }
  write: (value: string) => string
}

export const PROMPTS: readonly PromptDefinition[] = [
  {
    name: 'market_brief',
    title: 'What does the market say?',
    description: 'Price, book, volume and last trades of a market',
    argument: { name: 'market', description: 'a slug, or words of the question' },
    write: (market) =>
      `What does the market say about "${market}"? Find it with search unless this is a slug. Then use get_market, and list_trades with fills=taker for the last trades. Answer with the probability of each outcome, the spread, how much is offered, and what was traded last. Name the slug.`,
  },
  {
    name: 'wallet_review',
    title: 'How good is this trader?',
    description: 'Profit, open positions and last trades of a wallet',
    argument: { name: 'wallet', description: 'an address or a username' },
    write: (wallet) =>
      `How good is the trader ${wallet}? Use get_wallet with period 30d, then list_trades with this wallet. Answer with the profit of all time and of the last 30 days in dollars, the share of positions that won, the largest open positions, and what it trades. Say what is unrealized.`,
  },
  {
    name: 'who_is_winning',
    title: 'Who makes the most money?',
    description: 'The most profitable wallets, and what they have in common',
    argument: {
      name: 'topic',
      description: 'a tag or category such as crypto; all markets without it',
      isOptional: true,
    },
    write: (topic) =>
      `Who makes the most money${topic === '' ? '' : ` in ${topic}`} this week? Use get_leaderboard with period 7d${topic === '' ? '' : ` and category ${topic}`}, then compare_wallets for the first two. Answer with a table of wallets and dollars, and what tells the two apart.`,
  },
  {
    name: 'what_moved',
    title: 'What moved in the last hour?',
    description: 'The largest moves of prices, and who traded',
    write: () =>
      'What moved in the last hour? Use what_moved, then list_trades with the slug of the largest move and fills=taker. Answer with the moves in cents, the volume in dollars, and whether few or many trades made the largest one.',
  },
  {
    name: 'game_preview',
    title: 'What is known about a game?',
    description: 'Score, prices and news of a game',
    argument: { name: 'game', description: 'a slug, or the names of the teams' },
    write: (game) =>
      `What is known about the game "${game}"? Find it with search unless this is a slug. Then use get_game, and get_game_context with query_set injuries. Answer with score or start, the chance of each side, and what was written that may matter, with its source.`,
  },
]

/** The message of a prompt. Throws a `ToolError` for an unknown name or a missing argument. */
export function writePrompt(name: string, values: Readonly<Record<string, string>> = {}): string {
  const prompt = PROMPTS.find((each) => each.name === name)
  if (prompt === undefined) {
    throw new ToolError(
      `There is no prompt of this name. Prompts: ${PROMPTS.map((each) => each.name).join(', ')}`,
    )
  }
  const { argument } = prompt
  const value = argument === undefined ? '' : (values[argument.name] ?? '').trim()
  if (argument !== undefined && argument.isOptional !== true && value === '') {
    throw new ToolError(`The argument ${argument.name} is missing: ${argument.description}.`)
  }
  return prompt.write(value)
}
